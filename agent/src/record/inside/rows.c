// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Calls and what explains them, from the ring into rows. */
#include <string.h>
#include "inside.h"

static void remember(struct inside_recorder *inside, struct inside_process *process,
		     struct call_record *call, uint32_t correlation)
{
	struct remembered_call *place = &process->calls[correlation % REMEMBERED_CALLS];

	if (!correlation)
		return;
	if (!call->call_id)
		call->call_id = ++inside->last_call_id;
	*place = (struct remembered_call){.correlation = correlation, .call_id = call->call_id};
}

/* What both recorders of calls write: as if BPF had seen it. */
static void begin_call(struct call_record *out, const struct inside_process *process,
		       const struct task *task, uint16_t function, const __u64 *words)
{
	*out = (struct call_record){
		.header.tid = task ? (uint32_t)task->tid : 0,
		.tgid = (uint32_t)process->pid,
		.function = function,
	};
	memcpy(out->arguments, words, sizeof(out->arguments));
	memcpy(out->extra, words + CALL_ARGUMENTS, sizeof(out->extra));
}

static void put(struct inside_recorder *inside, struct inside_process *process,
		struct call_record *call, struct call_row *row, uint32_t correlation,
		const __u32 *inner)
{
	row->record = call;
	row->correlation = correlation ? correlation : TRACE_NULL;
	remember(inside, process, call, correlation);
	for (unsigned int i = 0; inner && i < INSIDE_INNER; i++)
		remember(inside, process, call, inner[i]);
	decode_call(inside->ranges, call, &row->facts);
	call_row_add(inside->session, &inside->call_names, row);
}

static void adopt_seen(struct inside_recorder *inside, struct inside_process *process,
		       struct call_record *call, struct call_row *row)
{
	uint64_t stack_id;

	if (!inside_adopt_seen(process, call, &stack_id))
		return;
	row->has_sums = row->has_queue = true;
	if (row->stack_row == TRACE_NULL)
		row->stack_row = stacks_row(inside->session->stacks, stack_id);
}

static void count_accounts(struct inside_recorder *inside, const struct inside_call *call)
{
	bool has_sums = call->header.flags & INSIDE_CALL_SUMS;

	if ((call->header.flags & INSIDE_CALL_LEFT) ||
	    (cuda_functions[call->function].spec.flags & FUNCTION_LAUNCH))
		return;
	inside->accounts.calls++;
	inside->accounts.without_sums += !has_sums;
	inside->accounts.without_queue += !has_sums || !(call->header.flags & INSIDE_CALL_QUEUE);
}

static void add_call(struct inside_recorder *inside, struct inside_process *process,
		     const struct inside_call *from)
{
	struct task *task = inside_task(inside, process, from->header.tid);
	struct call_row row = {
		.task = task,
		.returned = !(from->header.flags & INSIDE_CALL_LEFT),
		.has_sums = from->header.flags & INSIDE_CALL_SUMS,
		.has_queue = from->header.flags & INSIDE_CALL_QUEUE,
		.stack_row =
			stacks_row(inside->session->stacks,
				   from->stack_id ? from->stack_id ^ (uint64_t)process->pid : 0),
	};
	struct call_record call;

	if (from->function >= cuda_function_count)
		return;
	count_accounts(inside, from);
	begin_call(&call, process, task, from->function, from->words);
	call.header.flags = row.returned ? 0 : CALL_UNFINISHED;
	call.start_ns = from->start_ns;
	call.duration_ns = from->duration_ns;
	call.return_value = (uint64_t)(int64_t)from->result;
	call.out_value = from->out_value;
	call.off_cpu_ns = from->off_cpu_ns;
	call.run_queue_ns = from->run_queue_ns;
	call.minor_faults = from->minor_faults;
	call.major_faults = from->major_faults;
	adopt_seen(inside, process, &call, &row);
	put(inside, process, &call, &row, from->correlation, from->inner);
}

void inside_add_seen(struct inside_recorder *inside, struct inside_process *process,
		     const struct call_record *call)
{
	bool whole = !(call->header.flags & CALL_NO_RETURN);
	struct call_record copy = *call;
	struct call_row row = {
		.task = tasks_find(inside->session->tasks, (pid_t)call->header.tid),
		.returned = whole && !(call->header.flags & CALL_UNFINISHED),
		.has_sums = whole,
		.has_queue = whole,
		.stack_row = stacks_row(inside->session->stacks, call->stack_id),
	};

	put(inside, process, &copy, &row, 0, NULL);
}

void inside_add_unfinished(struct inside_recorder *inside, struct inside_process *process,
			   const struct inside_slot *slot, uint64_t end_ns)
{
	struct task *task = inside_task(inside, process, slot->tid);
	struct call_row row = {.task = task, .stack_row = TRACE_NULL};
	struct call_record call;

	if (slot->function >= cuda_function_count || slot->start_ns > end_ns)
		return;
	begin_call(&call, process, task, slot->function, slot->words);
	call.header.flags = CALL_UNFINISHED;
	call.start_ns = slot->start_ns;
	call.duration_ns = end_ns - slot->start_ns;
	adopt_seen(inside, process, &call, &row);
	put(inside, process, &call, &row, slot->correlation, slot->inner);
}

