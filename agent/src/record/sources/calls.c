// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* CUDA calls, one by one and counted. */
#include <stdio.h>
#include <string.h>
#include "../bpf/bpf.h"

static int64_t call_name(struct bpf_recorder *bpf, unsigned int function)
{
	const struct cuda_function *known_function = &cuda_functions[function];
	int64_t *id = &bpf->call_names[function];

	if (!*id)
		*id = trace_name(bpf->session->writer,
				 known_function->layer == LAYER_DRIVER ? "DRIVER" : "CUDA",
				 known_function->name);
	return *id;
}

/* Keeps the five slowest of the time since the last progress. */
static void note_slow_call(struct session *session, const struct call_record *record,
			   const struct call_facts *facts)
{
	struct record_progress *progress = &session->progress;
	const unsigned int room = sizeof(progress->slowest) / sizeof(progress->slowest[0]);
	unsigned int at = progress->slowest_count;

	while (at > 0 && progress->slowest[at - 1].duration_ns < record->duration_ns)
		at--;
	if (at >= room || record->parent_id)
		return;
	if (progress->slowest_count < room)
		progress->slowest_count++;
	memmove(&progress->slowest[at + 1], &progress->slowest[at],
		(progress->slowest_count - at - 1) * sizeof(progress->slowest[0]));
	progress->slowest[at] = (struct slow_call){
		.duration_ns = record->duration_ns,
		.bytes = facts->bytes,
		.direction = facts->direction,
		.pid = (pid_t)record->tgid,
	};
	snprintf(progress->slowest[at].name, sizeof(progress->slowest[at].name), "%s",
		 cuda_functions[record->function].name);
}

static void add_call(struct bpf_recorder *bpf, const void *data)
{
	const struct call_record *record = data;
	struct session *session = bpf->session;
	struct task *task = tasks_find(session->tasks, (pid_t)record->header.tid);
	bool finished = !(record->header.flags & (CALL_UNFINISHED | CALL_NO_RETURN));
	int64_t operation, stream = TRACE_NULL, *row;
	struct call_facts facts;

	if (record->function >= cuda_function_count)
		return;
	decode_call(bpf->ranges, record, &facts);
	operation = call_name(bpf, record->function);
	if (task && facts.stream >= 0)
		stream = trace_stream(session->writer, task->process->id, facts.stream);
	row = trace_append(session->writer, TABLE_CUDA_CALL);
	row[CUDA_CALL_CALL_ID] = record->call_id ? row_value(record->call_id) : TRACE_NULL;
	row[CUDA_CALL_START_NS] = trace_time(session->writer, record->start_ns);
	row[CUDA_CALL_DURATION_NS] = row_value(record->duration_ns);
	row[CUDA_CALL_THREAD_ID] = task ? task->id : TRACE_NULL;
	row[CUDA_CALL_LAYER] = cuda_functions[record->function].layer;
	row[CUDA_CALL_BYTES] = facts.bytes >= 0 ? facts.bytes : TRACE_NULL;
	row[CUDA_CALL_DIRECTION] = facts.direction;
	row[CUDA_CALL_HOST_MEMORY] = facts.host_memory;
	row[CUDA_CALL_RETURN_CODE] = finished ? (int32_t)record->return_value : TRACE_NULL;
	row[CUDA_CALL_STACK_ID] = stacks_row(session->stacks, record->stack_id);
	row[CUDA_CALL_PARENT_CALL_ID] = record->parent_id ? row_value(record->parent_id) :
							    TRACE_NULL;
	if (!(record->header.flags & CALL_NO_RETURN)) {
		row[CUDA_CALL_OFF_CPU_NS] = row_value(record->off_cpu_ns);
		row[CUDA_CALL_RUN_QUEUE_NS] = row_value(record->run_queue_ns);
		row[CUDA_CALL_MINOR_FAULTS] = record->minor_faults;
		row[CUDA_CALL_MAJOR_FAULTS] = record->major_faults;
	}
	row[CUDA_CALL_OP_ID] = operation;
	row[CUDA_CALL_STREAM_ID] = stream;
	note_slow_call(session, record, &facts);
	if (task && !task->process->cuda_calls++)
		tasks_describe(session->tasks, task->process);
}

static void add_launches(struct bpf_recorder *bpf, const void *data)
{
	const struct launches_record *record = data;
	struct session *session = bpf->session;
	int64_t source, operation, *row;

	if (record->function >= cuda_function_count)
		return;
	source = trace_name(session->writer, "", "CUDA");
	operation = call_name(bpf, record->function);
	row = trace_append(session->writer, TABLE_AGGREGATE);
	row[AGGREGATE_START_NS] = trace_time(session->writer, record->start_ns);
	row[AGGREGATE_DURATION_NS] = row_value(record->duration_ns);
	row[AGGREGATE_THREAD_ID] = tasks_row(session->tasks, (pid_t)record->header.tid);
	row[AGGREGATE_SOURCE_ID] = source;
	row[AGGREGATE_OP_ID] = operation;
	row[AGGREGATE_COUNT] = record->count;
	row[AGGREGATE_STORED] = record->stored;
	row[AGGREGATE_TOTAL_NS] = row_value(record->total_ns);
	row[AGGREGATE_MIN_NS] = row_value(record->min_ns);
	row[AGGREGATE_MAX_NS] = row_value(record->max_ns);
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
	if (bpf->library_gap)
		trace_put_provenance(
			writer, "cuda_call", "", "partial", TRACE_NULL,
			"Calls made before a library was probed are missing: see gap. All later ones are there, from entry to return.");
}

const struct event_source calls_source = {
	.probe.name = "cuda_calls",
	.probe.uprobes = true,
	.label = "CUDA calls",
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
