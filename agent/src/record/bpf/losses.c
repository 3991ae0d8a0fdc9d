// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* What found no room on its way here. */
#include "bpf.h"

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
		const struct record_type *type = bpf->types[kind];
		uint64_t lost = type ? drops[kind] - *bpf->losses[kind] : 0;

		if (!lost)
			continue;
		if (type->table)
			trace_put_gap(session->writer, type->table, from, to - from, (int64_t)lost);
		if (type->lost)
			type->lost(bpf);
		*bpf->losses[kind] = drops[kind];
	}
	bpf->quiet_ns = looked_ns;
}

/* Names and stacks have no table with gaps: what lacks them is found by their absence. */
static void note_lost_texts(struct bpf_recorder *bpf)
{
	struct session *session = bpf->session;
	uint64_t names = *bpf->losses[RECORD_TASK];
	uint64_t stacks = *bpf->losses[RECORD_STACK] + stacks_lost(session->stacks);

	if (names || stacks)
		session_notice(
			session, "warning",
			"%llu stacks and %llu names of threads were lost: their events are here without them.",
			(unsigned long long)stacks, (unsigned long long)names);
}

/* What is missing without a gap, now that it is known. */
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
}
