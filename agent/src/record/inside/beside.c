// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Beside BPF's probes: who stores a call that both see. It is stored from inside, which knows the GPU's number
 * of it; but for the one in which CUDA was initialised, which began before: that has BPF's times, and ours is
 * the number.
 */
#include "inside.h"

static struct inside_process *find_process(struct inside_recorder *inside, uint32_t pid)
{
	for (unsigned int i = 0; i < inside->process_count; i++)
		if ((uint32_t)inside->processes[i]->pid == pid)
			return inside->processes[i];
	return NULL;
}

struct inside_span inside_span(const struct inside_process *process)
{
	struct inside_header *header = process->ring;
	uint64_t yielded_ns = atomic_load(&header->yielded_ns);

	return (struct inside_span){
		.from_ns = atomic_load(&header->recording_ns),
		.until_ns = yielded_ns ? yielded_ns : UINT64_MAX,
	};
}

static bool ends_in(const struct inside_span *span, const struct call_record *call)
{
	return span->from_ns && call->start_ns + call->duration_ns > span->from_ns &&
	       call->start_ns < span->until_ns;
}

/* Of a process that is not drained any more, or was another program before. */
static bool was_taken(struct inside_recorder *inside, const struct call_record *call)
{
	const struct process *row = tasks_find_process(inside->session->tasks, (pid_t)call->tgid);

	return row && ends_in(&row->inside, call) && call->start_ns >= row->inside.from_ns;
}

bool inside_take_call(void *state, const struct call_record *call)
{
	struct inside_recorder *inside = state;
	struct inside_process *process = find_process(inside, call->tgid);
	struct inside_span span = {0};

	if (process)
		span = inside_span(process);
	if (!ends_in(&span, call))
		return was_taken(inside, call);
	if (call->start_ns >= span.from_ns && !call->parent_id)
		return true;
	if (process->seen_count == MOST_SEEN_CALLS)
		return call->start_ns >= span.from_ns;
	process->seen[process->seen_count++] = *call;
	return true;
}

/* What a probe sees begins before and ends after what CUPTI tells of it; of one that has not returned no end is known. */
static bool is_of(const struct call_record *call, const struct call_record *seen)
{
	uint64_t end_ns = call->header.flags & CALL_UNFINISHED ? call->start_ns :
								 call->start_ns + call->duration_ns;

	return seen->header.tid == call->header.tid && seen->function == call->function &&
	       seen->start_ns <= call->start_ns && end_ns <= seen->start_ns + seen->duration_ns;
}

bool inside_adopt_seen(struct inside_process *process, struct call_record *call, uint64_t *stack_id)
{
	for (unsigned int i = 0; i < process->seen_count; i++) {
		struct call_record *seen = &process->seen[i];

		if (!is_of(call, seen))
			continue;
		call->parent_id = seen->parent_id;
		*stack_id = seen->stack_id;
		if (seen->start_ns < inside_span(process).from_ns) {
			uint64_t number = call->call_id;

			*call = *seen;
			call->call_id = seen->call_id ? seen->call_id : number;
		}
		*seen = process->seen[--process->seen_count];
		return true;
	}
	return false;
}

void inside_settle_seen(struct inside_recorder *inside, struct inside_process *process,
			uint64_t before_ns)
{
	uint64_t from_ns = inside_span(process).from_ns;
	unsigned int kept = 0;

	for (unsigned int i = 0; i < process->seen_count; i++) {
		struct call_record *seen = &process->seen[i];

		if (seen->start_ns + seen->duration_ns > before_ns)
			process->seen[kept++] = *seen;
		else if (seen->start_ns < from_ns)
			inside_add_seen(inside, process, seen);
	}
	process->seen_count = kept;
}

void inside_leave_calls(struct inside_recorder *inside, struct inside_process *process)
{
	struct inside_span span = inside_span(process);
	bool left = span.from_ns && span.until_ns == UINT64_MAX && !process->ended;

	if (!inside->beside_probes || left == process->left)
		return;
	process->left = left;
	session_leave_calls(inside->session, process->pid, left);
	if (!left)
		process->probed_ns = clock_ns(CLOCK_MONOTONIC);
}

void inside_remember_span(struct inside_recorder *inside, struct inside_process *process)
{
	struct process *row = tasks_find_process(inside->session->tasks, process->pid);

	if (row)
		row->inside = inside_span(process);
	if (row && row->inside.until_ns == UINT64_MAX)
		row->inside.until_ns = clock_ns(CLOCK_MONOTONIC);
}
