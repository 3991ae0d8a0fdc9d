/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Kernel tasks → rows of process and thread. Kernel ids are used again, rows' ids are not: (tid,
 * start time) is a task's identity, and `tasks_find(tid)` is the task that has the tid now.
 */
#ifndef STALLTRACE_TASKS_H
#define STALLTRACE_TASKS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "../trace/writer.h"

/* When calls are recorded from inside; from_ns 0 = never. */
struct inside_span {
	uint64_t from_ns, until_ns;
};

struct process {
	int64_t id;
	pid_t pid, namespace_pid;
	struct process *parent;
	uint64_t start_ns, end_ns; /* CLOCK_MONOTONIC; 0 = not seen */
	char comm[16];
	bool target;
	bool kernel;
	bool from_exec; /* traced since its first instruction */
	bool forked;    /* and has not called exec since */
	bool ended;
	bool settled; /* what it set for itself after its start was read */
	uint64_t cuda_calls;
	unsigned int
		python_stacks; /* different ones in multiprocessing's run(), of its first thread */
	bool in_worker_loop;   /* one of them was in DataLoader's */
	unsigned int living_threads;
	unsigned int forked_children; /* that did not call exec */
	/* The recorder's: whether its interpreter was found, or is not to be looked for again. */
	bool python_known;
	unsigned int python_refusals; /* how often its layout was not known */
	uint64_t python_set_ns;       /* when the programs were told of it */
	uint64_t python_next_try_ns;
	bool python_looked;            /* it is among those whose stacks are read from outside */
	uint64_t pinned_read_ns;       /* when its pinned memory was looked for; 0 = never */
	unsigned int connections_look; /* number of the last look at its sockets */
	uint64_t exec_ns;              /* 0 = has not called exec while it was watched */
	/* When its mappings may be read again, and how long after that at the least. */
	uint64_t mappings_next_read_ns, mappings_pause_ns;
	const char *role, *role_basis; /* static texts */
	struct inside_span inside;     /* of what came last of its calls from inside */
};

/* How the kernel chooses when a task runs; all 0 = not known. */
struct task_priority {
	bool known;
	unsigned int policy; /* SCHED_* */
	unsigned int real_time;
	int nice;
};

struct task {
	int64_t id;
	pid_t tid, namespace_tid;
	struct process *process;
	uint64_t start_ns, end_ns; /* CLOCK_MONOTONIC */
	char comm[16];
	bool in_pin_loop; /* a stack of it was in DataLoader's pin-memory loop */
	/* The recorder's: launches of the stretch of that number (launch_windows.c). */
	uint32_t launches;
	unsigned int launches_stretch;
	struct task_priority priority;
};

struct tasks;
struct tasks *tasks_new(struct trace_writer *writer);
void tasks_free(struct tasks *tasks);

/* Of one task, by two clocks; ns, 0 = not known. */
bool tasks_is_same_start(uint64_t left_ns, uint64_t right_ns);

struct task_identity {
	pid_t tid, tgid, parent_tgid, namespace_tid, namespace_tgid;
	uint64_t start_ns;
	const char *comm;
	bool target, kernel;
	struct task_priority priority;
};
/* The task of that identity, made where it is new. Never NULL but without memory. */
struct task *tasks_see(struct tasks *tasks, const struct task_identity *identity);
/* Who has the tid now, or NULL. */
struct task *tasks_find(struct tasks *tasks, pid_t tid);
struct process *tasks_find_process(struct tasks *tasks, pid_t pid);
void tasks_rename(struct tasks *tasks, struct task *task, const char *comm, bool exec);
/* What was seen of the task that has the tid now. */
void tasks_set_priority(struct tasks *tasks, pid_t tid, struct task_priority priority);
void tasks_end(struct tasks *tasks, struct task *task, uint64_t at_ns);
/* What a stack of the thread told (STACK_OF_*): roles become certain, or are taken back. */
void tasks_tell(struct tasks *tasks, struct process *process, pid_t tid, unsigned int told);
/* Row id for an event; TRACE_NULL for a tid nobody announced. */
int64_t tasks_row(struct tasks *tasks, pid_t tid);

/* Reads command line, cgroup … of a target and writes its row again. */
void tasks_describe(struct tasks *tasks, struct process *process);
/* Where its pinned memory lies, as numa_text() writes it; into its row. */
void tasks_set_pinned_nodes(struct tasks *tasks, struct process *process, const char *text);
/* Whether its exec, or its start, was a few seconds ago: an interpreter is up soon after. */
bool tasks_is_young(const struct process *process, uint64_t now_ns);
/* Counts a Python whose layout is not known; false = it is to be given up. */
bool tasks_asks_python_again(struct process *process, uint64_t now_ns);

/* Processes of the traced tree that have not ended. */
unsigned int tasks_living_targets(const struct tasks *tasks);
/* Their threads, as far as they have run. */
unsigned int tasks_living_target_threads(const struct tasks *tasks);
void tasks_each_process(struct tasks *tasks, void (*visit)(void *context, struct process *process),
			void *context);
/* Without those that have ended, of which there may be a million. The visit may add none. */
void tasks_each_living(struct tasks *tasks, void (*visit)(void *context, struct process *process),
		       void *context);

#endif /* STALLTRACE_TASKS_H */
