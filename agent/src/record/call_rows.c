// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "call_rows.h"

#include <stdio.h>
#include <string.h>

static int64_t call_name(struct session *session, struct call_names *names, unsigned int function)
{
	const struct cuda_function *known = &cuda_functions[function];
	int64_t *id = &names->ids[function];

	if (!*id)
		*id = trace_name(session->writer, known->layer == LAYER_DRIVER ? "DRIVER" : "CUDA",
				 known->name);
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

static void fill(struct session *session, int64_t *out, const struct call_row *row)
{
	const struct call_record *record = row->record;

	out[CUDA_CALL_CALL_ID] = record->call_id ? row_value(record->call_id) : TRACE_NULL;
	out[CUDA_CALL_START_NS] = trace_time(session->writer, record->start_ns);
	out[CUDA_CALL_DURATION_NS] = row_value(record->duration_ns);
	out[CUDA_CALL_THREAD_ID] = row->task ? row->task->id : TRACE_NULL;
	out[CUDA_CALL_LAYER] = cuda_functions[record->function].layer;
	out[CUDA_CALL_BYTES] = row->facts.bytes >= 0 ? row->facts.bytes : TRACE_NULL;
	out[CUDA_CALL_DIRECTION] = row->facts.direction;
	out[CUDA_CALL_HOST_MEMORY] = row->facts.host_memory;
	out[CUDA_CALL_RETURN_CODE] = row->returned ? (int32_t)record->return_value : TRACE_NULL;
	out[CUDA_CALL_STACK_ID] = row->stack_row;
	out[CUDA_CALL_PARENT_CALL_ID] = record->parent_id ? row_value(record->parent_id) :
							    TRACE_NULL;
	out[CUDA_CALL_CORRELATION] = row->correlation;
	if (row->has_sums) {
		out[CUDA_CALL_OFF_CPU_NS] = row_value(record->off_cpu_ns);
		out[CUDA_CALL_MINOR_FAULTS] = record->minor_faults;
		out[CUDA_CALL_MAJOR_FAULTS] = record->major_faults;
	}
	if (row->has_queue)
		out[CUDA_CALL_RUN_QUEUE_NS] = row_value(record->run_queue_ns);
}

void call_row_add(struct session *session, struct call_names *names, const struct call_row *row)
{
	int64_t operation = call_name(session, names, row->record->function);
	struct process *process = row->task ? row->task->process : NULL;
	int64_t stream = TRACE_NULL, *out;

	if (process && row->facts.stream >= 0)
		stream = trace_stream(session->writer, process->id, row->facts.stream);
	out = trace_append(session->writer, TABLE_CUDA_CALL);
	fill(session, out, row);
	out[CUDA_CALL_OP_ID] = operation;
	out[CUDA_CALL_STREAM_ID] = stream;
	note_slow_call(session, row->record, &row->facts);
	if (process && !process->cuda_calls++)
		tasks_describe(session->tasks, process);
}

void launches_row_add(struct session *session, struct call_names *names,
		      const struct launches_record *record)
{
	int64_t source = trace_name(session->writer, "", "CUDA");
	int64_t operation = call_name(session, names, record->function), *row;

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
