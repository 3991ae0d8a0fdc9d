// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* CUDA calls, one by one and counted. */
#include "../bpf/bpf.h"

static void add_call(struct bpf_recorder *bpf, const void *data)
{
	const struct call_record *record = data;
	struct session *session = bpf->session;
	struct task *task = tasks_find(session->tasks, (pid_t)record->header.tid);
	struct call_row row = {
		.record = record,
		.task = task,
		.stack_row = stacks_row(session->stacks, record->stack_id),
		.correlation = TRACE_NULL,
	};

	if (record->function >= cuda_function_count || session_take_call(session, record))
		return;
	if (cuda_functions[record->function].spec.flags & FUNCTION_LAUNCH)
		bpf_count_launches(bpf, task, 1, record->start_ns);
	row.returned = !(record->header.flags & (CALL_UNFINISHED | CALL_NO_RETURN));
	row.has_sums = row.has_queue = !(record->header.flags & CALL_NO_RETURN);
	decode_call(bpf->ranges, record, &row.facts);
	call_row_add(session, &bpf->call_names, &row);
}

static void add_launches(struct bpf_recorder *bpf, const void *data)
{
	struct launches_record counted = *(const struct launches_record *)data;
	const struct launches_record *record = &counted;
	/* As one call at its end: none was launched before CUDA was initialised. */
	const struct call_record last = {
		.start_ns = record->start_ns + record->duration_ns,
		.tgid = record->tgid,
		.function = record->function,
	};

	if (record->function >= cuda_function_count || session_take_call(bpf->session, &last))
		return;
	counted.duration_ns = bpf_length_in_window(bpf, record->start_ns, record->duration_ns);
	bpf_count_launches(bpf, tasks_find(bpf->session->tasks, (pid_t)record->header.tid),
			   record->count - record->stored, record->start_ns + counted.duration_ns);
	launches_row_add(bpf->session, &bpf->call_names, record);
}

static void doubt(void *context, struct process *process)
{
	struct bpf_recorder *bpf = context;

	if (process->target)
		host_ranges_doubt(bpf->ranges, (uint32_t)process->pid);
}

/* What the lost ones did to the memory of their processes is not known. */
static void doubt_all(struct bpf_recorder *bpf)
{
	tasks_each_living(bpf->session->tasks, doubt, bpf);
}

#define HOST_MEMORY_NOTE \
	"From the allocations and registrations seen: pageable is said only of processes traced from their first instruction."

/* What was said with care at the begin, now that nothing has to be guessed; and what was missed. */
static void settle(struct bpf_recorder *bpf)
{
	struct trace_writer *writer = bpf->session->writer;

	if (!host_ranges_inferred(bpf->ranges))
		trace_put_provenance(writer, "cuda_call", "host_memory", "exact", TRACE_NULL,
				     HOST_MEMORY_NOTE);
	if (bpf->session->calls_missed)
		trace_put_provenance(
			writer, "cuda_call", "", "partial", TRACE_NULL,
			bpf->session->launches_missed ?
				"Calls made before a library was probed are missing, and launches between the windows in which these were probed, with those that reach into such a gap: see gap. All other later ones are there, from entry to return." :
				"Calls made before a library was probed are missing: see gap. All later ones are there, from entry to return.");
	bpf_describe_windows(bpf);
}

const struct event_source calls_source = {
	.probe.name = "cuda_calls",
	.probe.uprobes = true,
	.label = "CUDA calls",
	.sees = "CUDA calls: duration, bytes, caller and stack of each",
	.essential = true,
	.records =
		{
			{
				.kind = RECORD_CALL,
				.name = "call",
				.least_bytes = sizeof(struct call_record),
				.table = "cuda_call",
				.add = add_call,
				.lost = doubt_all,
			},
			{
				.kind = RECORD_LAUNCHES,
				.name = "launches",
				.least_bytes = sizeof(struct launches_record),
				.table = "aggregate",
				.add = add_launches,
			},
		},
	.provenance =
		{
			{
				.table = "cuda_call",
				.kind = "exact",
				.note = "Every probed CUDA call of the traced processes, from entry to return. Launches above a rate are counted in aggregate.",
			},
			{
				.table = "cuda_call",
				.column = "host_memory",
				.kind = "inferred",
				.note = HOST_MEMORY_NOTE,
			},
		},
	.settle = settle,
};