void inside_add_launches(struct inside_recorder *inside, struct inside_process *process,
			 uint32_t tid, const struct inside_bucket *bucket)
{
	struct task *task;
	struct launches_record record = {
		.start_ns = bucket->start_ns,
		.duration_ns = bucket->last_ns - bucket->start_ns,
		.total_ns = bucket->total_ns,
		.min_ns = bucket->min_ns,
		.max_ns = bucket->max_ns,
		.count = bucket->count,
		.stored = bucket->stored,
		.tgid = (uint32_t)process->pid,
		.function = bucket->function,
	};

	if (bucket->count <= bucket->stored || bucket->function >= cuda_function_count ||
	    bucket->last_ns < bucket->start_ns)
		return;
	inside->counted_launches += bucket->count - bucket->stored;
	task = inside_task(inside, process, tid);
	record.header.tid = task ? (uint32_t)task->tid : 0;
	launches_row_add(inside->session, &inside->call_names, &record);
}

void inside_add(struct inside_recorder *inside, struct inside_process *process,
		const struct record_header *record)
{
	inside->session->progress.events++;
	if (record->kind == INSIDE_CALL)
		add_call(inside, process, (const struct inside_call *)record);
	else if (record->kind == INSIDE_WORK)
		inside_add_work(inside, process, (const struct inside_work *)record);
	else if (record->kind == INSIDE_LAUNCHES)
		inside_add_launches(inside, process, record->tid,
				    &((const struct inside_launches *)record)->bucket);
}

/* CUPTI and CUDA call each other above the call: frames of theirs that come first say nothing. */
static bool is_of_cuda(const char *file)
{
	static const char *const libraries[] = {"libcupti.so", "libcudart.so", "libcuda.so"};
	const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;

	for (size_t i = 0; i < sizeof(libraries) / sizeof(libraries[0]); i++)
		if (!strncmp(name, libraries[i], strlen(libraries[i])))
			return true;
	return false;
}

static void drop_frames_of_cuda(struct inside_recorder *inside, struct inside_process *process,
				const struct process *row, struct stack_record *stack)
{
	struct session *session = inside->session;
	unsigned int drop = 0;

	while (drop < stack->user_frames) {
		const struct mapping *mapping =
			symboliser_find(session->symbols, (uint64_t)row->id, stack->frames[drop]);

		if (!mapping && session->now_ns - process->mapped_ns > NS_PER_SECOND / 5) {
			process->mapped_ns = session->now_ns;
			symboliser_read_process(session->symbols, (uint64_t)row->id, process->pid);
			continue;
		}
		if (!mapping || !is_of_cuda(mapping->file))
			break;
		drop++;
	}
	stack->user_frames = (uint16_t)(stack->user_frames - drop);
	memmove(stack->frames, stack->frames + drop,
		(stack->user_frames + 2 * (size_t)stack->python_frames) * sizeof(__u64));
}

static bool is_whole(const struct stack_record *stack)
{
	size_t frames = (size_t)stack->user_frames + 2 * (size_t)stack->python_frames;

	return !stack->kernel_frames && stack->user_frames <= USER_FRAMES &&
	       stack->python_frames <= PYTHON_FRAMES &&
	       stack->header.size >= offsetof(struct stack_record, frames) + frames * sizeof(__u64);
}

static void define_stack(struct inside_recorder *inside, struct inside_process *process,
			 const struct stack_record *from)
{
	struct process *row = inside_process_row(inside, process);
	struct task *task = inside_task(inside, process, from->header.tid);
	struct stack_record stack;

	if (!row || !is_whole(from))
		return;
	memcpy(&stack, from, from->header.size < sizeof(stack) ? from->header.size : sizeof(stack));
	/* Two processes may number theirs alike. */
	stack.id = from->id ^ (uint64_t)process->pid;
	drop_frames_of_cuda(inside, process, row, &stack);
	tasks_tell(inside->session->tasks, row, task ? task->tid : process->pid,
		   stacks_add(inside->session->stacks, row, &stack, inside->session->now_ns));
}

static void define_stream(struct inside_process *process, const struct inside_stream *from)
{
	unsigned int i = 0;

	while (i < process->stream_count && (process->streams[i].context != from->context ||
					     process->streams[i].stream != from->stream))
		i++;
	if (i == MOST_STREAMS)
		return;
	process->streams[i].context = from->context;
	process->streams[i].stream = from->stream;
	process->streams[i].handle = from->handle;
	process->stream_count += i == process->stream_count;
}

static void define_device(struct inside_recorder *inside, struct inside_process *process,
			  const struct inside_device *from)
{
	char bus_id[sizeof(from->pci_bus_id) + 1] = {0};

	if (from->device >= MOST_DEVICES)
		return;
	memcpy(bus_id, from->pci_bus_id, sizeof(from->pci_bus_id));
	process->gpus[from->device] =
		1 + trace_gpu_of_bus(inside->session->writer, bus_id, from->device);
}

void inside_define(struct inside_recorder *inside, struct inside_process *process,
		   const struct record_header *record)
{
	const struct inside_clock *clock = (const struct inside_clock *)record;

	switch (record->kind) {
	case INSIDE_NAME:
		inside_define_name(inside, (const struct inside_name *)record);
		break;
	case INSIDE_STREAM:
		define_stream(process, (const struct inside_stream *)record);
		break;
	case INSIDE_DEVICE:
		define_device(inside, process, (const struct inside_device *)record);
		break;
	case INSIDE_STACK:
		define_stack(inside, process, (const struct stack_record *)record);
		break;
	default:
		process->clocks[0] = process->clocks[1];
		process->clocks[1] = (struct clock_pair){clock->cupti_ns, clock->monotonic_ns};
	}
}
