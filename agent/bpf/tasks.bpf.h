/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Who is a target, and the TASK records that name tasks.
 *
 * A thread becomes a target when it is forked by one, or by the task iterator that user space runs
 * after it has put a process into `targets`: both run where memory may be had. The hot paths only
 * look it up.
 */
#ifndef STALLTRACE_TASKS_BPF_H
#define STALLTRACE_TASKS_BPF_H

#include "state.bpf.h"

/* Set once the idle tasks' one TASK record was sent. */
__u8 idle_announced = 0;

/* What is kept of the thread; NULL = not a target. */
static __always_inline struct thread *target_thread(struct task_struct *task)
{
	return bpf_task_storage_get(&threads, task, 0, 0);
}

static __always_inline __u32 task_cpu(struct task_struct *task)
{
	if (bpf_core_field_exists(task->thread_info.cpu))
		return task->thread_info.cpu;
	return ((struct task_struct___old *)task)->cpu;
}

static __always_inline __u32 task_state(struct task_struct *task)
{
	if (bpf_core_field_exists(task->__state))
		return task->__state;
	return ((struct task_struct___old *)task)->state;
}

/*
 * A group of version 2 that is frozen lets its tasks sleep as any others (kernel/signal.c, do_freezer_trap()): that is told
 * by the bit, and then the state is that of version 1 too. The bit is also set while a task is stopped or waits for a child
 * of vfork(); these have states of their own.
 */
static __always_inline __u32 with_freezer(struct task_struct *task, __u32 state)
{
	if (bpf_core_field_exists(task->frozen) && (state & TASK_INTERRUPTIBLE) &&
	    BPF_CORE_READ_BITFIELD(task, frozen))
		return state | TASK_FROZEN;
	return state;
}

/* The task's id in its own, innermost PID namespace; 0 = it has none any more. */
static __always_inline __u32 namespace_id(struct pid *pid)
{
	unsigned int level = BPF_CORE_READ(pid, level);
	const void *numbers = (const void *)pid + bpf_core_field_offset(struct pid, numbers);
	int id = 0;

	bpf_probe_read_kernel(&id, sizeof(id), numbers + level * bpf_core_type_size(struct upid));
	return id;
}

/* Nice values are static priorities of 100 to 139: include/linux/sched/prio.h. */
#define PRIORITY_OF_NICE_0 120

static __always_inline void read_priority(struct task_struct *task, struct priority *out)
{
	out->known = 1;
	out->policy = task->policy;
	out->real_time = task->rt_priority;
	out->nice = task->static_prio - PRIORITY_OF_NICE_0;
}

/* Sends the TASK record; false where the ring is full. */
static __noinline bool send_task(struct task_struct *task, __u32 flags)
{
	struct task_record *record = reserve_record(RECORD_TASK, task->pid, sizeof(*record));

	if (!record)
		return false;
	if (task->flags & PF_KTHREAD)
		flags |= TASK_KERNEL;
	record->header.flags = flags;
	record->tgid = task->tgid;
	if (task->pid)
		record->start_ns = task->start_time;
	record->parent_tgid = BPF_CORE_READ(task, real_parent, tgid);
	record->namespace_tid = namespace_id(BPF_CORE_READ(task, thread_pid));
	record->namespace_tgid = namespace_id(BPF_CORE_READ(task, group_leader, thread_pid));
	BPF_CORE_READ_STR_INTO(&record->comm, task, comm);
	read_priority(task, &record->priority);
	submit_record(record);
	return true;
}

static __always_inline void announce_target(struct task_struct *task, struct thread *thread)
{
	if (!thread->announced)
		thread->announced = send_task(task, TASK_TARGET);
}

static __always_inline void announce_other(struct task_struct *task)
{
	__u32 tid = task->pid;
	__u64 start_ns = task->start_time;
	__u64 *sent;

	if (tid == 0) {
		if (!idle_announced)
			idle_announced = send_task(task, TASK_KERNEL);
		return;
	}
	sent = bpf_map_lookup_elem(&announced, &tid);
	if (sent && *sent == start_ns)
		return;
	if (send_task(task, 0))
		bpf_map_update_elem(&announced, &tid, &start_ns, BPF_ANY);
}

/* Sends the task's TASK record unless it was sent; `thread` is what is kept of it, or NULL. */
static __always_inline void announce_task(struct task_struct *task, struct thread *thread)
{
	if (thread)
		announce_target(task, thread);
	else
		announce_other(task);
}

/* Its name has changed: the next record that names it is preceded by a new TASK record. */
static __always_inline void forget_announced(struct task_struct *task, struct thread *thread)
{
	__u32 tid = task->pid;

	if (thread)
		thread->announced = 0;
	else
		bpf_map_delete_elem(&announced, &tid);
}

/* Whether the process is one that user space named, or all are wanted. */
static __always_inline bool is_wanted(struct task_struct *task)
{
	__u32 tgid = task->tgid;

	if ((task->flags & PF_KTHREAD) || tgid == config.agent_tgid)
		return false;
	return config.all_tasks || bpf_map_lookup_elem(&targets, &tgid);
}

static __always_inline void set_baseline(struct thread *thread, struct task_struct *task)
{
	thread->executed_ns = task->se.sum_exec_runtime;
	thread->minor_faults = task->min_flt;
	thread->major_faults = task->maj_flt;
	thread->syscall = -1;
}

/* Makes the thread a target if it is none. Never call this under a scheduler's lock: it allocates. */
static __always_inline struct thread *enrol(struct task_struct *task)
{
	struct thread *thread = target_thread(task);

	if (thread)
		return thread;
	thread = bpf_task_storage_get(&threads, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!thread)
		return NULL;
	set_baseline(thread, task);
	announce_target(task, thread);
	return thread;
}

#endif /* STALLTRACE_TASKS_BPF_H */
