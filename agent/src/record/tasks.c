// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../host/proc.h"
#include "../host/roles.h"
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
	const char *command_line, *cgroup, *cpus_allowed; /* NULL = not known */
	char texts[];
};

struct process_entry {
	struct process process;
	struct process_entry *next;    /* of its bucket, newest first */
	struct process_entry *younger; /* in order of first sight */
	struct process_entry *living;  /* the next that has not ended, as of the last look */
	struct kept_facts *facts;      /* as last read; NULL = never */
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

struct tasks *tasks_new(struct trace_writer *writer)
{
	struct tasks *tasks = calloc(1, sizeof(*tasks));

	if (!tasks)
		return NULL;
	tasks->writer = writer;
	tasks->next_task_id = tasks->next_process_id = 1;
	return tasks;
}

void tasks_free(struct tasks *tasks)
{
	if (!tasks)
		return;
	for (unsigned int i = 0; i < BUCKETS; i++) {
		for (struct task_entry *entry = tasks->by_tid[i], *next; entry; entry = next) {
			next = entry->next;
			free(entry);
		}
	}
	for (struct process_entry *entry = tasks->oldest, *next; entry; entry = next) {
		next = entry->younger;
		free(entry->facts);
		free(entry);
	}
	free(tasks);
}

static unsigned int bucket_of(pid_t id)
{
	return (unsigned int)id & (BUCKETS - 1);
}

static struct process_entry *find_process_entry(const struct tasks *tasks, pid_t pid)
{
	struct process_entry *entry = tasks->by_pid[bucket_of(pid)];

	while (entry && entry->process.pid != pid)
		entry = entry->next;
	return entry;
}

struct process *tasks_find_process(struct tasks *tasks, pid_t pid)
{
	struct process_entry *entry = find_process_entry(tasks, pid);

	return entry ? &entry->process : NULL;
}

struct task *tasks_find(struct tasks *tasks, pid_t tid)
{
	struct task_entry *entry = tasks->by_tid[bucket_of(tid)];

