// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* What can be trusted of what was polled. */
#include <stdio.h>
#include "poller.h"

/* As it was kept: longer than asked for with many threads, or where the agent got no CPU. */
static uint64_t mean_period_ns(const struct poller *poller)
{
	uint64_t length_ns = poller->round_ns - poller->begin_ns;

	return poller->rounds > 1 && poller->round_ns > poller->begin_ns ?
		       length_ns / poller->rounds :
		       poller->asked_period_ns;
}

static void put_sampled(const struct poller *poller, const char *table, const char *column,
			const char *note)
{
	trace_put_provenance(poller->polling.writer, table, column, "sampled",
			     (int64_t)mean_period_ns(poller), note);
}

static void put_absent(const struct poller *poller, const char *column, const char *note)
{
	trace_put_provenance(poller->polling.writer, "off_cpu", column, "absent", TRACE_NULL, note);
}

static void write_provenance(const struct poller *poller)
{
	const struct polling *polling = &poller->polling;
	char note[512];

	snprintf(
		note, sizeof(note),
		"Without BPF: /proc was read every %.1f ms on average, %.0f ms at worst. CPU time and run-queue time are the kernel's own sums; where they lie inside a period is not known, and waits shorter than a period can be one row.%s",
		(double)mean_period_ns(poller) / 1e6, (double)poller->longest_gap_ns / 1e6,
		polling->no_schedstat ?
			" This kernel keeps no schedstat: CPU time is counted in clock ticks." :
			"");
	put_sampled(poller, "off_cpu", "", note);
	put_sampled(
		poller, "on_cpu", "",
		"Without BPF: only threads of the traced tree, from their CPU time. Who ran instead of them can't be seen.");
	put_sampled(
		poller, "process_event", "",
		"Without BPF: seen at the next look. What began and ended between two looks is missing, and so is a child whose parent ended at once.");
	put_sampled(poller, "aggregate", "",
		    "Throttling by a CPU quota, from the control group's own sums.");
	put_absent(poller, "waker_id", "Without BPF nobody says who woke a thread.");
	put_absent(poller, "waker_context", "Without BPF nobody says who woke a thread.");
	put_absent(poller, "next_thread_id", "Without BPF nobody says who came on the CPU.");
	put_absent(poller, "previous_thread_id", "Without BPF nobody says who was on the CPU.");
	put_absent(poller, "throttled_ns", "Known of the control group only: see aggregate.");
	put_absent(poller, "io_wait", "Not told by /proc.");
	put_absent(poller, "file_id", "Descriptors are not followed without BPF.");
	if (polling->no_schedstat)
		put_absent(poller, "run_queue_ns", "This kernel keeps no schedstat.");
	if (polling->python_waits)
		put_sampled(
			poller, "off_cpu", "stack_id",
			"The kernel function it slept in (wchan) as one frame, where it is told; below it Python's, where these were read while it slept.");
	else if (polling->reading.named)
		put_sampled(poller, "off_cpu", "stack_id",
			    "The kernel function it slept in (wchan), as one frame.");
	else
		put_absent(poller, "stack_id",
			   "The kernel function (wchan) is not told to this user.");
	if (polling->reading.known_syscalls)
		put_sampled(poller, "off_cpu", "syscall",
			    "From /proc/PID/syscall, at the begin of each wait.");
	else
		put_absent(poller, "syscall", "/proc/PID/syscall may not be read by this user.");
}

static void write_notices(const struct poller *poller)
{
	const struct polling *polling = &poller->polling;
	char text[256];

	if (polling->reading.denied_syscalls) {
		snprintf(
			text, sizeof(text),
			"The system call of %llu of %llu waits may not be read by this user: run the agent as root, or as the owner of the processes.",
			(unsigned long long)polling->reading.denied_syscalls,
			(unsigned long long)polling->waits);
		trace_put_notice(polling->writer, "info", text);
	}
	if (poller->lost_threads) {
		snprintf(text, sizeof(text), "%llu threads were not followed: there were too many.",
			 (unsigned long long)poller->lost_threads);
		trace_put_notice(polling->writer, "warning", text);
	}
}

void poller_describe(const struct poller *poller)
{
	write_provenance(poller);
	write_notices(poller);
}
