/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The kernel's structs as far as the programs read them; CO-RE finds the members' true places on the
 * running kernel. A name with ___suffix is the same struct under an older layout.
 */
#ifndef STALLTRACE_KERNEL_TYPES_H
#define STALLTRACE_KERNEL_TYPES_H

#include <linux/bpf.h>
#include <stdbool.h>

typedef int pid_t;

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct upid {
	int nr;
};

struct pid {
	unsigned int level;
	struct upid numbers[1];
};

struct sched_info {
	unsigned long pcount;
	unsigned long long run_delay;
	unsigned long long last_arrival;
	unsigned long long last_queued;
};

struct rq {
	__u64 clock;
};

struct cfs_rq {
	struct rq *rq;
	int throttle_count;
};

struct sched_entity {
	struct cfs_rq *cfs_rq;
	__u64 sum_exec_runtime;
};

struct thread_struct {
	unsigned long fsbase;
};

struct task_struct {
	unsigned int __state;
	unsigned int flags;
	pid_t pid;
	pid_t tgid;
	__u64 start_time;
	char comm[16];
	struct task_struct *real_parent;
	struct task_struct *group_leader;
	struct pid *thread_pid;
	struct sched_info sched_info;
	struct sched_entity se;
	unsigned long min_flt;
	unsigned long maj_flt;
	unsigned in_iowait : 1;
	bool throttled; /* 6.18 on: throttled task by task */
	int exit_code;
	struct thread_struct thread;
};

#pragma clang attribute pop

#endif /* STALLTRACE_KERNEL_TYPES_H */