	while (entry && entry->task.tid != tid)
		entry = entry->next;
	return entry ? &entry->task : NULL;
}

int64_t tasks_row(struct tasks *tasks, pid_t tid)
{
	const struct task *task = tasks_find(tasks, tid);

	return task ? task->id : TRACE_NULL;
}

/* A moment for a row: NULL where it was not seen. */
static int64_t moment(const struct tasks *tasks, uint64_t monotonic_ns)
{
	return monotonic_ns ? trace_time(tasks->writer, monotonic_ns) : TRACE_NULL;
}

/* When it began, where that lies inside the recording. */
static int64_t begin_moment(const struct tasks *tasks, uint64_t monotonic_ns)
{
	int64_t at = moment(tasks, monotonic_ns);

	return at > 0 ? at : TRACE_NULL;
}

static void put_task(struct tasks *tasks, const struct task *task)
{
	const struct role_facts facts = {
		.comm = task->comm,
		.kernel = task->process->kernel,
		.thread = true,
		.made_cuda_calls = task->process->cuda_calls > 0,
	};
	/* The first thread is what its process is. */
	const char *role = task->tid == task->process->pid ? task->process->role :
							     guess_role(&facts).role;
	const struct thread_row row = {
		.id = task->id,
		.process_id = task->process->id,
		.tid = task->tid,
		.namespace_tid = task->namespace_tid ? task->namespace_tid : TRACE_NULL,
		.start_ns = begin_moment(tasks, task->start_ns),
		.end_ns = moment(tasks, task->end_ns),
		.name = task->comm,
		.role = role,
	};

	trace_put_thread(tasks->writer, &row);
}

static void put_process(struct tasks *tasks, const struct process_entry *entry)
{
	const struct process *process = &entry->process;
	const struct kept_facts *facts = entry->facts;
	struct process_row row = {
		.id = process->id,
		.pid = process->pid,
		.namespace_pid = process->namespace_pid ? process->namespace_pid : TRACE_NULL,
		.parent_id = process->parent ? process->parent->id : TRACE_NULL,
		.start_ns = begin_moment(tasks, process->start_ns),
		.end_ns = moment(tasks, process->end_ns),
		.name = process->comm,
		.role = process->role,
		.role_basis = process->role_basis,
		.rank = TRACE_NULL,
		.local_rank = TRACE_NULL,
		.world_size = TRACE_NULL,
	};

	if (facts) {
		row.command_line = facts->command_line;
		row.cgroup = facts->cgroup;
		row.cpus_allowed = facts->cpus_allowed;
		row.cpu_quota = facts->cpu_quota;
		row.rank = facts->rank >= 0 ? facts->rank : TRACE_NULL;
		row.local_rank = facts->local_rank >= 0 ? facts->local_rank : TRACE_NULL;
		row.world_size = facts->world_size >= 0 ? facts->world_size : TRACE_NULL;
	}
	trace_put_process(tasks->writer, &row);
}

static void guess_process_role(struct process_entry *entry)
{
	struct process *process = &entry->process;
	const struct process *parent = process->parent;
	const struct role_facts facts = {
		.comm = process->comm,
		.command_line = entry->facts ? entry->facts->command_line : NULL,
		.parent_comm = parent ? parent->comm : NULL,
		.kernel = process->kernel,
		.forked_without_exec = process->forked,
		.parent_runs_python = parent && is_python_name(parent->comm),
		.made_cuda_calls = process->cuda_calls > 0,
		.maps_cuda = process->cuda_calls > 0,
		.has_python_children = process->forked_children > 0 &&
				       is_python_name(process->comm),
		.siblings_alike = process->forked && parent && parent->forked_children ?
					  parent->forked_children - 1 :
					  0,
	};
	const struct role_guess guess = guess_role(&facts);

	process->role = guess.role;
	process->role_basis = guess.basis;
}

/*
 * Of a process that ran before the recording no fork was seen: /proc says whose child it is, and
 * that it still runs its parent's program. The parent may be met after its child.
 */
static void adopt(struct tasks *tasks, struct process *process, const struct kept_facts *facts)
{
	struct process_entry *parent = find_process_entry(tasks, facts->parent);

	if (!parent || !parent->process.target || &parent->process == process ||
	    (process->parent && process->parent != &parent->process))
		return;
	process->parent = &parent->process;
	if (process->forked || !facts->forked_without_exec)
		return;
	process->forked = true;
	parent->process.forked_children++;
	guess_process_role(parent);
	put_process(tasks, parent);
}

/* NULL for an empty one. */
static const char *keep_text(char **at, const char *text)
{
	char *kept = *at;

	if (!text[0])
		return NULL;
	*at = stpcpy(kept, text) + 1;
	return kept;
}

static void keep_facts(struct process_entry *entry, const struct proc_facts *facts)
{
	size_t bytes = strlen(facts->command_line) + strlen(facts->cgroup) +
		       strlen(facts->cpus_allowed) + 3;
	struct kept_facts *kept = malloc(sizeof(*kept) + bytes);
	char *at = kept ? kept->texts : NULL;

	if (!kept)
		return;
	kept->parent = facts->parent;
	kept->forked_without_exec = facts->forked_without_exec;
	kept->cpu_quota = facts->cpu_quota;
	kept->rank = facts->rank;
	kept->local_rank = facts->local_rank;
	kept->world_size = facts->world_size;
	kept->command_line = keep_text(&at, facts->command_line);
	kept->cgroup = keep_text(&at, facts->cgroup);
	kept->cpus_allowed = keep_text(&at, facts->cpus_allowed);
	free(entry->facts);
	entry->facts = kept;
}

void tasks_describe(struct tasks *tasks, struct process *process)
{
	struct process_entry *entry = find_process_entry(tasks, process->pid);

	if (!entry || &entry->process != process)
		return;
	if (!process->ended && !process->kernel &&
	    proc_read_facts(process->pid, &tasks->reading) == 0)
		keep_facts(entry, &tasks->reading);
	if (entry->facts)
		adopt(tasks, process, entry->facts);
	guess_process_role(entry);
	put_process(tasks, entry);
}

static struct process_entry *add_process(struct tasks *tasks, const struct task_identity *identity)
{
	struct process_entry *entry = calloc(1, sizeof(*entry));
	struct process *process = entry ? &entry->process : NULL;
	struct proc_stat stat;

