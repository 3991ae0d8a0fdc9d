// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Page faults, each with its address and how long it took. */
#include "../bpf/bpf.h"

static void add_page_fault(struct bpf_recorder *bpf, const void *data)
{
	const struct page_fault_record *record = data;
	struct session *session = bpf->session;
	int64_t *row = trace_append(session->writer, TABLE_PAGE_FAULT);

	row[PAGE_FAULT_START_NS] = trace_time(session->writer, record->start_ns);
	row[PAGE_FAULT_DURATION_NS] = row_value(record->duration_ns);
	row[PAGE_FAULT_THREAD_ID] = tasks_row(session->tasks, (pid_t)record->header.tid);
	/* A process may try the kernel's: where that lies is not for the file. */
	if (!(record->address >> 63))
		row[PAGE_FAULT_ADDRESS] = (int64_t)record->address;
	row[PAGE_FAULT_MAJOR] = (record->header.flags & FAULT_MAJOR) != 0;
}

const struct event_source page_faults_source = {
	.probe.name = "page_faults",
	.probe.programs =
		{
			{"page_fault_user", "page_fault_user", NEEDED},
			{"page_fault_kernel", "page_fault_kernel", BETTER},
			{"minor_fault", NULL, NEEDED},
			{"major_fault", NULL, NEEDED},
		},
	.probe.perf_events = true,
	.probe.attach = attach_fault_counters,
	.label = "Page faults",
	.sees = "Page faults, each timed (on request)",
	.profile = "faults",
	.help = "every page fault, timed: +10.7 % run time (95 % interval 6 to 14);\n"
		"0.45 to 0.55 us a fault, 0.27 us in every other process",
	.records = {{
		.kind = RECORD_PAGE_FAULT,
		.name = "page_fault",
		.least_bytes = sizeof(struct page_fault_record),
		.table = "page_fault",
		.add = add_page_fault,
	}},
	.provenance = {{
		.table = "page_fault",
		.kind = "exact",
		.note = "Every user page fault of the traced threads.",
	}},
};
