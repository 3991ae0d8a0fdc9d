/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Which waits get their stack unasked: those of the threads that a job waits for with them. A stack can be
 * taken only as the thread leaves the CPU, when nobody knows how long it will wait. Where it has waited
 * long before, each time; elsewhere as often as costs next to nothing.
 */
#ifndef STALLTRACE_WAIT_STACKS_BPF_H
#define STALLTRACE_WAIT_STACKS_BPF_H

#include "entry_registers.bpf.h"

/* So many short waits in a row make a place of long ones one of short ones again. */
#define WAIT_HEAT 4
/*
 * Elsewhere a thread gets one stack in so long, and so many at once: at 6 us each (measured, 16 frames of
 * Python) 0.15 % of its time. sources/switches.c says it in the trace.
 */
#define WAIT_STACK_EVERY_NS 4000000ULL
#define WAIT_STACKS_AT_ONCE 64

static __always_inline struct wait_place *wait_place(struct thread *thread)
{
	return &thread->wait_places[thread->wait_key & (WAIT_PLACES - 1)];
}

/* Whether one more is within what a thread may cost. */
static __always_inline bool pay_wait_stack(struct thread *thread, __u64 now)
{
	__u64 since = now - WAIT_STACKS_AT_ONCE * WAIT_STACK_EVERY_NS;

	if (thread->wait_stacks_ns < since)
		thread->wait_stacks_ns = since;
	if (thread->wait_stacks_ns + WAIT_STACK_EVERY_NS > now)
		return false;
	thread->wait_stacks_ns += WAIT_STACK_EVERY_NS;
	return true;
}

/* The main thread of each process, and who submits work to a GPU. */
static __always_inline bool wants_wait_stack(struct thread *thread, struct task_struct *task,
					     __u32 preempted, __u64 now)
{
	struct entry_registers *regs;
	struct wait_place *place;

	thread->wait_key = 0;
	if (config.off_cpu_stacks)
		return true;
	if (task->pid != task->tgid && !thread->submits)
		return false;
	regs = preempted ? NULL : registers_of(task);
	if (regs) {
		thread->wait_key = (entry_place(regs) * 0x9e3779b97f4a7c15) >> 32 ?: 1;
		place = wait_place(thread);
		if (place->key == thread->wait_key && place->heat)
			return true;
	}
	return pay_wait_stack(thread, now);
}

/* The wait that began there has ended. */
static __always_inline void keep_wait_length(struct thread *thread, __u64 duration_ns)
{
	struct wait_place *place = wait_place(thread);

	if (!thread->wait_key)
		return;
	if (duration_ns >= LONG_WAIT_NS) {
		place->key = thread->wait_key;
		place->heat = WAIT_HEAT;
	} else if (place->key == thread->wait_key && place->heat) {
		place->heat--;
	}
	thread->wait_key = 0;
}

#endif /* STALLTRACE_WAIT_STACKS_BPF_H */
