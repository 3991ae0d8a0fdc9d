// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * The function that a line calls which somebody pastes into a program that runs already. It answers with a
 * sentence for who did that; nothing is printed from here.
 */
#include <errno.h>
#include <sys/mman.h>
#include "inside.h"
#include "job_cupti.h"

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

#define HOLDS_CUPTI                                                                               \
	"profiler holds CUPTI, which serves one at a time: once that has ended, paste this line " \
	"again. " CUPTI_HELD_BY_PYTORCH

static const char *const states[INSIDE_STATES] = {
	[INSIDE_RECORDING] =
		"Recorded by Stalltrace from now on: CUDA calls, and what the GPU does.",
	[INSIDE_WRONG_CUPTI] =
		"Not recorded: this process's libcupti lacks a function that is needed. Install the one of its CUDA version.",
	[INSIDE_TAKEN] = "Not recorded: another " HOLDS_CUPTI,
	[INSIDE_REFUSED] =
		"Not recorded: CUPTI refused. Use the GPU once, and paste this line again.",
	[INSIDE_UNASKED] =
		"Not recorded: no library of this process imports CUDA's functions, and the capture was started with --no-cupti. Import torch first, or what else brings CUDA, and paste this line again.",
	[INSIDE_NO_THREAD] =
		"Not recorded: no thread could be started in this process, or CUPTI names no function that is known.",
};

#define CALLS_ALONE                                                                                     \
	"Recorded by Stalltrace, but not what the GPU does. Of CUDA calls those are recorded that a "   \
	"library imports; not those of a CUDA runtime that is linked statically, or of functions that " \
	"are asked for by name. "

static const char *const without_cupti[INSIDE_STATES] = {
	[INSIDE_WRONG_CUPTI] = CALLS_ALONE
	"This process's libcupti lacks a function that is needed: start the process again with the one of its CUDA version.",
	[INSIDE_TAKEN] = CALLS_ALONE "Another " HOLDS_CUPTI,
	[INSIDE_REFUSED] = CALLS_ALONE
	"CUPTI refused: use the GPU once, and paste this line again.",
	[INSIDE_NO_THREAD] = CALLS_ALONE "CUPTI names no function that is known.",
	[INSIDE_UNASKED] = CALLS_ALONE "The capture was started with --no-cupti.",
};

/* INSIDE_NO_CUPTI, by the major version of CUDA; 0 = not known. */
#define NEWEST_CUDA 13
#define BY_CUDA(before, after)                                                              \
	{                                                                                   \
		[0] = before CUPTI_PACKAGE_12 ", or the one of its CUDA version" after,     \
		[11] = before CUPTI_PACKAGE_11 after, [12] = before CUPTI_PACKAGE_12 after, \
		[NEWEST_CUDA] = before CUPTI_PACKAGE_13 after,                              \
	}

static const char *const no_cupti[NEWEST_CUDA + 1] = BY_CUDA(
	"Not recorded: there is no libcupti for this process's CUDA. Import torch first, or what else brings CUDA, and paste this line again; where that is done, install ",
	".");

static const char *const calls_without_cupti[NEWEST_CUDA + 1] =
	BY_CUDA(CALLS_ALONE "There is no libcupti for this process's CUDA: install ",
		", and paste this line again.");

static const char *by_cuda(const char *const sentences[])
{
	unsigned int major = cuda_major(inside.header->detail);

	return sentences[major <= NEWEST_CUDA && sentences[major] ? major : 0];
}

static const char *say_without_cupti(enum inside_state why)
{
	return why == INSIDE_NO_CUPTI ? by_cuda(calls_without_cupti) : without_cupti[why];
}

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

static const char *say(enum inside_state state)
{
	if (state == INSIDE_UNASKED && !inside.header->imports)
		return "Nothing changes: the capture was started with --no-cupti, and records the CUDA calls of this process by BPF.";
	if (state == INSIDE_BY_IMPORTS)
		return say_without_cupti(atomic_load(&inside.header->without_cupti));
	return state == INSIDE_NO_CUPTI ? by_cuda(no_cupti) : states[state];
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
	return met == MET ? say(begin_recording(true)) : meetings[met];
}

/* CUPTI may be there by now: then it is recorded with, from now on. */
static const char *begin_with_more(void)
{
	enum inside_state state = INSIDE_TAKEN;

	/* Who took it may still use it. */
	if (atomic_load(&inside.header->state) != INSIDE_YIELDED)
		state = look_for_cupti();
	if (state != INSIDE_NEW)
		return say_without_cupti(state);
	end_without_cupti();
	return begin_anew();
}

static const char *begin(void)
{
	if (inside_guard && !is_ours())
		return "Not recorded: this process was forked from one that uses CUDA, where CUDA does not work.";
	switch (atomic_load(&inside.phase)) {
	case PHASE_ON:
		if (is_watched())
			return atomic_load(&inside.by_imports) ? begin_with_more() :
								 "Recorded by Stalltrace already.";
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
