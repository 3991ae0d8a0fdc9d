// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * The function that a line calls which somebody pastes into a program that runs already. It answers with a
 * sentence for who did that; nothing is printed from here.
 */
#include <errno.h>
#include <sys/mman.h>
#include "inside.h"

/* An agent that records has looked since. */
#define AGENT_LOOKS_NS 2000000000ull
/* One that is still at its end may read so long what was recorded before. */
#define AGENT_READS_NS 10000000000ull

static const char *const meetings[] = {
	[MET_NOBODY] =
		"Not recorded: no capture of Stalltrace waits for this process. Start one of it, and paste this line again while it runs.",
	[MET_STRANGER] =
		"Not recorded: no capture of Stalltrace waits for this process, but a program of another user stands where one would. Capture it as this user, or as root.",
	[MET_NOT_CHOSEN] =
		"Not recorded: the capture that runs is of another process. Start one of this process, or of one that has started it, and paste this line again while it runs.",
	[MET_NO_ROOM] = "Not recorded: the capture that runs has no memory left for this process.",
	[MET_OTHER_VERSION] =
		"Not recorded: this process has loaded the library of another version of Stalltrace. Restart it, and paste this line again.",
};

static const char *const states[INSIDE_STATES] = {
	[INSIDE_RECORDING] =
		"Recorded by Stalltrace from now on: CUDA calls, and what the GPU does.",
	[INSIDE_NO_CUPTI] =
		"Not recorded: there is no libcupti for this process's CUDA. Import torch first, or what else brings CUDA, and paste this line again; where that is done, install nvidia-cuda-cupti-cu12, or the one of its CUDA version.",
	[INSIDE_WRONG_CUPTI] =
		"Not recorded: this process's libcupti lacks a function that is needed. Install the one of its CUDA version.",
	[INSIDE_TAKEN] =
		"Not recorded: another profiler is in this process. End it, and paste this line again.",
	[INSIDE_REFUSED] =
		"Not recorded: CUPTI refused. Use the GPU once, and paste this line again.",
	[INSIDE_NO_THREAD] =
		"Not recorded: no thread could be started in this process, or CUPTI names no function that is known.",
};

static bool is_watched(void)
{
	const struct inside_header *header = inside.header;

	return inside.ring && atomic_load(&header->recording) &&
	       now_ns(CLOCK_MONOTONIC) - atomic_load(&header->beat_ns) < AGENT_LOOKS_NS;
}

/* A thread may still be on its way out of a call: the place stays, what was in it need not. */
static void give_up_ring(void)
{
	if (inside.ring &&
	    now_ns(CLOCK_MONOTONIC) - atomic_load(&inside.header->beat_ns) > AGENT_READS_NS)
		SYSTEM_CALL(SYS_madvise, inside.ring, INSIDE_RING_BYTES, MADV_REMOVE);
}

static const char *begin_anew(void)
{
	enum meeting met = MET;

	if (!helper_has_ended())
		return "Not recorded yet: the capture before is being ended. Paste this line again.";
	/* What could not begin may begin now, in the same capture. */
	if (atomic_load(&inside.phase) == PHASE_LEFT || !is_watched()) {
		give_up_ring();
		met = meet_agent();
	}
	return met == MET ? states[begin_recording()] : meetings[met];
}

static const char *begin(void)
{
	if (inside_guard && !is_ours())
		return "Not recorded: this process was forked from one that uses CUDA, where CUDA does not work.";
	switch (atomic_load(&inside.phase)) {
	case PHASE_ON:
		if (is_watched())
			return "Recorded by Stalltrace already.";
		return "Not recorded yet: the capture before is being ended. That takes half a minute at the most: paste this line again then.";
	case PHASE_OFF:
	case PHASE_LEFT:
		return begin_anew();
	default:
		return "Not recorded yet: the capture before is being ended. Call CUDA once or wait 3 seconds, and paste this line again.";
	}
}

EXPORT const char *stalltrace_begin(void);

EXPORT const char *stalltrace_begin(void)
{
	const char *said = "Another thread is doing that just now.";
	int before = errno;

	if (enter_set_up()) {
		said = begin();
		leave_set_up();
	}
	errno = before;
	return said;
}
