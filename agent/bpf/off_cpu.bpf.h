/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Off-CPU intervals of targets, and who held the CPUs that they waited for.
 *
 * Each CPU counts the targets that wait in its queue. A target is counted from its preemption or
 * wake-up to its switch-in, moves with its migrations, and remembers where it is counted, so that
 * the counts can neither leak nor fall below zero.
 */
#ifndef STALLTRACE_OFF_CPU_BPF_H
#define STALLTRACE_OFF_CPU_BPF_H

#include "descriptors.bpf.h"
#include "faulted_files.bpf.h"
#include "interrupts.bpf.h"
#include "stacks.bpf.h"
#include "tasks.bpf.h"
#include "throttle.bpf.h"
#include "wait_stacks.bpf.h"

static __always_inline void stop_waiting(struct thread *thread)
{
	__u32 cpu = __sync_lock_test_and_set(&thread->waiting_cpu_plus_one, 0);
	struct cpu_state *state;

	if (!cpu)
		return;
	state = cpu_state(cpu - 1);
	if (state)
		__sync_fetch_and_add(&state->waiting, -1);
}

static __always_inline void start_waiting(struct thread *thread, __u32 cpu)
{
	struct cpu_state *state = cpu_state(cpu);

	stop_waiting(thread);
	if (!state)
		return;
	thread->waiting_cpu_plus_one = cpu + 1;
	__sync_fetch_and_add(&state->waiting, 1);
	state->waited = 1;
}

/*
 * What the kernel itself will have added to the task's run delay (schedstat) when this switch-in is
 * done: sched_info_arrive() runs after the tracepoint. clock is that of the run queue.
 */
static __always_inline __u64 run_delay_at_switch_in(struct task_struct *task, struct thread *thread,
						    __u64 clock)
{
	__u64 delay = task->sched_info.run_delay - thread->out_run_delay;
	__u64 queued = task->sched_info.last_queued;

	return queued && clock > queued ? delay + clock - queued : delay;
}

static __always_inline void keep_syscall(struct thread *thread, struct task_struct *task)
{
	struct entry_registers *regs = registers_of(task);

	thread->syscall = regs ? syscall_number(regs) : -1;
	if (!regs || thread->syscall < 0)
		return;
	thread->out_flags |= OFF_CPU_IN_SYSCALL;
	syscall_arguments(regs, thread->syscall_arguments);
}

static __always_inline void keep_usage(struct thread *thread, struct task_struct *task)
{
	__u64 executed_ns = task->se.sum_exec_runtime;
	__u64 minor = task->min_flt;
	__u64 major = task->maj_flt;

	thread->out_executed_ns = executed_ns - thread->executed_ns;
	thread->out_minor_faults = minor - thread->minor_faults;
	thread->out_major_faults = major - thread->major_faults;
	thread->executed_ns = executed_ns;
	thread->minor_faults = minor;
	thread->major_faults = major;
	if (bpf_core_field_exists(task->sched_info.run_delay))
		thread->out_run_delay = task->sched_info.run_delay;
}

/* What a switch reads once for both tasks. */
struct moment {
	__u64 now;
	__u64 clock;             /* the run queue's; 0 = not known */
	__u64 leaving_throttled; /* the clocks of their queues: see throttle.bpf.h */
	__u64 coming_throttled;
};

static __always_inline void switch_out(void *ctx, struct thread *thread, struct task_struct *task,
				       __u32 next_tid, __u32 preempted, __u32 state,
				       const struct moment *moment)
{
	__u32 cpu = bpf_get_smp_processor_id();

	begin_throttle(thread, moment->leaving_throttled);
	keep_usage(thread, task);
	thread->out_ns = moment->now;
	thread->out_state = with_freezer(task, state);
	thread->out_flags = 0;
	thread->next_tid = next_tid;
	thread->cpu_out = cpu;
	if (BPF_CORE_READ_BITFIELD(task, in_iowait))
		thread->out_flags |= OFF_CPU_IN_IO_WAIT;
	keep_syscall(thread, task);
	keep_file(thread, task, state);
	keep_faulted_file(thread, task, state);
	if (preempted) {
		thread->out_flags |= OFF_CPU_PREEMPTED;
		if (is_throttled(task))
			thread->out_flags |= OFF_CPU_THROTTLED;
		thread->wake_ns = 0;
	}
	thread->out_stack_id = 0;
	if (recording && !(state & TASK_DEAD) &&
	    wants_wait_stack(thread, task, preempted, moment->now))
		thread->out_stack_id = capture_stack(ctx, thread, 0, 0, 0);
	/* A wake-up may have come after it was taken off the queue and before this. */
	if (preempted || thread->wake_ns)
		start_waiting(thread, cpu);
	else
		stop_waiting(thread);
}

