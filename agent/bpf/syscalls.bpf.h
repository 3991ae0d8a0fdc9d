/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Long system calls of targets. */
#ifndef STALLTRACE_SYSCALLS_BPF_H
#define STALLTRACE_SYSCALLS_BPF_H

#include "entry_registers.bpf.h"
#include "tasks.bpf.h"

SEC("tp_btf/sys_enter")
int BPF_PROG(sys_enter)
{
	struct thread *thread = target_thread(bpf_get_current_task_btf());

	if (thread)
		thread->syscall_ns = bpf_ktime_get_ns();
	return 0;
}

static __always_inline void emit_syscall(struct task_struct *task, struct thread *thread,
					 __u64 duration_ns, long result)
{
	struct entry_registers *regs = registers_of(task);
	struct syscall_record *record;

	/* A return from a signal handler has overwritten the number. */
	if (!regs || syscall_number(regs) < 0)
		return;
	announce_target(task, thread);
	record = reserve_record(RECORD_SYSCALL, task->pid, sizeof(*record));
	if (!record)
		return;
	record->start_ns = thread->syscall_ns;
	record->duration_ns = duration_ns;
	record->number = syscall_number(regs);
	record->result = result;
	syscall_arguments(regs, record->arguments);
	submit_record(record);
}

SEC("tp_btf/sys_exit")
int BPF_PROG(sys_exit, void *regs, long result)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct thread *thread = target_thread(task);
	__u64 duration_ns;

	if (!thread || !thread->syscall_ns)
		return 0;
	duration_ns = bpf_ktime_get_ns() - thread->syscall_ns;
	if (recording && duration_ns >= config.syscall_threshold_ns)
		emit_syscall(task, thread, duration_ns, result);
	thread->syscall_ns = 0;
	return 0;
}

#endif /* STALLTRACE_SYSCALLS_BPF_H */
