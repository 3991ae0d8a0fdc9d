// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* What can be trusted of what perf events told. */
#include <stdio.h>
#include "perf.h"

/* Rings that hold less than what came in 10 ms when 100,000 switches a second were made on each CPU. */
#define SMALL_BYTES (64u << 10)

static void put(const struct perf_recorder *perf, const char *table, const char *column,
		const char *kind, const char *note)
{
	trace_put_provenance(perf->session->writer, table, column, kind, TRACE_NULL, note);
}

static void put_absent(const struct perf_recorder *perf, const char *column, const char *note)
{
	put(perf, "off_cpu", column, "absent", note);
}

static void describe_queue(const struct perf_recorder *perf)
{
	char note[512];

	if (perf->no_schedstat) {
		put(perf, "off_cpu", "run_queue_ns", "partial",
		    "Of preempted threads only: this kernel keeps no schedstat.");
		return;
	}
	snprintf(
		note, sizeof(note),
		"Of a preempted thread exact. Of others from the kernel's own sum for the thread (schedstat), read every 10 ms: where several waits ended since the last look (%.0f %% of them), each has an equal part of it. Not known of what a thread did just before it ended.",
		perf->voluntary ? 100.0 * (double)perf->shared / (double)perf->voluntary : 0.0);
	put(perf, "off_cpu", "run_queue_ns", "inferred", note);
}

static void describe_waits(const struct perf_recorder *perf)
{
	put(perf, "off_cpu", "state", "partial",
	    "Preempted or not is exact. In which state a thread slept is known of those that were looked at meanwhile, every 10 ms.");
	if (perf->reading.known_syscalls)
		put(perf, "off_cpu", "syscall", "partial",
		    "From /proc/PID/syscall, of waits that were looked at while they lasted: every 10 ms.");
	else
		put_absent(perf, "syscall", "/proc/PID/syscall may not be read by this user.");
	if (perf->python_waits)
		put(perf, "off_cpu", "stack_id", "partial",
		    "Of waits that were looked at while they lasted: the kernel function it slept in (wchan) as one frame, where it is told; below it Python's, where these were read.");
	else if (perf->reading.named)
		put(perf, "off_cpu", "stack_id", "partial",
		    "The kernel function it slept in (wchan), as one frame, of waits that were looked at while they lasted.");
	else
		put_absent(perf, "stack_id",
			   "The kernel function (wchan) is not told to this user.");
	put(perf, "off_cpu", "minor_faults", "partial",
	    "From /proc/PID/stat twenty times a second, with the last wait of that time.");
	put(perf, "off_cpu", "major_faults", "partial",
	    "From /proc/PID/stat twenty times a second, with the last wait of that time.");
}

static void describe_absent(const struct perf_recorder *perf)
{
	put_absent(perf, "waker_id", "Without BPF nobody says who woke a thread.");
	put_absent(perf, "waker_context", "Without BPF nobody says who woke a thread.");
	put_absent(perf, "next_thread_id", "Only the job's own threads are recorded: see on_cpu.");
	put_absent(perf, "previous_thread_id",
		   "Only the job's own threads are recorded: see on_cpu.");
	put_absent(perf, "throttled_ns", "Known of the control group only: see aggregate.");
	put_absent(perf, "io_wait", "Not told by perf events.");
	put_absent(perf, "file_id", "Descriptors are not followed without BPF.");
	put_absent(
		perf, "executed_ns",
		"What the kernel charges is not read for each slice; how long it lasted is in on_cpu.");
	put(perf, "page_fault", "", "absent",
	    "Perf events would tell those of user code only, without how long they took, at 0.5 us each: see off_cpu.minor_faults.");
}

static void write_notices(const struct perf_recorder *perf)
{
	struct session *session = perf->session;

	if (perf_rings_bytes(perf->rings) < SMALL_BYTES)
		session_notice(
			session, "warning",
			"Each CPU's ring for switches has %zu KiB only (kernel.perf_event_mlock_kb, ulimit -l): where threads switch very often, some may be lost, which is counted.",
			perf_rings_bytes(perf->rings) >> 10);
	if (perf->lost_threads)
		session_notice(session, "warning",
			       "%llu threads or waits were not recorded for lack of memory.",
			       (unsigned long long)perf->lost_threads);
}

void perf_describe(const struct perf_recorder *perf)
{
	put(perf, "off_cpu", "", perf->lost_threads ? "partial" : "exact",
	    "Every interval off the CPU of every thread of the job, from the kernel's switch records (perf events), up to where it began to exit. Who woke a thread is not told.");
	put(perf, "on_cpu", "", "partial",
	    "Every slice of the job's own threads. Nobody else's: where none of these had a CPU, it was something outside this job, or the kernel, or nobody.");
	put(perf, "process_event", "", "exact",
	    "Forks, execs, exits and renames of the traced processes.");
	trace_put_provenance(perf->session->writer, "aggregate", "", "sampled", 100 * NS_PER_MS,
			     "Throttling by a CPU quota, from the control group's own sums.");
	describe_queue(perf);
	describe_waits(perf);
	describe_absent(perf);
	write_notices(perf);
}
