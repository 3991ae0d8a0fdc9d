// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Reclaim: a thread that wants memory has to find some first, in the machine or in its control group. */
#include "../bpf/bpf.h"

static void add_reclaim(struct bpf_recorder *bpf, const void *data)
{
	const struct reclaim_record *record = data;
	struct session *session = bpf->session;
	bool of_group = record->header.flags & RECLAIM_OF_GROUP;
	int64_t operation =
		trace_name(session->writer, "HOST",
			   of_group ? "reclaim in the control group" : "direct reclaim");
	int64_t category = trace_name(session->writer, "", "kernel");
	int64_t *row = trace_append(session->writer, TABLE_RANGE);

	row[RANGE_START_NS] = trace_time(session->writer, record->start_ns);
	row[RANGE_DURATION_NS] = row_value(record->duration_ns);
	row[RANGE_THREAD_ID] = tasks_row(session->tasks, (pid_t)record->header.tid);
	row[RANGE_OP_ID] = operation;
	row[RANGE_CATEGORY_ID] = category;
}

const struct event_source reclaim_source = {
	.probe.name = "reclaim",
	.probe.programs =
		{
			{"direct_reclaim_begin", "mm_vmscan_direct_reclaim_begin", NEEDED},
			{"direct_reclaim_end", "mm_vmscan_direct_reclaim_end", NEEDED},
			{"group_reclaim_begin", "mm_vmscan_memcg_reclaim_begin", BETTER},
			{"group_reclaim_end", "mm_vmscan_memcg_reclaim_end", BETTER},
		},
	.label = "Memory reclaim",
	.sees = "Memory reclaim",
	.records = {{
		.kind = RECORD_RECLAIM,
		.name = "reclaim",
		.least_bytes = sizeof(struct reclaim_record),
		.table = "range",
		.add = add_reclaim,
	}},
	.provenance = {{
		.table = "range",
		.kind = "exact",
		.note = "Reclaim of memory by the traced threads, in the machine or in their control group.",
	}},
};
