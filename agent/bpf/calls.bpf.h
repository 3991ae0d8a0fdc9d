/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* CUDA calls: entry and return of the probed functions, by whichever kind of probe there is. */
#ifndef STALLTRACE_CALLS_BPF_H
#define STALLTRACE_CALLS_BPF_H

#include "state.bpf.h"
#include "launches.bpf.h"
#include "open_calls.bpf.h"
#include "stacks.bpf.h"
#include "tasks.bpf.h"

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
		/* The leaf is the function itself, which the frames begin with. */
		end.stack_id = capture_stack(registers, thread, call->entry_address, end.caller, 1);
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
		end.parent_id = parent_id_at(thread, i);
		end.caller = call->caller;
		if (end.start_ns && !is_abandoned(call))
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
