/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* CUDA calls: entry and return of the probed functions, by whichever kind of probe there is. */
#ifndef STALLTRACE_CALLS_BPF_H
#define STALLTRACE_CALLS_BPF_H

#include "state.bpf.h"
#include "stacks.bpf.h"
#include "tasks.bpf.h"
#include "registers.bpf.h"

#define BUCKET_NS 100000000ULL
/* Two probes on one instruction run this close behind each other, no two calls do. */
#define SAME_ENTRY_NS 300
/* Index into user space's function table → what to do. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, MAX_FUNCTIONS);
	__type(key, __u32);
	__type(value, struct function_spec);
} functions SEC(".maps");

/* Last call_id given out. */
__u64 last_call_id = 0;

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
		if (top->start_ns)
			count_drop(RECORD_CALL);
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
	struct thread *thread;
	struct open_call *call;

	if (!recording || !spec)
		return 1;
	thread = target_thread(task);
	if (!thread)
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
			*parent_id = depth > 1 ? call_at(thread, depth - 2)->call_id : 0;
			return top;
		}
		if (top->start_ns)
			count_drop(RECORD_CALL);
	}
	return NULL;
}

/* What an emitted call has beside what its entry kept. */
struct call_end {
	__u64 start_ns, end_ns;
	__u64 parent_id;
	__u64 return_value, out_value;
	__u64 stack_id;
	__u64 caller;
	__u32 flags;
};

static __always_inline void send_call(struct thread *thread, struct task_struct *task,
				      const struct open_call *call, const struct call_end *end)
{
	struct call_record *record = reserve_record(RECORD_CALL, task->pid, sizeof(*record));

	if (!record)
		return;
	record->header.flags = end->flags;
	record->start_ns = end->start_ns;
	record->duration_ns = end->end_ns - end->start_ns;
	record->call_id = call->call_id;
	record->parent_id = end->parent_id;
	for (int i = 0; i < CALL_ARGUMENTS; i++)
		record->arguments[i] = call->words[i];
	record->extra[0] = call->words[6];
	record->extra[1] = call->words[7];
	record->return_value = end->return_value;
	record->out_value = end->out_value;
	record->stack_id = end->stack_id;
	record->caller = end->caller;
	record->off_cpu_ns = thread->off_cpu_ns - call->off_cpu_ns;
	/* Of a thread that is off its CPU right now the sum lacks this interval. */
	if (thread->out_ns && thread->out_ns < end->end_ns)
		record->off_cpu_ns += end->end_ns - thread->out_ns;
	record->run_queue_ns = thread->run_queue_ns - call->run_queue_ns;
	record->minor_faults = (__u32)task->min_flt - call->minor_faults;
	record->major_faults = (__u32)task->maj_flt - call->major_faults;
	record->tgid = task->tgid;
	record->function = call->function;
	submit_record(record);
}

static __always_inline void send_launches(struct launch_bucket *bucket,
					  struct launch_count *launches, struct task_struct *task,
					  __u64 now)
{
	struct launches_record *record;
	__u64 duration = now - bucket->start_ns;

	/* Where each has a record of its own there is nothing to add. */
	if (launches->count > launches->stored) {
		record = reserve_record(RECORD_LAUNCHES, task->pid, sizeof(*record));
		if (record) {
			record->start_ns = bucket->start_ns;
			record->duration_ns = duration < BUCKET_NS ? duration : BUCKET_NS;
			record->total_ns = launches->total_ns;
			record->min_ns = launches->min_ns;
			record->max_ns = launches->max_ns;
			record->count = launches->count;
			record->stored = launches->stored;
			record->tgid = task->tgid;
			record->function = launches->function;
			submit_record(record);
		}
	}
	launches->count = 0;
}

static __always_inline void flush_launches(struct launch_bucket *bucket, struct task_struct *task,
					   __u64 now)
{
	for (int i = 0; i < LAUNCH_FUNCTIONS; i++)
		send_launches(bucket, &bucket->functions[i], task, now);
	bucket->stored = 0;
}

/* Where the function is counted; its place may have to be taken from another. */
static __always_inline struct launch_count *
find_launch_count(struct launch_bucket *bucket, __u32 function, struct task_struct *task, __u64 now)
{
	struct launch_count *launches;

	for (int i = 0; i < LAUNCH_FUNCTIONS; i++) {
		launches = &bucket->functions[i];
		if (launches->count && launches->function == function)
			return launches;
		if (!launches->count)
			goto begin;
	}
	launches = &bucket->functions[function % LAUNCH_FUNCTIONS];
	send_launches(bucket, launches, task, now);
begin:
	launches->function = function;
	launches->total_ns = 0;
	launches->min_ns = ~0ULL;
	launches->max_ns = 0;
	launches->stored = 0;
	return launches;
}

/* Whether the launch is sent by itself too. */
static __always_inline bool count_launch(struct thread *thread, struct task_struct *task,
					 __u32 function, __u64 start_ns, __u64 end_ns)
{
	struct launch_bucket *bucket = &thread->launches;
	__u64 duration = end_ns - start_ns;
	struct launch_count *launches;

	if (end_ns - bucket->start_ns >= BUCKET_NS) {
		flush_launches(bucket, task, end_ns);
		bucket->start_ns = start_ns;
	}
	launches = find_launch_count(bucket, function, task, end_ns);
	launches->count++;
	launches->total_ns += duration;
	if (duration < launches->min_ns)
		launches->min_ns = duration;
	if (duration > launches->max_ns)
		launches->max_ns = duration;
	if (bucket->stored >= config.launches_per_bucket)
		return false;
	bucket->stored++;
	launches->stored++;
	return true;
}

