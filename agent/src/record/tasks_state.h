/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What tasks.c, which finds tasks, and task_rows.c, which writes them, share. */
#ifndef STALLTRACE_TASKS_STATE_H
#define STALLTRACE_TASKS_STATE_H

#include "../host/proc.h"
#include "tasks.h"

#define BUCKETS 16384 /* a power of two */

struct task_entry {
	struct task task;
	struct task_entry *next; /* of its bucket, newest first */
};

/* Of struct proc_facts what rows need, in no more memory than it takes: processes may be many. */
struct kept_facts {
	pid_t parent;
	bool forked_without_exec;
	double cpu_quota;
	int rank, local_rank, world_size;
	const char *command_line, *cgroup, *cpus_allowed, *group_cpus; /* NULL = not known */
	char texts[];
};

struct process_entry {
	struct process process;
	struct process_entry *next;    /* of its bucket, newest first */
	struct process_entry *younger; /* in order of first sight */
	struct process_entry *living;  /* the next that has not ended, as of the last look */
	struct kept_facts *facts;      /* as last read; NULL = never */
	char *pinned_nodes;            /* likewise */
};

struct tasks {
	struct trace_writer *writer;
	struct task_entry *by_tid[BUCKETS];
	struct process_entry *by_pid[BUCKETS];
	struct process_entry *oldest, *youngest;
	struct process_entry *living; /* newest first */
	struct proc_facts reading;
	int64_t next_task_id, next_process_id;
	unsigned int living_targets;
};

/* The newest of that pid, ended or not; NULL = none. */
struct process_entry *tasks_find_entry(const struct tasks *tasks, pid_t pid);

/* Their rows, again where they were written before. */
void tasks_put_task(struct tasks *tasks, const struct task *task);
void tasks_put_process(struct tasks *tasks, const struct process_entry *entry);
void tasks_guess_role(struct process_entry *entry);

#endif /* STALLTRACE_TASKS_STATE_H */