static __always_inline void fill_off_cpu(struct off_cpu_record *record, struct thread *thread,
					 struct task_struct *task, __u64 now)
{
	record->start_ns = thread->out_ns;
	record->duration_ns = now - thread->out_ns;
	record->executed_ns = thread->out_executed_ns;
	record->minor_faults = thread->out_minor_faults;
	record->major_faults = thread->out_major_faults;
	record->state = thread->out_state;
	record->header.flags = thread->out_flags;
	record->next_tid = thread->next_tid;
	record->cpu_out = thread->cpu_out;
	record->stack_id = thread->out_stack_id;
	record->syscall = thread->syscall;
	record->tgid = task->tgid;
	if (thread->out_flags & OFF_CPU_IN_SYSCALL)
		__builtin_memcpy(record->syscall_arguments, thread->syscall_arguments,
				 sizeof(record->syscall_arguments));
	record->file_type = thread->file_type;
	record->name_hash = thread->name_hash;
	if (thread->file_type)
		record->file = thread->file;
	if (thread->wake_ns) {
		record->waker_tid = thread->waker_tid;
		record->waker_context = thread->waker_context;
	}
}

/* From the preemption or the wake-up on, where the kernel doesn't say. */
static __always_inline __u64 waited_since(struct thread *thread)
{
	if (thread->out_flags & OFF_CPU_PREEMPTED)
		return thread->out_ns;
	return thread->wake_ns;
}

/* All tasks that it names have been announced. */
static __always_inline void emit_off_cpu(struct thread *thread, struct task_struct *task,
					 __u32 previous_tid, __u64 run_queue_ns, __u64 throttled_ns,
					 __u64 now)
{
	struct off_cpu_record *record;

	record = reserve_record(RECORD_OFF_CPU, task->pid, sizeof(*record));
	if (!record)
		return;
	fill_off_cpu(record, thread, task, now);
	record->run_queue_ns = run_queue_ns;
	record->throttled_ns = throttled_ns;
	if (throttled_ns)
		record->header.flags |= OFF_CPU_THROTTLED;
	record->previous_tid = previous_tid;
	record->cpu_in = bpf_get_smp_processor_id();
	submit_record(record);
}

/*
 * How long it waited for a CPU, by the kernel's account where it keeps one. The run queue reads its
 * clock some microseconds before ours, more at one switch than at the other: a wait that fills its
 * interval is by that clock as often longer as it is shorter. What it has more goes to the next, so
 * that the sum is the kernel's.
 */
static __always_inline __u64 run_queue_time(struct thread *thread, struct task_struct *task,
					    const struct moment *moment)
{
	__u64 since = waited_since(thread);
	__u64 duration_ns = moment->now - thread->out_ns;
	__u64 run_queue_ns = since && moment->now > since ? moment->now - since : 0;

	if (bpf_core_field_exists(task->sched_info.last_queued) && moment->clock) {
		run_queue_ns = run_delay_at_switch_in(task, thread, moment->clock);
		run_queue_ns += thread->excess_ns;
		thread->out_flags |= OFF_CPU_QUEUE_KNOWN;
	}
	thread->excess_ns = run_queue_ns > duration_ns ? run_queue_ns - duration_ns : 0;
	return run_queue_ns - thread->excess_ns;
}

static __always_inline void switch_in(struct thread *thread, struct task_struct *task,
				      __u32 previous_tid, const struct moment *moment)
{
	__u64 run_queue_ns, throttled_ns;

	stop_waiting(thread);
	if (!thread->out_ns)
		return;
	keep_wait_length(thread, moment->now - thread->out_ns);
	run_queue_ns = run_queue_time(thread, task, moment);
	throttled_ns = end_throttle(thread, moment->coming_throttled, run_queue_ns);
	thread->off_cpu_ns += moment->now - thread->out_ns;
	thread->run_queue_ns += run_queue_ns;
	if (recording)
		emit_off_cpu(thread, task, previous_tid, run_queue_ns, throttled_ns, moment->now);
	thread->out_ns = 0;
	thread->wake_ns = 0;
}

/*
 * The task leaves the CPU and was not seen to come: now and then the kernel passes a switch by its
 * tracepoint, one in 10,000 on a virtual machine. It came when it had not yet executed what it has
 * executed since it left; its wait is by now in the kernel's sum.
 */
static __always_inline void make_up_switch_in(struct thread *thread, struct task_struct *task,
					      const struct moment *moment)
{
	__u64 executed_ns = task->se.sum_exec_runtime - thread->executed_ns;
	struct moment came = {.now = moment->now, .clock = moment->clock};

	came.coming_throttled = moment->leaving_throttled;
	if (executed_ns < came.now - thread->out_ns)
		came.now -= executed_ns;
	else
		came.now = thread->out_ns;
	thread->out_flags |= OFF_CPU_END_MADE_UP;
	switch_in(thread, task, 0, &came);
}

#endif /* STALLTRACE_OFF_CPU_BPF_H */
