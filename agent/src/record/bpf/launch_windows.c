// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * A probe costs a launch about 2 µs (1.9 measured with the stand-in). Where a thread launches so often that this takes
 * about 2 % of its time, launches are probed in short windows only: a gap of `launch` says when they are not. How often
 * it launches is seen in the windows, so it is noticed when they can be probed all the time again. All other calls are
 * probed throughout.
 */
#include <stdio.h>
#include <string.h>
#include "bpf.h"

#define STRETCH_NS NS_PER_SECOND
/* By one thread, in a second: about 2 % of its time. */
#define MOST_LAUNCHES 10000
/* So many seconds of that, one after the other: no short burst. */
#define FAST_SECONDS 3
/* The loop looks every 50 ms: a window ends at the look after the one that opened it. */
#define WINDOW_NS (45 * NS_PER_MS)
/* From one window to the next, as a multiple of its length. */
#define PAUSE_FACTOR 39
/* But of a longer one only as if it had been so long: a window that ended late must not stop recording for minutes. */
#define LONGEST_FOR_PAUSE_NS (4 * WINDOW_NS)
/* So that no window falls onto the same part of each step: up to so much longer or shorter. */
#define PAUSE_VARIES_PERCENT 25
/* So many windows with fewer launches of each thread, and less than half of the rate: the probes stay. */
#define SLOW_WINDOWS 3
#define FEW_IN_WINDOW \
	400 /* fewer than are sent one by one (LAUNCHES_PER_BUCKET): all are known at its end */

static void begin_stretch(struct launch_windows *windows, uint64_t now_ns)
{
	windows->stretch++;
	windows->stretch_ns = now_ns;
	windows->most = 0;
}

void bpf_count_launches(struct bpf_recorder *bpf, struct task *task, uint32_t count, uint64_t at_ns)
{
	struct launch_windows *windows = &bpf->windows;

	if (windows->used && at_ns > windows->used_ns)
		windows->seen += count;
	if (!task || at_ns < windows->stretch_ns)
		return;
	if (task->launches_stretch != windows->stretch) {
		task->launches_stretch = windows->stretch;
		task->launches = 0;
	}
	task->launches += count;
	if (task->launches > windows->most)
		windows->most = task->launches;
}

uint64_t bpf_length_in_window(const struct bpf_recorder *bpf, uint64_t start_ns,
			      uint64_t duration_ns)
{
	uint64_t closed_ns = bpf->windows.closed_ns;

	return start_ns < closed_ns && start_ns + duration_ns > closed_ns ? closed_ns - start_ns :
									    duration_ns;
}

/* A number that differs from one time to the next, of 0 to `below`. */
static uint64_t some_number(uint64_t now_ns, uint64_t below)
{
	return (now_ns / 1000 * 2654435761u >> 8) % (below + 1);
}

static void close_window(struct bpf_recorder *bpf, uint64_t now_ns)
{
	struct launch_windows *windows = &bpf->windows;
	uint64_t length_ns = windows->open ? now_ns - windows->stretch_ns : WINDOW_NS;
	uint64_t percent = 100 - PAUSE_VARIES_PERCENT +
			   some_number(now_ns, 2 * (uint64_t)PAUSE_VARIES_PERCENT);

	if (windows->open)
		windows->seen_ns += length_ns;
	if (length_ns > LONGEST_FOR_PAUSE_NS)
		length_ns = LONGEST_FOR_PAUSE_NS;
	windows->open = false;
	windows->closed_ns = now_ns;
	windows->next_ns = now_ns + length_ns * PAUSE_FACTOR * percent / 100;
	uprobes_leave_launches(bpf->uprobes, true);
}

static void put_gap(struct bpf_recorder *bpf, uint64_t until_ns)
{
	struct launch_windows *windows = &bpf->windows;
	struct trace_writer *writer = bpf->session->writer;
	int64_t start = trace_time(writer, windows->closed_ns);

	if (until_ns <= windows->closed_ns)
		return;
	windows->unseen_ns += until_ns - windows->closed_ns;
	trace_put_gap(writer, "launch", start, trace_time(writer, until_ns) - start, -1);
}

static void open_window(struct bpf_recorder *bpf, uint64_t now_ns)
{
	struct launch_windows *windows = &bpf->windows;
	int err = uprobes_leave_launches(bpf->uprobes, false);

	if (err < 0) {
		if (!windows->said_refused)
			session_notice(
				bpf->session, "warning",
				"Launches could not be probed again: the kernel refused it (%s). It is tried again about every 2 s.",
				strerror(-err));
		windows->said_refused = true;
		uprobes_leave_launches(bpf->uprobes, true);
		windows->next_ns = now_ns + PAUSE_FACTOR * WINDOW_NS;
		return;
	}
	now_ns = clock_ns(CLOCK_MONOTONIC);
	put_gap(bpf, now_ns);
	windows->open = true;
	begin_stretch(windows, now_ns);
}

