/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The registers a uprobe is given, in the words of the calling conventions (System V, AAPCS64). */
#ifndef STALLTRACE_REGISTERS_BPF_H
#define STALLTRACE_REGISTERS_BPF_H

#include "state.bpf.h"

/* The layout is ABI (bpf_user_pt_regs_t), so nothing of it needs to be relocated. */
#if defined(__TARGET_ARCH_arm64)
struct registers {
	__u64 x[31];
	__u64 sp;
	__u64 pc;
	__u64 pstate;
};
#define REGISTER_ARGUMENTS 8
#else
struct registers {
	__u64 r15, r14, r13, r12, bp, bx, r11, r10, r9, r8;
	__u64 ax, cx, dx, si, di, orig_ax;
	__u64 ip, cs, flags, sp, ss;
};
#define REGISTER_ARGUMENTS 6
#endif

/* Where the kernel keeps the page whose begin is every probed return's address. */
struct xol_area {
	unsigned long vaddr;
} __attribute__((preserve_access_index));

struct uprobes_state {
	struct xol_area *xol_area;
} __attribute__((preserve_access_index));

struct mm_struct___uprobes {
	struct uprobes_state uprobes_state;
} __attribute__((preserve_access_index));

struct task_struct___uprobes {
	struct mm_struct___uprobes *mm;
} __attribute__((preserve_access_index));

static __always_inline bool is_return_trampoline(struct task_struct *task, __u64 address)
{
	struct task_struct___uprobes *current = (void *)task;

	/* Where it can't be known, two frames at one place are more likely a jump than an accident. */
	if (!bpf_core_field_exists(current->mm->uprobes_state.xol_area->vaddr))
		return true;
	return BPF_CORE_READ(current, mm, uprobes_state.xol_area, vaddr) == address;
}

#if defined(__TARGET_ARCH_arm64)
static __always_inline void read_arguments(const struct registers *registers, __u64 *out)
{
	for (int i = 0; i < CALL_ARGUMENTS; i++)
		out[i] = registers->x[i];
}

static __always_inline __u64 instruction_pointer(const struct registers *registers)
{
	return registers->pc;
}

static __always_inline __u64 return_value(const struct registers *registers)
{
	return registers->x[0];
}

static __always_inline __u64 stack_argument_address(const struct registers *registers, __u32 index)
{
	return registers->sp + 8 * index;
}

static __always_inline __u64 entry_caller(const struct registers *registers)
{
	return registers->x[30];
}

static __always_inline __u64 entry_stack_pointer(const struct registers *registers)
{
	return registers->sp;
}

/* What the stack pointer was at entry, from what it is after the return. */
static __always_inline __u64 return_stack_pointer(const struct registers *registers)
{
	return registers->sp;
}
#else
static __always_inline void read_arguments(const struct registers *registers, __u64 *out)
{
	out[0] = registers->di;
	out[1] = registers->si;
	out[2] = registers->dx;
	out[3] = registers->cx;
	out[4] = registers->r8;
	out[5] = registers->r9;
}

static __always_inline __u64 instruction_pointer(const struct registers *registers)
{
	return registers->ip;
}

static __always_inline __u64 return_value(const struct registers *registers)
{
	return registers->ax;
}

/* Above the return address. */
static __always_inline __u64 stack_argument_address(const struct registers *registers, __u32 index)
{
	return registers->sp + 8 + 8 * index;
}

static __always_inline __u64 entry_caller(const struct registers *registers)
{
	__u64 address = 0;

	bpf_probe_read_user(&address, sizeof(address), (void *)registers->sp);
	return address;
}

static __always_inline __u64 entry_stack_pointer(const struct registers *registers)
{
	return registers->sp;
}

/* What the stack pointer was at entry, from what it is after the return. */
static __always_inline __u64 return_stack_pointer(const struct registers *registers)
{
	return registers->sp - 8;
}
#endif

static __always_inline __u64 read_word(__u64 address)
{
	__u64 word = 0;

	if (bpf_probe_read_user(&word, sizeof(word), (void *)address))
		return UNREADABLE;
	return word;
}

/* At entry: argument `index` from 0, which is beyond those of read_arguments. */
static __always_inline __u64 read_further_argument(const struct registers *registers, __u32 index)
{
#if defined(__TARGET_ARCH_arm64)
	if (index == 6)
		return registers->x[6];
	if (index == 7)
		return registers->x[7];
#endif
	return read_word(stack_argument_address(registers, index - REGISTER_ARGUMENTS));
}

#endif /* STALLTRACE_REGISTERS_BPF_H */
