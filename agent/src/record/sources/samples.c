// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* CPU samples: where each thread was, by a timer on each CPU. */
#include "../bpf/bpf.h"

static void add_sample(struct bpf_recorder *bpf, const void *data)
{
	const struct cpu_sample_record *record = data;
	struct session *session = bpf->session;
	int64_t *row = trace_append(session->writer, TABLE_CPU_SAMPLE);

	row[CPU_SAMPLE_START_NS] = trace_time(session->writer, record->time_ns);
	row[CPU_SAMPLE_THREAD_ID] = tasks_row(session->tasks, (pid_t)record->header.tid);
	row[CPU_SAMPLE_MODE] = record->header.flags;
	row[CPU_SAMPLE_STACK_ID] = stacks_row(session->stacks, record->stack_id);
}

static uint64_t period_ns(const struct record_options *options)
{
	return NS_PER_SECOND / options->samples_per_second;
}

const struct event_source samples_source = {
	.probe.name = "cpu_samples",
	.probe.programs = {{"sample_cpu", NULL, NEEDED}},
	.probe.perf_events = true,
	.probe.attach = attach_cpu_clock,
	.label = "CPU samples",
	.sees = "What code runs: samples of native and Python stacks",
	.records = {{
		.kind = RECORD_CPU_SAMPLE,
		.name = "cpu_sample",
		.least_bytes = sizeof(struct cpu_sample_record),
		.table = "cpu_sample",
		.add = add_sample,
	}},
	.provenance = {{
		.table = "cpu_sample",
		.kind = "sampled",
		.note = "What the traced threads did on the CPU, by a timer on each CPU.",
		.every_ns = period_ns,
	}},
};
