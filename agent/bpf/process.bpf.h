/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What becomes of targets: forked, executing, renamed, gone; and the iterators over all tasks. */
#ifndef STALLTRACE_PROCESS_BPF_H
#define STALLTRACE_PROCESS_BPF_H

#include "calls.bpf.h"
#include "memory.bpf.h"
#include "sched.bpf.h"

/* sched_process_exit of older kernels doesn't say whether it was the last thread. */
static __always_inline bool is_last_thread(struct task_struct *task)
{
	return BPF_CORE_READ(task, signal, live.counter) == 0;
}

static __always_inline struct process_record *reserve_process(struct task_struct *task,
							      __u16 action)
{
	struct process_record *record;

	record = reserve_record(RECORD_PROCESS, task->pid, sizeof(*record));
	if (!record)
		return NULL;
	record->time_ns = bpf_ktime_get_ns();
	record->tgid = task->tgid;
	record->subject_tid = task->pid;
	record->subject_tgid = task->tgid;
	record->action = action;
	return record;
}

static __always_inline void inherit_process(__u32 parent, __u32 child)
{
	__u8 wanted = 1;

	if (!config.all_tasks)
		bpf_map_update_elem(&targets, &child, &wanted, BPF_ANY);
	if (config.python)
		inherit_python(parent, child);
}

static __always_inline void forget_process(__u32 tgid)
{
	bpf_map_delete_elem(&targets, &tgid);
	forget_python(tgid);
}

SEC("tp_btf/sched_process_fork")
int BPF_PROG(sched_process_fork, struct task_struct *parent, struct task_struct *child)
{
	struct process_record *record;
	struct thread *forking = target_thread(parent);

	if (!forking && !is_wanted(parent))
		return 0;
	if (child->tgid != parent->tgid)
		inherit_process(parent->tgid, child->tgid);
	enrol(child);
	if (!recording)
		return 0;
	announce_task(parent, forking);
	record = reserve_process(parent, PROCESS_FORK);
	if (!record)
		return 0;
	record->subject_tid = child->pid;
	record->subject_tgid = child->tgid;
	BPF_CORE_READ_STR_INTO(&record->comm, child, comm);
	submit_record(record);
	return 0;
}

SEC("tp_btf/sched_process_exec")
int BPF_PROG(sched_process_exec, struct task_struct *task, pid_t old_tid)
{
	struct thread *thread = target_thread(task);
	struct process_record *record;

	forget_announced(task, thread);
	if (!thread)
		return 0;
	flush_open_calls(thread, task);
	forget_python(task->tgid);
	thread->python_tstate = 0;
	if (!recording)
		return 0;
	announce_target(task, thread);
	record = reserve_process(task, PROCESS_EXEC);
	if (!record)
		return 0;
	BPF_CORE_READ_STR_INTO(&record->comm, task, comm);
	submit_record(record);
	return 0;
}

SEC("tp_btf/sched_process_exit")
int BPF_PROG(sched_process_exit, struct task_struct *task)
{
	struct thread *thread = target_thread(task);
	struct process_record *record;

	if (!thread)
		return 0;
	flush_open_calls(thread, task);
	flush_page_allocs(thread, task->pid);
	if (recording) {
		announce_target(task, thread);
		record = reserve_process(task, PROCESS_EXIT);
		if (record) {
			record->exit_status = task->exit_code;
			submit_record(record);
		}
	}
	if (is_last_thread(task))
		forget_process(task->tgid);
	return 0;
}

SEC("tp_btf/task_rename")
int BPF_PROG(task_rename, struct task_struct *task, const char *name)
{
	struct thread *thread = target_thread(task);
	struct process_record *record;

	/* A target's new name comes with the record, an exec's with its own. */
	if (!thread) {
		forget_announced(task, NULL);
		return 0;
	}
	if (!recording || BPF_CORE_READ_BITFIELD(task, in_execve))
		return 0;
	announce_target(task, thread);
	record = reserve_process(task, PROCESS_RENAME);
	if (!record)
		return 0;
	bpf_probe_read_kernel_str(record->comm, sizeof(record->comm), name);
	submit_record(record);
	return 0;
}

/* Any process: the memory it held is what the targets were short of. */
SEC("tp_btf/mark_victim")
int mark_victim(__u64 *ctx)
{
	struct task_struct *killer = bpf_get_current_task_btf();
	struct process_record *record;
	__u32 tid, tgid;

	if (!recording)
		return 0;
	if (config.oom_passes_task) {
		tid = BPF_CORE_READ((struct task_struct *)ctx[0], pid);
		tgid = BPF_CORE_READ((struct task_struct *)ctx[0], tgid);
	} else {
		tid = ctx[0];
		tgid = tid;
	}
	announce_task(killer, target_thread(killer));
	record = reserve_process(killer, PROCESS_OOM_KILL);
	if (!record)
		return 0;
	record->subject_tid = tid;
	record->subject_tgid = tgid;
	submit_record(record);
	return 0;
}

/* Makes targets of all threads that exist and are wanted. One that sleeps has done so since now. */
SEC("iter/task")
int enrol_tasks(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct thread *thread;

	if (!task || (task->flags & PF_EXITING) || !is_wanted(task) || target_thread(task))
		return 0;
	thread = enrol(task);
	if (!thread) {
		count_drop(RECORD_TASK);
		return 0;
	}
	if (task->on_cpu || task->on_rq)
		return 0;
	thread->cpu_out = task_cpu(task);
	thread->out_state = with_freezer(task, task_state(task));
	if (BPF_CORE_READ_BITFIELD(task, in_iowait))
		thread->out_flags |= OFF_CPU_IN_IO_WAIT;
	keep_syscall(thread, task);
	keep_file(thread, task, thread->out_state);
	if (bpf_core_field_exists(task->sched_info.run_delay))
		thread->out_run_delay = task->sched_info.run_delay;
	thread->out_ns = bpf_ktime_get_ns();
	return 0;
}

/* At the end of the capture: what has not ended of any target is sent as unfinished. */
SEC("iter/task")
int flush_tasks(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct thread *thread;

	if (!task)
		return 0;
	thread = target_thread(task);
	if (!thread)
		return 0;
	announce_target(task, thread);
	flush_open_calls(thread, task);
	flush_page_allocs(thread, task->pid);
	if (!thread->out_ns)
		return 0;
	thread->out_flags |= OFF_CPU_UNFINISHED;
	emit_off_cpu(thread, task, 0, 0, 0, bpf_ktime_get_ns());
	return 0;
}

#endif /* STALLTRACE_PROCESS_BPF_H */
