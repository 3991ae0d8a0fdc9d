/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The registers with which a task entered the kernel: which system call it is in. */
#ifndef STALLTRACE_ENTRY_REGISTERS_BPF_H
#define STALLTRACE_ENTRY_REGISTERS_BPF_H

#include "state.bpf.h"

/* -1 = none: it came by an interrupt or a fault. */
#if defined(__TARGET_ARCH_x86)

#define entry_registers pt_regs___kernel_x86

static __always_inline __s32 syscall_number(struct entry_registers *regs)
{
	return regs->orig_ax;
}

static __always_inline void syscall_arguments(struct entry_registers *regs, __u64 arguments[3])
{
	arguments[0] = regs->di;
	arguments[1] = regs->si;
	arguments[2] = regs->dx;
}

/* The same wherever the same calls led to the same instruction. */
static __always_inline __u64 entry_place(struct entry_registers *regs)
{
	return regs->ip ^ regs->sp << 16;
}

#elif defined(__TARGET_ARCH_arm64)

#define entry_registers pt_regs___kernel_arm64

static __always_inline __s32 syscall_number(struct entry_registers *regs)
{
	return regs->syscallno;
}

static __always_inline void syscall_arguments(struct entry_registers *regs, __u64 arguments[3])
{
	arguments[0] = regs->orig_x0;
	arguments[1] = regs->regs[1];
	arguments[2] = regs->regs[2];
}

static __always_inline __u64 entry_place(struct entry_registers *regs)
{
	return regs->pc ^ regs->sp << 16;
}

#else
#error "this architecture's registers are not known"
#endif

/* NULL for kernel threads, and before 5.15. */
static __always_inline struct entry_registers *registers_of(struct task_struct *task)
{
	if (task->flags & PF_KTHREAD)
		return NULL;
	if (!bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_task_pt_regs))
		return NULL;
	return (struct entry_registers *)bpf_task_pt_regs(task);
}

#endif /* STALLTRACE_ENTRY_REGISTERS_BPF_H */