	if (!entry)
		return NULL;
	process->id = tasks->next_process_id++;
	process->pid = identity->tgid;
	process->namespace_pid = identity->namespace_tgid;
	process->parent = identity->parent_tgid ? tasks_find_process(tasks, identity->parent_tgid) :
						  NULL;
	process->kernel = identity->kernel;
	process->target = identity->target;
	process->start_ns = identity->tid == identity->tgid ? identity->start_ns : 0;
	snprintf(process->comm, sizeof(process->comm), "%s", identity->comm);
	/* Of a process that is met through one of its threads, the name is in /proc. */
	if (identity->tid != identity->tgid && proc_read_stat(identity->tgid, 0, &stat) == 0)
		snprintf(process->comm, sizeof(process->comm), "%.15s", stat.comm);
	entry->next = tasks->by_pid[bucket_of(process->pid)];
	tasks->by_pid[bucket_of(process->pid)] = entry;
	if (tasks->youngest)
		tasks->youngest->younger = entry;
	else
		tasks->oldest = entry;
	tasks->youngest = entry;
	entry->living = tasks->living;
	tasks->living = entry;
	if (process->target)
		tasks->living_targets++;
	guess_process_role(entry);
	put_process(tasks, entry);
	return entry;
}

/* The living process of the identity: a pid may name another one by now. */
static struct process *see_process(struct tasks *tasks, const struct task_identity *identity)
{
	struct process_entry *entry = find_process_entry(tasks, identity->tgid);
	bool main_thread = identity->tid == identity->tgid;
	struct process *process;

	if (entry && entry->process.ended)
		entry = NULL;
	if (entry && main_thread && entry->process.start_ns && identity->start_ns &&
	    entry->process.start_ns != identity->start_ns)
		entry = NULL;
	if (!entry)
		entry = add_process(tasks, identity);
	if (!entry)
		return NULL;
	process = &entry->process;
	if (main_thread && !process->start_ns)
		process->start_ns = identity->start_ns;
	if (identity->target && !process->target) {
		process->target = true;
		tasks->living_targets++;
	}
	return process;
}

struct task *tasks_see(struct tasks *tasks, const struct task_identity *identity)
{
	struct task *known = tasks_find(tasks, identity->tid);
	struct task_entry *entry;
	struct process *process;

	if (known && known->start_ns == identity->start_ns && !known->end_ns) {
		if (identity->target && !known->process->target) {
			known->process->target = true;
			tasks->living_targets++;
		}
		return known;
	}
	process = see_process(tasks, identity);
	entry = process ? calloc(1, sizeof(*entry)) : NULL;
	if (!entry)
		return NULL;
	entry->task = (struct task){
		.id = tasks->next_task_id++,
		.tid = identity->tid,
		.namespace_tid = identity->namespace_tid,
		.process = process,
		.start_ns = identity->start_ns,
	};
	snprintf(entry->task.comm, sizeof(entry->task.comm), "%s", identity->comm);
	entry->next = tasks->by_tid[bucket_of(identity->tid)];
	tasks->by_tid[bucket_of(identity->tid)] = entry;
	process->living_threads++;
	put_task(tasks, &entry->task);
	return &entry->task;
}

void tasks_rename(struct tasks *tasks, struct task *task, const char *comm, bool exec)
{
	struct process *process = task->process;

	snprintf(task->comm, sizeof(task->comm), "%s", comm);
	put_task(tasks, task);
	if (exec)
		process->forked = false;
	if (exec || task->tid == process->pid) {
		snprintf(process->comm, sizeof(process->comm), "%s", comm);
		tasks_describe(tasks, process);
	}
}

void tasks_end(struct tasks *tasks, struct task *task, uint64_t at_ns)
{
	struct process *process = task->process;

	if (task->end_ns)
		return;
	task->end_ns = at_ns;
	process->living_threads--;
	put_task(tasks, task);
	if (task->tid != process->pid || process->ended)
		return;
	process->ended = true;
	process->end_ns = at_ns;
	if (process->target)
		tasks->living_targets--;
	tasks_describe(tasks, process);
}

unsigned int tasks_living_targets(const struct tasks *tasks)
{
	return tasks->living_targets;
}

unsigned int tasks_living_target_threads(const struct tasks *tasks)
{
	unsigned int threads = 0;

	for (const struct process_entry *entry = tasks->oldest; entry; entry = entry->younger) {
		if (entry->process.target && !entry->process.ended)
			threads += entry->process.living_threads;
	}
	return threads;
}

void tasks_each_process(struct tasks *tasks, void (*visit)(void *context, struct process *process),
			void *context)
{
	for (struct process_entry *entry = tasks->oldest; entry; entry = entry->younger)
		visit(context, &entry->process);
}

void tasks_each_living(struct tasks *tasks, void (*visit)(void *context, struct process *process),
		       void *context)
{
	struct process_entry **link = &tasks->living;

	while (*link) {
		struct process_entry *entry = *link;

		if (entry->process.ended) {
			*link = entry->living;
			continue;
		}
		visit(context, &entry->process);
		link = &entry->living;
	}
}