static __always_inline bool wants_stack(const struct open_call *call, const struct call_end *end)
{
	if (call->flags & FUNCTION_STACK_ALWAYS)
		return true;
	return (call->flags & FUNCTION_STACK) &&
	       end->end_ns - end->start_ns >= config.stack_threshold_ns;
}

static __always_inline int leave_call(struct registers *registers, __u32 function)
{
	struct call_end end = {.end_ns = bpf_ktime_get_ns()};
	struct task_struct *task = bpf_get_current_task_btf();
	struct thread *thread = bpf_task_storage_get(&threads, task, 0, 0);
	struct open_call *call;

	if (!thread)
		return 0;
	call = pop_call(thread, return_stack_pointer(registers), function, &end.parent_id);
	/* The capture's end may have sent it as unfinished. */
	if (!call || !recording)
		return 0;
	end.start_ns = __sync_lock_test_and_set(&call->start_ns, 0);
	if (!end.start_ns)
		return 0;
	if (call->flags & FUNCTION_LAUNCH &&
	    !count_launch(thread, task, function, end.start_ns, end.end_ns))
		return 0;
	end.return_value = return_value(registers);
	end.caller = instruction_pointer(registers);
	if (call->flags & FUNCTION_OUT_POINTER)
		end.out_value = read_word(call->words[0]);
	if (wants_stack(call, &end))
		/* The leaf is where it returned to, which the frames begin with. */
		end.stack_id = capture_stack(registers, thread, call->entry_address, end.caller, 1);
	send_call(thread, task, call, &end);
	return 0;
}

/* A call of which only the entry may be seen. */
static __always_inline int pass_call(struct registers *registers, __u32 function)
{
	struct call_end end = {.flags = CALL_NO_RETURN};
	struct task_struct *task = bpf_get_current_task_btf();
	struct thread *thread = bpf_task_storage_get(&threads, task, 0, 0);
	struct open_call *call;
	__u64 skip = 1;

	/* enter_call may just have made the thread a target. */
	if (enter_call(registers, function))
		return 0;
	if (!thread)
		thread = bpf_task_storage_get(&threads, task, 0, 0);
	if (!thread || !thread->depth)
		return 0;
	thread->depth--;
	call = call_at(thread, thread->depth);
	end.start_ns = end.end_ns = __sync_lock_test_and_set(&call->start_ns, 0);
	end.caller = call->caller;
	if (call->flags & FUNCTION_LAUNCH &&
	    !count_launch(thread, task, function, end.start_ns, end.end_ns))
		return 0;
	if (call->flags & (FUNCTION_STACK | FUNCTION_STACK_ALWAYS))
		end.stack_id =
			capture_stack(registers, thread, call->entry_address, end.caller, skip);
	send_call(thread, task, call, &end);
	return 0;
}

/*
 * Sends what the thread has not finished: its open calls and counted launches. For its exit and the
 * capture's end; task is its task, current or not.
 */
static __always_inline void flush_open_calls(struct thread *thread, struct task_struct *task)
{
	struct call_end end = {.end_ns = bpf_ktime_get_ns(), .flags = CALL_UNFINISHED};

	for (__u32 i = 0; i < CALL_DEPTH; i++) {
		struct open_call *call = &thread->calls[i];

		if (i >= thread->depth)
			break;
		end.start_ns = __sync_lock_test_and_set(&call->start_ns, 0);
		end.parent_id = i ? thread->calls[i - 1].call_id : 0;
		end.caller = call->caller;
		if (end.start_ns)
			send_call(thread, task, call, &end);
	}
	flush_launches(&thread->launches, task, end.end_ns);
}

/* Return and entry in one program (6.13 on); user space sets the attach type to 57. */
extern bool bpf_session_is_return(void) __ksym __weak;

SEC("uprobe")
int call_session(struct registers *registers)
{
	__u32 function = bpf_get_attach_cookie(registers);

	if (bpf_session_is_return())
		return leave_call(registers, function);
	return enter_call(registers, function);
}

/* Two links of many probes each (6.6 on); attach type 48. */
SEC("uprobe")
int call_entry_multi(struct registers *registers)
{
	enter_call(registers, bpf_get_attach_cookie(registers));
	return 0;
}

SEC("uprobe")
int call_return_multi(struct registers *registers)
{
	return leave_call(registers, bpf_get_attach_cookie(registers));
}

SEC("uprobe")
int call_only_multi(struct registers *registers)
{
	return pass_call(registers, bpf_get_attach_cookie(registers));
}

/* A perf event for each probe (5.15 on). */
SEC("uprobe")
int call_entry_perf(struct registers *registers)
{
	enter_call(registers, bpf_get_attach_cookie(registers));
	return 0;
}

SEC("uprobe")
int call_return_perf(struct registers *registers)
{
	return leave_call(registers, bpf_get_attach_cookie(registers));
}

SEC("uprobe")
int call_only_perf(struct registers *registers)
{
	return pass_call(registers, bpf_get_attach_cookie(registers));
}

#endif /* STALLTRACE_CALLS_BPF_H */
