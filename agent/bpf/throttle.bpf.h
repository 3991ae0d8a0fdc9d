/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * How long a waiting target's group had used up its CPU quota. From 6.5 on each CPU's queue of a
 * group sums the time that it was throttled with somebody in it; a wait sees that sum grow.
 *
 * Pointers in the kernel's structs are followed by bpf_probe_read_kernel(): for each one that is
 * dereferenced the verifier searches all types of the kernel several times, 4 ms of every start.
 */
#ifndef STALLTRACE_THROTTLE_BPF_H
#define STALLTRACE_THROTTLE_BPF_H

#include "state.bpf.h"

/* Off the CPU by its group's CPU quota. From 6.18 on the kernel throttles task by task. */
static __always_inline bool is_throttled(struct task_struct *task)
{
	if (bpf_core_field_exists(task->throttled))
		return task->throttled;
	if (bpf_core_field_exists(task->se.cfs_rq->throttle_count))
		return BPF_CORE_READ(task, se.cfs_rq, throttle_count) > 0;
	return false;
}

static __always_inline bool has_throttle_clock(void)
{
	return bpf_core_field_exists(((struct cfs_rq *)0)->throttled_clock_self_time);
}

static __always_inline __u64 running_sum(__u64 sum, __u64 since, __u64 clock)
{
	return since && clock > since ? sum + clock - since : sum;
}

/* What the queue has been throttled, in all, by its run queue's clock. */
static __always_inline __u64 queue_throttle_clock(struct cfs_rq *queue, __u64 clock)
{
	return running_sum(BPF_CORE_READ(queue, throttled_clock_self_time),
			   BPF_CORE_READ(queue, throttled_clock_self), clock);
}

static __always_inline __u64 throttle_clock(struct task_struct *task, __u64 clock)
{
	return has_throttle_clock() ? queue_throttle_clock(BPF_CORE_READ(task, se.cfs_rq), clock) :
				      0;
}

static __always_inline __u64 throttle_clock_on(struct task_struct *task, __u32 cpu)
{
	struct cfs_rq **queues = BPF_CORE_READ(task, sched_task_group, cfs_rq);
	struct cfs_rq *queue = NULL;

	if (bpf_probe_read_kernel(&queue, sizeof(queue), queues + cpu) || !queue)
		return 0;
	return queue_throttle_clock(queue, BPF_CORE_READ(queue, rq, clock));
}

/* The clock of the run queue that the task is in; 0 = not known. */
static __always_inline __u64 run_queue_clock(struct task_struct *task)
{
	return bpf_core_field_exists(task->se.cfs_rq) ? BPF_CORE_READ(task, se.cfs_rq, rq, clock) :
							0;
}

/* The thread begins to wait. */
static __always_inline void begin_throttle(struct thread *thread, __u64 throttle_clock)
{
	thread->throttled_ns = 0;
	thread->throttle_base = throttle_clock;
}

/* It goes on waiting on another CPU; the task is still in its old queue. */
static __always_inline void move_throttle(struct thread *thread, struct task_struct *task,
					  __u32 cpu)
{
	if (!has_throttle_clock())
		return;
	thread->throttled_ns += throttle_clock(task, run_queue_clock(task)) - thread->throttle_base;
	thread->throttle_base = throttle_clock_on(task, cpu);
}

/* It comes on a CPU after a wait of run_queue_ns; ~0 = throttled, for how long isn't known. */
static __always_inline __u64 end_throttle(struct thread *thread, __u64 throttle_clock,
					  __u64 run_queue_ns)
{
	__u64 throttled_ns = thread->throttled_ns + throttle_clock - thread->throttle_base;

	if (!has_throttle_clock())
		return thread->out_flags & OFF_CPU_THROTTLED ? ~0ull : 0;
	return throttled_ns < run_queue_ns ? throttled_ns : run_queue_ns;
}

#endif /* STALLTRACE_THROTTLE_BPF_H */
