/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* One thread as the poller follows it, look by look, and the rows that come of it. */
#ifndef STALLTRACE_POLLED_THREAD_H
#define STALLTRACE_POLLED_THREAD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "../../trace/writer.h"
#include "../recorder.h"
#include "../stacks.h"
#include "../task_files.h"
#include "../tasks.h"

/* What the poller's threads share: where rows go, and what could not be read. */
struct polling {
	struct trace_writer *writer;
	struct tasks *tasks;
	struct wait_reading reading;
	uint64_t waits;        /* intervals that began */
	uint64_t python_waits; /* … with Python's frames */
	bool no_schedstat;     /* the kernel doesn't count: CPU time comes in clock ticks */
};

/* An interval off the CPU that has not ended. */
struct open_wait {
	uint64_t start_ns;
	uint64_t queue_ns; /* waiting for a CPU, so far as the kernel has counted it */
	struct waited_in in;
	bool has_python; /* in its stack */
	int64_t cpu_out;
};

struct polled_thread {
	struct task *task;
	struct task_files files;
	uint64_t start_ticks, start_stack;
	char comm[64];
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

/* `began_ns`: from when on it is followed. -errno, -ESRCH where it has gone. */
int polled_thread_open(struct polling *polling, struct polled_thread *thread,
		       const struct proc_stat *stat, pid_t pid, bool is_new, uint64_t began_ns);
/* Reads what changed and writes what ended. -ESRCH once the thread has gone. */
int polled_thread_look(struct polling *polling, struct polled_thread *thread, uint64_t now_ns);
/* As struct recorder has it. */
int polled_thread_take_stack(struct polling *polling, struct polled_thread *thread,
			     struct wait_stack *stack);
/* Writes what is open, up to `end_ns`; ended: it is over, else the recording is. */
void polled_thread_close(struct polling *polling, struct polled_thread *thread, uint64_t end_ns,
			 bool ended);

#endif /* STALLTRACE_POLLED_THREAD_H */
