/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* One thread as the poller follows it, look by look, and the rows that come of it. */
#ifndef STALLTRACE_POLLED_THREAD_H
#define STALLTRACE_POLLED_THREAD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "../../host/proc.h"
#include "../../trace/writer.h"
#include "../stacks.h"
#include "../tasks.h"

/* What the poller's threads share: where rows go, and what could not be read. */
struct polling {
	struct trace_writer *writer;
	struct tasks *tasks;
	struct stacks *stacks;
	uint64_t waits;           /* intervals that began */
	uint64_t named_waits;     /* of these, with the kernel's function */
	uint64_t known_syscalls;  /* … with their system call */
	uint64_t denied_syscalls; /* … whose system call may not be read */
	bool no_schedstat;        /* the kernel doesn't count: CPU time comes in clock ticks */
};

/* An interval off the CPU that has not ended. */
struct open_wait {
	uint64_t start_ns;
	uint64_t queue_ns; /* waiting for a CPU, so far as the kernel has counted it */
	int64_t state;     /* TASK_* bits; TRACE_NULL = not seen */
	int64_t syscall, arguments[3];
	int64_t stack;
	int64_t cpu_out;
};

/* Files of /proc/PID/task/TID. */
enum polled_file { POLLED_STAT, POLLED_SCHEDSTAT, POLLED_SYSCALL, POLLED_WCHAN, POLLED_FILES };

struct polled_thread {
	struct task *task;
	pid_t pid, tid;
	uint64_t start_ticks, start_stack;
	char comm[64];
	int fds[POLLED_FILES]; /* -1 = opened each time */
	uint64_t looked_ns;
	struct proc_schedstat counted;
	int64_t run_debt_ns; /* counted but not laid out yet; < 0 = laid out before it was counted */
	uint64_t queue_debt_ns; /* likewise of the time waiting for a CPU */
	char state;
	int cpu;
	bool running;          /* at the last look */
	uint64_t on_since_ns;  /* while running */
	struct open_wait wait; /* while not */
	/* sums as of the begin of the wait, and CPU time since the one before */
	uint64_t minor_faults, major_faults;
	uint64_t slice_minor_faults, slice_major_faults;
	uint64_t slice_ns;
	bool renamed, called_exec, ended; /* found by the last look */
};

/* polled_files.c, for polled_thread.c */
void polled_open_files(struct polled_thread *thread);
int polled_read_stat(const struct polled_thread *thread, struct proc_stat *out);
int polled_read_schedstat(const struct polled_thread *thread, struct proc_schedstat *out);
/* Into the wait, where it may be read. */
void polled_read_syscall(struct polling *polling, const struct polled_thread *thread,
			 struct open_wait *wait);
void polled_read_wait_channel(struct polling *polling, const struct polled_thread *thread,
			      struct open_wait *wait);

/* `began_ns`: from when on it is followed. -errno, -ESRCH where it has gone. */
int polled_thread_open(struct polling *polling, struct polled_thread *thread,
		       const struct proc_stat *stat, pid_t pid, bool is_new, uint64_t began_ns);
/* Reads what changed and writes what ended. -ESRCH once the thread has gone. */
int polled_thread_look(struct polling *polling, struct polled_thread *thread, uint64_t now_ns);
/* Nothing is written. */
void polled_thread_close_files(struct polled_thread *thread);
/* Writes what is open, up to `end_ns`; ended: it is over, else the recording is. */
void polled_thread_close(struct polling *polling, struct polled_thread *thread, uint64_t end_ns,
			 bool ended);

#endif /* STALLTRACE_POLLED_THREAD_H */
