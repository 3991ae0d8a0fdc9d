// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Pages that the kernel gave the threads, added up. */
#include "../bpf/bpf.h"

static void add_page_alloc(struct bpf_recorder *bpf, const void *data)
{
	const struct page_alloc_record *record = data;
	struct session *session = bpf->session;
	int64_t *row = trace_append(session->writer, TABLE_PAGE_ALLOC);

	row[PAGE_ALLOC_START_NS] = trace_time(session->writer, record->start_ns);
	row[PAGE_ALLOC_THREAD_ID] = tasks_row(session->tasks, (pid_t)record->header.tid);
	row[PAGE_ALLOC_BYTES] = row_value(record->bytes);
}

static uint64_t period_ns(const struct record_options *options)
{
	return PAGE_ALLOC_INTERVAL_NS;
}

const struct event_source page_allocs_source = {
	.probe.name = "page_allocs",
	.probe.programs = {{"mm_page_alloc", "mm_page_alloc", NEEDED}},
	.label = "Page allocations",
	.sees = "Page allocations (on request)",
	.profile = "page-allocs",
	.help = "pages given to the job: +4.7 % (0 to 8); 0.1 us an allocation, machine-wide",
	.records = {{
		.kind = RECORD_PAGE_ALLOC,
		.name = "page_alloc",
		.least_bytes = sizeof(struct page_alloc_record),
		.table = "page_alloc",
		.add = add_page_alloc,
	}},
	.provenance = {{
		.table = "page_alloc",
		.kind = "aggregated",
		.note = "Pages given to the traced threads, added up for each thread.",
		.every_ns = period_ns,
	}},
};
