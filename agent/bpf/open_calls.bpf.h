/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The calls a thread is in: kept from their entry to their return. */
#ifndef STALLTRACE_OPEN_CALLS_BPF_H
#define STALLTRACE_OPEN_CALLS_BPF_H

#include "state.bpf.h"
#include "tasks.bpf.h"
#include "registers.bpf.h"

/* Two probes on one instruction run this close behind each other, no two calls do. */
#define SAME_ENTRY_NS 300

/* Index into user space's function table → what to do. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, MAX_FUNCTIONS);
	__type(key, __u32);
	__type(value, struct function_spec);
} functions SEC(".maps");

/* Last call_id given out. User space begins it so that ids that others give are not given again. */
__u64 last_call_id = 0;
/* How many processes are in left_calls: without any, calls cost no look there. */
volatile __u32 left_processes = 0;
/*
 * Counted up before the probes of launches are taken away, and once all of them are back: while it is odd, launches are
 * not recorded, whichever of their probes are still there, or there again.
 */
volatile __u32 launch_probes = 0;

/* A launch that was under way when its probes were taken away: its return may not be told. */
static __always_inline bool is_abandoned(const struct open_call *call)
{
	return call->flags & FUNCTION_LAUNCH && call->launch_probes != launch_probes;
}

/* Of a call that is still open, those inside it are recorded to its end. */
static __always_inline bool is_left(const struct thread *thread, struct task_struct *task)
{
	__u32 tgid = task->tgid;

	return left_processes && !thread->depth && bpf_map_lookup_elem(&left_calls, &tgid);
}

static __always_inline void read_fields(const struct function_spec *spec, __u64 *words)
{
	__u32 fields = spec->fields;
	__u64 base = words[spec->argument & (CALL_WORDS - 1)];

	for (__u32 i = 0; i < MAX_FIELDS; i++) {
		__u32 word = CALL_WORDS - fields + i;

		if (i >= fields)
			break;
		if (i == 0 && fields == MAX_FIELDS)
			word = spec->argument;
		words[word & (CALL_WORDS - 1)] = read_word(base + spec->offset[i]);
	}
}

static __always_inline void read_words(const struct registers *registers,
				       const struct function_spec *spec, __u64 *words)
{
	read_arguments(registers, words);
	words[6] = words[7] = 0;
	if (spec->flags & FUNCTION_STACK_ARGUMENTS) {
		words[6] = read_further_argument(registers, spec->argument);
		words[7] = read_further_argument(registers, spec->argument + 1);
	}
	if (spec->flags & FUNCTION_DEREFERENCE)
		read_fields(spec, words);
}

static __always_inline struct open_call *call_at(struct thread *thread, __u32 index)
{
	return &thread->calls[index & (CALL_DEPTH - 1)];
}

/* There is at most one: a launch within a launch is not kept. */
static __always_inline void drop_abandoned_launch(struct thread *thread)
{
	__u32 depth = thread->depth;

	if (depth && is_abandoned(call_at(thread, depth - 1)))
		thread->depth = depth - 1;
}

/* Where its return is never told, its record is lost. */
static __always_inline void count_left_call(const struct open_call *call)
{
	if (call->start_ns && !is_abandoned(call))
		count_drop(RECORD_CALL);
}

/* Of the call around the one at `depth`; one that has no record of its own is nobody's parent. */
static __always_inline __u64 parent_id_at(struct thread *thread, __u32 depth)
{
	const struct open_call *outer = call_at(thread, depth - 1);

	return depth && !is_abandoned(outer) ? outer->call_id : 0;
}

/*
 * Forgets the calls that an exception or longjmp has left: a frame at or below the stack pointer of a
 * function just entered no longer exists – but for a function that jumped here as its last act, whose
 * frame this one took over.
 */
static __always_inline void drop_left_calls(struct thread *thread, struct task_struct *task,
					    __u64 stack_pointer, __u64 caller, __u32 function)
{
	for (int i = 0; i < CALL_DEPTH; i++) {
		__u32 depth = thread->depth;
		struct open_call *top = call_at(thread, depth - 1);

		if (!depth || top->stack_pointer > stack_pointer)
			break;
		if (top->stack_pointer == stack_pointer) {
			if (top->function != function &&
			    (caller == top->caller || is_return_trampoline(task, caller)))
				break;
			/* Met twice: one file is probed under two names (an overlay's). */
			if (top->function == function && top->caller == caller &&
			    bpf_ktime_get_ns() - top->start_ns < SAME_ENTRY_NS)
				top->start_ns = 0;
		}
		count_left_call(top);
		thread->depth = depth - 1;
	}
}

/* Room for a call that begins; NULL where it is not to be kept. */
static __always_inline struct open_call *push_call(struct thread *thread,
						   const struct function_spec *spec)
{
	__u32 depth = thread->depth;
	struct open_call *outer = call_at(thread, depth - 1);

	if (depth >= CALL_DEPTH) {
		count_drop(RECORD_CALL);
		return NULL;
	}
	if (depth) {
		if (spec->flags & outer->flags & FUNCTION_LAUNCH)
			return NULL;
		if (!outer->call_id)
			outer->call_id = __sync_fetch_and_add(&last_call_id, 1) + 1;
	}
	thread->depth = depth + 1;
	return call_at(thread, depth);
}

/* 1 = the return is of no interest. */
static __always_inline int enter_call(const struct registers *registers, __u32 function)
{
	__u64 stack_pointer = entry_stack_pointer(registers), caller;
	struct function_spec *spec = bpf_map_lookup_elem(&functions, &function);
	struct task_struct *task = bpf_get_current_task_btf();
	/* Read once: what is begun between two of them would belong to both. */
	__u32 probes = launch_probes;
	struct thread *thread;
	struct open_call *call;

	if (!recording || !spec)
		return 1;
	thread = target_thread(task);
	if (!thread)
		return 1;
	thread->submits = 1;
	drop_abandoned_launch(thread);
	if (is_left(thread, task) || (spec->flags & FUNCTION_LAUNCH && probes & 1))
		return 1;
	caller = entry_caller(registers);
	drop_left_calls(thread, task, stack_pointer, caller, function);
	call = push_call(thread, spec);
	if (!call)
		return 1;
	call->stack_pointer = stack_pointer;
	call->call_id = 0;
	call->entry_address = instruction_pointer(registers);
	call->caller = caller;
	call->function = function;
	call->flags = spec->flags;
	call->launch_probes = probes;
	read_words(registers, spec, call->words);
	call->off_cpu_ns = thread->off_cpu_ns;
	call->run_queue_ns = thread->run_queue_ns;
	call->minor_faults = task->min_flt;
	call->major_faults = task->maj_flt;
	call->start_ns = bpf_ktime_get_ns();
	return 0;
}

/* The function's open call whose frame this return ends; those inside it were left. NULL = none. */
static __always_inline struct open_call *pop_call(struct thread *thread, __u64 stack_pointer,
						  __u32 function, __u64 *parent_id)
{
	for (int i = 0; i < CALL_DEPTH; i++) {
		__u32 depth = thread->depth;
		struct open_call *top = call_at(thread, depth - 1);

		if (!depth || top->stack_pointer > stack_pointer)
			return NULL;
		thread->depth = depth - 1;
		if (top->stack_pointer == stack_pointer && top->function == function) {
			*parent_id = parent_id_at(thread, depth - 1);
			return top;
		}
		count_left_call(top);
	}
	return NULL;
}

#endif /* STALLTRACE_OPEN_CALLS_BPF_H */
