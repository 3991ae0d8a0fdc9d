/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The scheduler's tracepoints: who comes and goes, who is woken, who is moved. */
#ifndef STALLTRACE_SCHED_BPF_H
#define STALLTRACE_SCHED_BPF_H

#include "off_cpu.bpf.h"

/* The task that is leaving the CPU held it while a target waited there. */
static __always_inline void end_slice(struct cpu_state *state, struct task_struct *task, __u64 now)
{
	struct on_cpu_record *record = reserve_record(RECORD_ON_CPU, task->pid, sizeof(*record));

	if (!record)
		return;
	record->start_ns = state->slice_ns;
	record->duration_ns = now - state->slice_ns;
	record->cpu = bpf_get_smp_processor_id();
	read_priority(task, &record->priority);
	submit_record(record);
}

/* Both, where a record of either will name them; who held the CPU while a target waited. */
static __always_inline void announce_switch(struct task_struct *prev, struct thread *leaving,
					    struct task_struct *next, struct thread *coming,
					    __u32 waited)
{
	__u32 targets = 0;

	if (leaving)
		targets = 1;
	asm volatile("" : "+r"(targets));
	if (coming)
		targets = 1;
	asm volatile("" : "+r"(targets));
	if (targets)
		announce_task(next, coming);
	if (targets || waited)
		announce_task(prev, leaving);
}

SEC("tp_btf/sched_switch")
int BPF_PROG(sched_switch, bool preempt, struct task_struct *prev, struct task_struct *next,
	     unsigned int prev_state)
{
	struct thread *leaving = target_thread(prev);
	struct thread *coming = target_thread(next);
	struct cpu_state *state = this_cpu_state();
	struct moment moment = {.now = bpf_ktime_get_ns()};
	__u32 preempted = preempt;
	__u32 raw = config.switch_has_state ? prev_state : task_state(prev);
	__u32 waited;

	if (!state)
		return 0;
	/* One that began to wait just when the slice did may have been overlooked then. */
	waited = state->waited || state->waiting > 0;
	/* Early, where the verifier comes by once: for each pointer it searches the kernel's types. */
	if (leaving) {
		moment.clock = run_queue_clock(prev);
		moment.leaving_throttled = throttle_clock(prev, moment.clock);
	}
	if (coming) {
		moment.clock = run_queue_clock(next);
		moment.coming_throttled = throttle_clock(next, moment.clock);
	}
	/* Before the rest, so that the verifier needn't tell apart below what was announced. */
	if (recording)
		announce_switch(prev, leaving, next, coming, waited);
	if (recording && waited && state->slice_ns)
		end_slice(state, prev, moment.now);
	if (leaving && leaving->out_ns)
		make_up_switch_in(leaving, prev, &moment);
	if (leaving) {
		/* clang may join the two conditions into one OR of pointers, which can't load. */
		asm volatile("" : "+r"(preempted));
		if (raw == 0)
			preempted = 1;
		switch_out(ctx, leaving, prev, next->pid, preempted, raw, &moment);
	}
	if (coming)
		switch_in(coming, next, prev->pid, &moment);
	state->slice_ns = moment.now;
	state->waited = state->waiting > 0;
	forget_interrupts(state);
	return 0;
}

static __always_inline void keep_waker(void *ctx, struct thread *thread, __u64 now)
{
	struct task_struct *waker = bpf_get_current_task_btf();

	thread->wake_ns = now;
	thread->waker_context = wake_context(ctx, waker);
	thread->waker_tid = 0;
	if (thread->waker_context != WAKE_TASK)
		return;
	thread->waker_tid = waker->pid;
	if (recording)
		announce_task(waker, target_thread(waker));
}

SEC("tp_btf/sched_waking")
int BPF_PROG(sched_waking, struct task_struct *task)
{
	struct thread *thread = target_thread(task);

	if (!thread)
		return 0;
	/* Still on its CPU, or preempted before it could sleep: the wake-up only calls the sleep off. */
	if (!thread->out_ns && task->on_rq)
		return 0;
	if (thread->out_ns && (thread->out_flags & OFF_CPU_PREEMPTED))
		return 0;
	keep_waker(ctx, thread, bpf_ktime_get_ns());
	/* The CPU is chosen after this; sched_migrate_task tells if it is another one. */
	if (thread->out_ns) {
		begin_throttle(thread, throttle_clock(task, run_queue_clock(task)));
		start_waiting(thread, task_cpu(task));
	}
	return 0;
}

/* A new thread waits for its first CPU: an interval in STATE_NEW. */
SEC("tp_btf/sched_wakeup_new")
int BPF_PROG(sched_wakeup_new, struct task_struct *task)
{
	struct thread *thread = target_thread(task);
	__u32 cpu = task_cpu(task);
	__u64 now = bpf_ktime_get_ns();

	if (!thread)
		return 0;
	thread->out_ns = now;
	thread->out_state = STATE_NEW;
	thread->cpu_out = cpu;
	keep_waker(ctx, thread, now);
	begin_throttle(thread, throttle_clock(task, run_queue_clock(task)));
	start_waiting(thread, cpu);
	return 0;
}

SEC("tp_btf/sched_migrate_task")
int BPF_PROG(sched_migrate_task, struct task_struct *task, int destination_cpu)
{
	struct thread *thread = target_thread(task);

	if (!thread || !thread->waiting_cpu_plus_one)
		return 0;
	move_throttle(thread, task, destination_cpu);
	start_waiting(thread, destination_cpu);
	return 0;
}

#endif /* STALLTRACE_SCHED_BPF_H */
