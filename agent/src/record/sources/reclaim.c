// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Direct reclaim: a thread that wants memory has to find some first. */
#include "../bpf/bpf.h"

static void add_reclaim(struct bpf_recorder *bpf, const void *data)
{
	const struct reclaim_record *record = data;
	struct session *session = bpf->session;
	int64_t operation = trace_name(session->writer, "HOST", "direct reclaim");
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
		.note = "Direct reclaim of memory by the traced threads.",
	}},
};
