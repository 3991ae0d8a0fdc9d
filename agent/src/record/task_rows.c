// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* What is known of a process or thread, asked and written. */
#include <stdlib.h>
#include <string.h>
#include "../host/roles.h"
#include "stacks.h"
#include "tasks_state.h"

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

/* By SCHED_* of include/uapi/linux/sched.h; NULL = not known. */
static const char *policy_name(const struct task_priority *priority)
{
	static const char *const names[] = {"other", "fifo", "rr",       "batch",
					    NULL,    "idle", "deadline", "ext"};

	return priority->known && priority->policy < sizeof(names) / sizeof(names[0]) ?
		       names[priority->policy] :
		       NULL;
}

void tasks_put_task(struct tasks *tasks, const struct task *task)
{
	const struct role_facts facts = {
		.comm = task->comm,
		.kernel = task->process->kernel,
		.thread = true,
		.made_cuda_calls = task->process->cuda_calls > 0,
		.in_pin_loop = task->in_pin_loop,
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
		.policy = policy_name(&task->priority),
		.priority = task->priority.real_time ? task->priority.real_time : TRACE_NULL,
		.nice = task->priority.known ? task->priority.nice : TRACE_NULL,
	};

	trace_put_thread(tasks->writer, &row);
}

void tasks_put_process(struct tasks *tasks, const struct process_entry *entry)
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
		.pinned_nodes = entry->pinned_nodes,
		.rank = TRACE_NULL,
		.local_rank = TRACE_NULL,
		.world_size = TRACE_NULL,
	};

	if (facts) {
		row.command_line = facts->command_line;
		row.cgroup = facts->cgroup;
		row.cpus_allowed = facts->cpus_allowed;
		row.group_cpus = facts->group_cpus;
		row.cpu_quota = facts->cpu_quota;
		row.rank = facts->rank >= 0 ? facts->rank : TRACE_NULL;
		row.local_rank = facts->local_rank >= 0 ? facts->local_rank : TRACE_NULL;
		row.world_size = facts->world_size >= 0 ? facts->world_size : TRACE_NULL;
	}
	trace_put_process(tasks->writer, &row);
}

void tasks_guess_role(struct process_entry *entry)
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
		.in_worker_loop = process->in_worker_loop,
		.python_stacks = process->python_stacks,
		.has_python_children = process->forked_children > 0 &&
				       is_python_name(process->comm),
		.siblings_alike = process->forked && parent && parent->forked_children ?
					  parent->forked_children - 1 :
					  0,
	};
	struct role_guess guess = guess_role(&facts);

	/* Of processes outside the job only names and switches are seen, no calls and no forks. */
	if (!guess.role && !process->target)
		guess.basis = "not part of what was recorded";
	process->role = guess.role;
	process->role_basis = guess.basis;
}

/*
 * Of a process that ran before the recording no fork was seen: /proc says whose child it is, and
 * that it still runs its parent's program. The parent may be met after its child.
 */
static void adopt(struct tasks *tasks, struct process *process, const struct kept_facts *facts)
{
	struct process_entry *parent = tasks_find_entry(tasks, facts->parent);

	if (!parent || !parent->process.target || &parent->process == process ||
	    (process->parent && process->parent != &parent->process))
		return;
	process->parent = &parent->process;
	if (process->forked || !facts->forked_without_exec)
		return;
	process->forked = true;
	parent->process.forked_children++;
	tasks_guess_role(parent);
	tasks_put_process(tasks, parent);
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
		       strlen(facts->cpus_allowed) + strlen(facts->group_cpus) + 4;
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
	kept->group_cpus = keep_text(&at, facts->group_cpus);
	free(entry->facts);
	entry->facts = kept;
}

void tasks_describe(struct tasks *tasks, struct process *process)
{
	struct process_entry *entry = tasks_find_entry(tasks, process->pid);
	struct task *first = tasks_find(tasks, process->pid);

	if (!entry || &entry->process != process)
		return;
	/* Without a command line it is about to end: what was read before is better. */
	if (!process->ended && !process->kernel &&
	    proc_read_facts(process->pid, &tasks->reading) == 0 &&
	    (tasks->reading.command_line[0] || !entry->facts))
		keep_facts(entry, &tasks->reading);
	if (entry->facts)
		adopt(tasks, process, entry->facts);
	tasks_guess_role(entry);
	tasks_put_process(tasks, entry);
	if (first && first->process == process)
		tasks_put_task(tasks, first);
}

void tasks_set_pinned_nodes(struct tasks *tasks, struct process *process, const char *text)
{
	struct process_entry *entry = tasks_find_entry(tasks, process->pid);

	if (!entry || &entry->process != process)
		return;
	free(entry->pinned_nodes);
	entry->pinned_nodes = strdup(text);
	tasks_put_process(tasks, entry);
}

void tasks_tell(struct tasks *tasks, struct process *process, pid_t tid, unsigned int told)
{
	struct task *task = tasks_find(tasks, tid);
	bool was_in_loop = process->in_worker_loop;

	/* Others than the first do a worker's errands: its queue's feeder. */
	if (tid == process->pid && (told & (STACK_OF_PROCESS_RUN | STACK_OF_WORKER_LOOP))) {
		process->python_stacks++;
		process->in_worker_loop |= (told & STACK_OF_WORKER_LOOP) != 0;
		if (process->in_worker_loop != was_in_loop ||
		    process->python_stacks == ENOUGH_STACKS)
			tasks_describe(tasks, process);
	}
	if (task && !task->in_pin_loop && (told & STACK_OF_PIN_LOOP)) {
		task->in_pin_loop = true;
		tasks_put_task(tasks, task);
	}
}
