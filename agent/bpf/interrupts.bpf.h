/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * What a CPU is doing beside its task: an interrupt that wakes a thread was not caused by the task
 * it interrupted. The kernel's preempt_count can't be read by programs on all kernels, so timers,
 * interrupts and softirqs are followed by their tracepoints, and any other interrupt (an IPI) is told
 * by the stack it runs on and by the system call that the interrupted task is not in.
 */
#ifndef STALLTRACE_INTERRUPTS_BPF_H
#define STALLTRACE_INTERRUPTS_BPF_H

#include "state.bpf.h"
#include "entry_registers.bpf.h"

/* include/linux/interrupt.h */
#define TIMER_SOFTIRQ 1
#define HRTIMER_SOFTIRQ 8
/* THREAD_SIZE of x86-64 and arm64; with pages of 64 KiB a stack is one. */
#define KERNEL_STACK_BYTES 16384

/* A cache line each: the owner writes it at every switch, others count waiting targets in it. */
struct cpu_state {
	__u64 slice_ns; /* when its task came on; 0 = not seen */
	__s32 waiting;  /* targets in its queue */
	__u32 waited;   /* some waited since slice_ns */
	__u32 timers;   /* timer callbacks it is in */
	__u32 interrupts;
	__u32 softirq_plus_one;
	__u32 padding[9];
};
_Static_assert(sizeof(struct cpu_state) == 64, "a cache line");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, MAX_CPUS);
	__type(key, __u32);
	__type(value, struct cpu_state);
} cpus SEC(".maps");

static __always_inline struct cpu_state *cpu_state(__u32 cpu)
{
	return bpf_map_lookup_elem(&cpus, &cpu);
}

static __always_inline struct cpu_state *this_cpu_state(void)
{
	return cpu_state(bpf_get_smp_processor_id());
}

/* A CPU can't switch tasks inside an interrupt: an exit that was not seen is made up for here. */
static __always_inline void forget_interrupts(struct cpu_state *state)
{
	state->timers = 0;
	state->interrupts = 0;
	state->softirq_plus_one = 0;
}

/* Whether ctx, which lies on the running stack, lies on the task's own: not on an interrupt's. */
static __always_inline bool on_task_stack(void *ctx, struct task_struct *current)
{
	__u64 size = config.page_bytes > KERNEL_STACK_BYTES ? config.page_bytes :
							      KERNEL_STACK_BYTES;
	__u64 offset = ctx - (void *)current;

	/* Only the difference of two pointers is a number to the verifier: keep clang from reordering. */
	asm volatile("" : "+r"(offset));
	return offset + bpf_get_current_task() - (__u64)current->stack < size;
}

static __always_inline __u8 interrupt_context(struct cpu_state *state)
{
	if (state->timers)
		return WAKE_TIMER;
	if (state->interrupts)
		return WAKE_IRQ;
	if (state->softirq_plus_one == TIMER_SOFTIRQ + 1 ||
	    state->softirq_plus_one == HRTIMER_SOFTIRQ + 1)
		return WAKE_TIMER;
	return state->softirq_plus_one ? WAKE_SOFTIRQ : WAKE_TASK;
}

/* On whose behalf the code runs that wakes somebody; `current` is bpf_get_current_task_btf(). */
static __always_inline __u8 wake_context(void *ctx, struct task_struct *current)
{
	struct cpu_state *state = this_cpu_state();
	struct entry_registers *regs;
	__u8 context = state ? interrupt_context(state) : WAKE_UNKNOWN;

	if (context != WAKE_TASK)
		return context;
	if (!on_task_stack(ctx, current))
		return WAKE_IRQ;
	if (current->pid == 0)
		return WAKE_UNKNOWN;
	if (current->flags & (PF_KTHREAD | PF_EXITING))
		return WAKE_TASK;
	/* From user mode, x86 handles interrupts on the task's stack; then it is in no system call. */
	regs = registers_of(current);
	return regs && syscall_number(regs) >= 0 ? WAKE_TASK : WAKE_UNKNOWN;
}

static __always_inline int count_interrupt(bool timer, int change)
{
	struct cpu_state *state = this_cpu_state();
	__u32 *depth;

	if (!state)
		return 0;
	depth = timer ? &state->timers : &state->interrupts;
	if (change > 0 || *depth)
		*depth += change;
	return 0;
}

SEC("tp_btf/irq_handler_entry")
int BPF_PROG(irq_handler_entry)
{
	return count_interrupt(false, 1);
}

SEC("tp_btf/irq_handler_exit")
int BPF_PROG(irq_handler_exit)
{
	return count_interrupt(false, -1);
}

SEC("tp_btf/hrtimer_expire_entry")
int BPF_PROG(hrtimer_expire_entry)
{
	return count_interrupt(true, 1);
}

SEC("tp_btf/hrtimer_expire_exit")
int BPF_PROG(hrtimer_expire_exit)
{
	return count_interrupt(true, -1);
}

SEC("tp_btf/softirq_entry")
int BPF_PROG(softirq_entry, unsigned int vector)
{
	struct cpu_state *state = this_cpu_state();

	if (state)
		state->softirq_plus_one = vector + 1;
	return 0;
}

SEC("tp_btf/softirq_exit")
int BPF_PROG(softirq_exit, unsigned int vector)
{
	struct cpu_state *state = this_cpu_state();

	if (state)
		state->softirq_plus_one = 0;
	return 0;
}

#endif /* STALLTRACE_INTERRUPTS_BPF_H */
