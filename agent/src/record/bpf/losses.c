// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include <stdio.h>
#include "bpf.h"

/* The table that a kind of record would have become; "" = it may be missed in any. */
static const char *const tables[RECORD_KINDS] = {
	[RECORD_TASK] = "",
	[RECORD_CALL] = "cuda_call",
	[RECORD_LAUNCHES] = "aggregate",
	[RECORD_OFF_CPU] = "off_cpu",
	[RECORD_ON_CPU] = "on_cpu",
	[RECORD_PROCESS] = "process_event",
	[RECORD_CPU_SAMPLE] = "cpu_sample",
	[RECORD_STACK] = "",
	[RECORD_BLOCK_IO] = "block_io",
	[RECORD_RECLAIM] = "annotation",
	[RECORD_PAGE_FAULT] = "page_fault",
	[RECORD_PAGE_ALLOC] = "page_alloc",
	[RECORD_SYSCALL] = "syscall",
};

static void doubt(void *context, struct process *process)
{
	struct bpf_recorder *bpf = context;

	if (process->target)
		host_ranges_doubt(bpf->ranges, (uint32_t)process->pid);
}

void bpf_note_losses(struct bpf_recorder *bpf)
{
	struct session *session = bpf->session;
	uint64_t drops[RECORD_KINDS] = {0};
	int64_t from = trace_time(session->writer, bpf->quiet_ns);
	uint64_t looked_ns = clock_ns(CLOCK_MONOTONIC);
	int64_t to;

	programs_drops(bpf->programs, drops);
	to = trace_time(session->writer, clock_ns(CLOCK_MONOTONIC));
	for (unsigned int kind = 1; kind < RECORD_KINDS; kind++) {
		uint64_t lost = drops[kind] - bpf->drops[kind];

		if (!lost)
			continue;
		/* Lost names and stacks leave their events in place. */
		if (tables[kind][0])
			trace_put_gap(session->writer, tables[kind], from, to - from,
				      (int64_t)lost);
		if (kind == RECORD_CALL)
			tasks_each_living(session->tasks, doubt, bpf);
		bpf->drops[kind] = session->progress.drops[kind] = drops[kind];
	}
	bpf->quiet_ns = looked_ns;
}

/* Names and stacks have no table with gaps: what lacks them is found by their absence. */
static void note_lost_texts(struct bpf_recorder *bpf)
{
	struct session *session = bpf->session;
	uint64_t names = bpf->drops[RECORD_TASK];
	uint64_t stacks = bpf->drops[RECORD_STACK] + stacks_lost(session->stacks);

	if (names || stacks)
		session_notice(
			session, "warning",
			"%llu stacks and %llu names of threads were lost: their events are here without them.",
			(unsigned long long)stacks, (unsigned long long)names);
}

/* Tables whose rows are not all there, now that it is known. */
void bpf_write_losses(struct bpf_recorder *bpf)
{
	struct session *session = bpf->session;
	uint64_t mappings = symboliser_refused_mappings(session->symbols);

	note_lost_texts(bpf);
	if (mappings)
		session_notice(
			session, "warning",
			"%llu mappings of code were more than are kept: functions there have addresses only.",
			(unsigned long long)mappings);
	if (bpf->library_gap)
		trace_put_provenance(
			session->writer, "cuda_call", "", "partial", TRACE_NULL,
			"Calls made before a library was probed are missing: see gap. All later ones are there, from entry to return.");
}
