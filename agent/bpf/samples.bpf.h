/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What targets execute, sampled by a clock on each CPU. */
#ifndef STALLTRACE_SAMPLES_BPF_H
#define STALLTRACE_SAMPLES_BPF_H

#include "registers.bpf.h"
#include "stacks.bpf.h"
#include "tasks.bpf.h"

static __always_inline __u8 sample_mode(const struct registers *registers)
{
#if defined(__TARGET_ARCH_arm64)
	/* PSTATE.M of exception level 0 */
	return (registers->pstate & 0xf) == 0 ? SAMPLE_USER : SAMPLE_KERNEL;
#else
	return (registers->cs & 3) == 3 ? SAMPLE_USER : SAMPLE_KERNEL;
#endif
}

SEC("perf_event")
int sample_cpu(struct registers *ctx) /* struct bpf_perf_event_data begins with them */
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct thread *thread = target_thread(task);
	struct cpu_sample_record *record;
	__u64 stack_id;

	if (!thread || !recording)
		return 0;
	announce_target(task, thread);
	stack_id = capture_stack(ctx, thread, 0, 0, STACK_KERNEL);
	record = reserve_record(RECORD_CPU_SAMPLE, task->pid, sizeof(*record));
	if (!record)
		return 0;
	record->header.flags = sample_mode(ctx);
	record->time_ns = bpf_ktime_get_ns();
	record->stack_id = stack_id;
	record->tgid = task->tgid;
	record->cpu = bpf_get_smp_processor_id();
	submit_record(record);
	return 0;
}

#endif /* STALLTRACE_SAMPLES_BPF_H */
