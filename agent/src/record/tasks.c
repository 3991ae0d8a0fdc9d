// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../clock.h"
#include "tasks_state.h"

/* What loads an interpreter later than that can wait for it. */
#define YOUNG_NS (5 * NS_PER_SECOND)
#define PYTHON_MOST_REFUSALS 10

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
		free(entry->pinned_nodes);
		free(entry);
	}
	free(tasks);
}

static unsigned int bucket_of(pid_t id)
{
	return (unsigned int)id & (BUCKETS - 1);
}

struct process_entry *tasks_find_entry(const struct tasks *tasks, pid_t pid)
{
	struct process_entry *entry = tasks->by_pid[bucket_of(pid)];

	while (entry && entry->process.pid != pid)
		entry = entry->next;
	return entry;
}

struct process *tasks_find_process(struct tasks *tasks, pid_t pid)
{
	struct process_entry *entry = tasks_find_entry(tasks, pid);

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

/* A title that a process gives itself begins with what its name becomes. */
static void copy_name(char out[static 16], const char *comm)
{
	snprintf(out, 16, "%.15s", comm);
	redact_name(out);
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
	copy_name(process->comm, identity->comm);
	/* Of a process that is met through one of its threads, the name is in /proc. */
	if (identity->tid != identity->tgid && proc_read_stat(identity->tgid, 0, &stat) == 0)
		copy_name(process->comm, stat.comm);
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
	tasks_guess_role(entry);
	tasks_put_process(tasks, entry);
	return entry;
}

/*
 * One recorder has it from the kernel to the nanosecond, another from /proc, where it is cut to a tick. No
 * number comes round again so soon.
 */
#define START_TIME_ERROR_NS (10 * NS_PER_MS)

bool tasks_is_same_start(uint64_t left_ns, uint64_t right_ns)
{
	uint64_t apart_ns = left_ns > right_ns ? left_ns - right_ns : right_ns - left_ns;

	return apart_ns == 0 || (left_ns && right_ns && apart_ns <= START_TIME_ERROR_NS);
}

/* The living process of the identity: a pid may name another one by now. */
static struct process *see_process(struct tasks *tasks, const struct task_identity *identity)
{
	struct process_entry *entry = tasks_find_entry(tasks, identity->tgid);
	bool main_thread = identity->tid == identity->tgid;
	struct process *process;

	if (entry && entry->process.ended)
		entry = NULL;
	if (entry && main_thread && entry->process.start_ns && identity->start_ns &&
	    !tasks_is_same_start(entry->process.start_ns, identity->start_ns))
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

static void set_priority(struct tasks *tasks, struct task *task, struct task_priority now)
{
	const struct task_priority *last = &task->priority;

	if (!now.known || (last->known && last->policy == now.policy &&
			   last->real_time == now.real_time && last->nice == now.nice))
		return;
	task->priority = now;
	tasks_put_task(tasks, task);
}

void tasks_set_priority(struct tasks *tasks, pid_t tid, struct task_priority priority)
{
	struct task *task = tasks_find(tasks, tid);

	if (task)
		set_priority(tasks, task, priority);
}

struct task *tasks_see(struct tasks *tasks, const struct task_identity *identity)
{
	struct task *known = tasks_find(tasks, identity->tid);
	struct task_entry *entry;
	struct process *process;

	if (known && tasks_is_same_start(known->start_ns, identity->start_ns) && !known->end_ns) {
		if (identity->target && !known->process->target) {
			known->process->target = true;
			tasks->living_targets++;
		}
		set_priority(tasks, known, identity->priority);
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
		.priority = identity->priority,
	};
	copy_name(entry->task.comm, identity->comm);
	entry->next = tasks->by_tid[bucket_of(identity->tid)];
	tasks->by_tid[bucket_of(identity->tid)] = entry;
	process->living_threads++;
	tasks_put_task(tasks, &entry->task);
	return &entry->task;
}

static void put_again(struct tasks *tasks, struct process *process)
{
	struct process_entry *entry = tasks_find_entry(tasks, process->pid);

	if (!entry || &entry->process != process)
		return;
	tasks_guess_role(entry);
	tasks_put_process(tasks, entry);
}

/*
 * Nobody it forked before runs its program: of `python3` that is a script of a shell first, as pyenv's is, these
 * are the shell's own, and no workers.
 */
static void leave_children(struct tasks *tasks, struct process *process)
{
	struct process_entry *entry = process->forked_children ? tasks->oldest : NULL;

	process->forked_children = 0;
	for (; entry; entry = entry->younger) {
		struct process *child = &entry->process;
		struct task *first;

		if (child->parent != process || !child->forked)
			continue;
		child->forked = false;
		if (entry->facts)
			entry->facts->forked_without_exec = false;
		tasks_guess_role(entry);
		tasks_put_process(tasks, entry);
		first = tasks_find(tasks, child->pid);
		if (first && first->process == child)
			tasks_put_task(tasks, first);
	}
}

static void begin_program(struct tasks *tasks, struct process *process)
{
	if (process->forked && process->parent && process->parent->forked_children)
		process->parent->forked_children--;
	process->forked = false;
	process->settled = false;
	leave_children(tasks, process);
}

void tasks_rename(struct tasks *tasks, struct task *task, const char *comm, bool exec)
{
	struct process *process = task->process;

	copy_name(task->comm, comm);
	tasks_put_task(tasks, task);
	if (exec)
		begin_program(tasks, process);
	if (exec || task->tid == process->pid) {
		copy_name(process->comm, comm);
		/* A process can rename itself a million times a second: nothing is read for that. */
		if (exec)
			tasks_describe(tasks, process);
		else
			put_again(tasks, process);
	}
}

void tasks_end(struct tasks *tasks, struct task *task, uint64_t at_ns)
{
	struct process *process = task->process;

	if (task->end_ns)
		return;
	task->end_ns = at_ns;
	process->living_threads--;
	tasks_put_task(tasks, task);
	if (task->tid != process->pid || process->ended)
		return;
	process->ended = true;
	process->end_ns = at_ns;
	if (process->target)
		tasks->living_targets--;
	tasks_describe(tasks, process);
}

bool tasks_is_young(const struct process *process, uint64_t now_ns)
{
	/* Either may lie behind the moment at which a round began. */
	return now_ns < process->start_ns + YOUNG_NS ||
	       (process->exec_ns && now_ns < process->exec_ns + YOUNG_NS);
}

/*
 * The loader maps a library whole before it puts each part in its place, and each mapping wakes whoever looks: until
 * then anything stands where the interpreter will be.
 */
bool tasks_asks_python_again(struct process *process, uint64_t now_ns)
{
	return tasks_is_young(process, now_ns) && ++process->python_refusals < PYTHON_MOST_REFUSALS;
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
