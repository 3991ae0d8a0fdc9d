// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* What the file says of itself: how each table was recorded, and what could not be. */
#include <stdio.h>
#include <time.h>
#include "session.h"

#define ALWAYS SOURCE_COUNT
#define ALL_SOURCES ((1u << SOURCE_COUNT) - 1)

#define HOST_MEMORY_NOTE \
	"From the allocations and registrations seen: pageable is said only of processes traced from their first instruction."

/* Of a table whose source is there; where it is not, the source's own sentence says why. */
struct provenance {
	const char *table, *column, *kind;
	enum source source;
	const char *note;
};

static const struct provenance provenances[] = {
	{"cuda_call", "", "exact", SOURCE_CALLS,
	 "Every probed CUDA call of the traced processes, from entry to return. Launches above a rate are counted in aggregate."},
	{"cuda_call", "host_memory", "inferred", SOURCE_CALLS, HOST_MEMORY_NOTE},
	{"off_cpu", "", "exact", SOURCE_SWITCHES,
	 "Every interval off the CPU of every traced thread, from the scheduler's own switches. What a thread executed and faulted after its last interval is not reported; the end of one that the kernel passed by its tracepoint follows from what ran since."},
	{"off_cpu", "waker_id", "partial", SOURCE_SWITCHES,
	 "Only wake-ups made by a task name it: who is interrupted by a timer or a device did not wake anybody."},
	{"on_cpu", "", "partial", SOURCE_SWITCHES,
	 "Whoever held a CPU, traced or not, while a traced thread waited for that CPU."},
	{"process_event", "", "exact", SOURCE_PROCESSES,
	 "Forks, execs, exits and renames of the traced processes."},
	{"block_io", "", "exact", SOURCE_BLOCK_IO,
	 "Every request to a block device of the machine, from issue to completion. Network file systems have none."},
	{"annotation", "", "exact", SOURCE_RECLAIM,
	 "Direct reclaim of memory by the traced threads."},
	{"page_fault", "", "exact", SOURCE_PAGE_FAULTS,
	 "Every user page fault of the traced threads."},
	{"page_alloc", "", "aggregated", SOURCE_PAGE_ALLOCS,
	 "Pages given to the traced threads, added up for each thread."},
	{"syscall", "", "partial", SOURCE_SYSCALLS,
	 "System calls of the traced threads that took a millisecond or more."},
	{"cpu_sample", "", "sampled", SOURCE_SAMPLES,
	 "What the traced threads did on the CPU, by a timer on each CPU."},
	{"off_cpu", "stack_id", "exact", SOURCE_OFF_CPU_STACKS,
	 "The user stack with which the thread left the CPU."},
	{"sample", "", "sampled", ALWAYS, "Read from /proc, cgroups and nvidia-smi."},
	{"gap", "", "exact", ALWAYS, "Counted where the buffer to the recorder was full."},
};

static const struct {
	const char *table, *column, *note;
} absent[] = {
	{"gpu_work", "",
	 "What the GPU itself did is not recorded: the agent probes the API, not the device."},
	{"wakeup", "", "Wake-ups are part of off_cpu."},
	{"cuda_call", "stolen_ns",
	 "Not known per call; off_cpu.executed_ns has the CPU time of each slice."},
};

static int64_t period_ns(const struct session *session, const struct provenance *provenance)
{
	switch (provenance->source) {
	case SOURCE_SAMPLES:
		return (int64_t)NS_PER_SECOND / session->options->samples_per_second;
	case SOURCE_PAGE_ALLOCS:
		return PAGE_ALLOC_INTERVAL_NS;
	default:
		return provenance->kind[0] == 's' ? SAMPLE_PERIOD_NS : TRACE_NULL;
	}
}

static void write_provenance(struct session *session, const struct provenance *provenance)
{
	const struct source_status *status =
		provenance->source == ALWAYS ? NULL : &session->status[provenance->source];

	if (!status || status->available)
		trace_put_provenance(session->writer, provenance->table, provenance->column,
				     provenance->kind, period_ns(session, provenance),
				     provenance->note);
	else
		trace_put_provenance(session->writer, provenance->table, provenance->column,
				     "absent", TRACE_NULL,
				     status->wanted ? status->detail :
						      "Not asked for: see --profile.");
}

void session_write_provenance(struct session *session, uint32_t sources)
{
	for (size_t i = 0; i < sizeof(provenances) / sizeof(provenances[0]); i++) {
		if (sources & 1u << provenances[i].source)
			write_provenance(session, &provenances[i]);
	}
}

void session_write_sources(struct session *session)
{
	session_write_provenance(session, 1u << ALWAYS | (ALL_SOURCES & ~session->recorded));
	for (size_t i = 0; i < sizeof(absent) / sizeof(absent[0]); i++)
		trace_put_provenance(session->writer, absent[i].table, absent[i].column, "absent",
				     TRACE_NULL, absent[i].note);
	for (unsigned int i = 0; i < SOURCE_COUNT; i++) {
		const struct source_status *status = &session->status[i];

		if (status->wanted)
			trace_put_capability(session->writer, source_name(i), status->available,
					     status->detail);
	}
}

void session_write_clock(struct session *session)
{
	trace_put_clock(session->writer, clock_ns(CLOCK_MONOTONIC), clock_ns(CLOCK_BOOTTIME),
			clock_ns(CLOCK_MONOTONIC_RAW), clock_ns(CLOCK_REALTIME));
}