static bool is_slow(const struct launch_windows *windows, uint64_t now_ns)
{
	return windows->most < FEW_IN_WINDOW &&
	       windows->most * NS_PER_SECOND <
		       (uint64_t)MOST_LAUNCHES / 2 * (now_ns - windows->stretch_ns);
}

static void end_window(struct bpf_recorder *bpf, uint64_t now_ns)
{
	struct launch_windows *windows = &bpf->windows;

	windows->in_row = is_slow(windows, now_ns) ? windows->in_row + 1 : 0;
	if (windows->in_row < SLOW_WINDOWS) {
		close_window(bpf, now_ns);
		return;
	}
	bpf_end_windows(bpf, now_ns);
	begin_stretch(windows, now_ns);
	if (!windows->said_back)
		session_notice(
			bpf->session, "info",
			"Fewer launches come: they are probed all the time again, and in windows again if more come.");
	windows->said_back = true;
}

void bpf_end_windows(struct bpf_recorder *bpf, uint64_t at_ns)
{
	struct launch_windows *windows = &bpf->windows;

	if (!windows->used)
		return;
	if (!windows->open)
		put_gap(bpf, at_ns);
	else if (at_ns > windows->stretch_ns)
		windows->seen_ns += at_ns - windows->stretch_ns;
	windows->used = windows->open = false;
	windows->in_row = 0;
	windows->stretch_ns = 0;
}

static void end_second(struct bpf_recorder *bpf, uint64_t now_ns)
{
	struct launch_windows *windows = &bpf->windows;
	uint64_t most = windows->most * NS_PER_SECOND / (now_ns - windows->stretch_ns);

	windows->in_row = most < MOST_LAUNCHES ? 0 : windows->in_row + 1;
	if (windows->in_row < FAST_SECONDS) {
		begin_stretch(windows, now_ns);
		return;
	}
	windows->in_row = 0;
	windows->used = true;
	windows->used_ns = now_ns;
	close_window(bpf, now_ns);
	if (!bpf->session->launches_missed)
		session_notice(
			bpf->session, "warning",
			"A thread launched %llu times in a second, and a probe adds about 2 µs to each. Launches are probed in windows of 50 to 100 ms from now on, 2.5 %% of the time, until there are fewer; what else the job calls is probed throughout. A job that is launched with the capture is recorded from inside, with each launch.",
			(unsigned long long)most);
	bpf->session->launches_missed = true;
}

void bpf_pace_launches(struct bpf_recorder *bpf)
{
	struct launch_windows *windows = &bpf->windows;
	uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);

	/* Where they can't be taken away in no time, they stay (uprobes.h). */
	if (bpf->launches.are_away || !uprobes_can_leave_launches(bpf->uprobes))
		return;
	if (!windows->stretch_ns)
		begin_stretch(windows, now_ns);
	else if (!windows->used && now_ns - windows->stretch_ns >= STRETCH_NS)
		end_second(bpf, now_ns);
	else if (windows->open && now_ns - windows->stretch_ns >= WINDOW_NS)
		end_window(bpf, now_ns);
	else if (windows->used && !windows->open && now_ns >= windows->next_ns)
		open_window(bpf, now_ns);
}

void bpf_describe_windows(const struct bpf_recorder *bpf)
{
	const struct launch_windows *windows = &bpf->windows;
	double share, rate;
	char note[512];

	if (!bpf->session->launches_missed || !windows->unseen_ns)
		return;
	share = (double)windows->seen_ns / (double)(windows->seen_ns + windows->unseen_ns);
	rate = windows->seen_ns ? (double)windows->seen * 1e9 / (double)windows->seen_ns : 0;
	snprintf(
		note, sizeof(note),
		"Launches above a rate, counted for each thread. Measured in windows while a thread launched more than %d times a second: these are %.1f %% of %.1f s, and gap says when launches were not seen. In the windows %llu were seen, %.0f a second.",
		MOST_LAUNCHES, 100 * share, (double)(windows->seen_ns + windows->unseen_ns) / 1e9,
		(unsigned long long)windows->seen, rate);
	trace_put_provenance(bpf->session->writer, "aggregate", "", "partial", TRACE_NULL, note);
	session_notice(bpf->session, "warning", "%s", note);
	if (!bpf->session->calls_missed)
		trace_put_provenance(
			bpf->session->writer, "cuda_call", "", "exact", TRACE_NULL,
			"Every probed CUDA call of the traced processes, from entry to return, but for launches between the windows in which these were probed: see gap. A launch that reaches into such a gap is missing too. Launches above a rate are counted in aggregate.");
}
