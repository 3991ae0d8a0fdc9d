/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What /proc says of one thread, for the recorders that look there. */
#ifndef STALLTRACE_TASK_FILES_H
#define STALLTRACE_TASK_FILES_H

#include <stdint.h>
#include <sys/types.h>
#include "../host/proc.h"
#include "stacks.h"

/* Files of /proc/PID/task/TID. */
enum task_file { TASK_STAT, TASK_SCHEDSTAT, TASK_SYSCALL, TASK_WCHAN, TASK_FILES };

struct task_files {
	pid_t pid, tid;
	int fds[TASK_FILES]; /* -1 = opened each time */
};

/* Those of the thread, none kept open yet. */
struct task_files task_files_of(pid_t pid, pid_t tid);
void task_files_open(struct task_files *files);
void task_files_close(struct task_files *files);
/* -errno; -ESRCH once the thread has gone. */
int task_read_stat(const struct task_files *files, struct proc_stat *out);
int task_read_schedstat(const struct task_files *files, struct proc_schedstat *out);

/* What a thread off the CPU waits in. TRACE_NULL = not known. */
struct waited_in {
	int64_t state; /* TASK_* bits */
	int64_t syscall, arguments[3];
	int64_t stack;
};
struct waited_in waited_in_unknown(int64_t state);
/* TASK_* bits of the letter in /proc/PID/stat. */
int64_t task_state_bits(char letter);

/* Where names go, and what could be read. */
struct wait_reading {
	struct stacks *stacks;
	uint64_t named;           /* with the kernel's function */
	uint64_t known_syscalls;  /* with their system call */
	uint64_t denied_syscalls; /* whose system call may not be read */
};
/* Of a thread that sleeps now: its system call and the kernel function, where they may be read. */
void task_read_wait(struct wait_reading *reading, const struct task_files *files,
		    struct waited_in *wait);

#endif /* STALLTRACE_TASK_FILES_H */
