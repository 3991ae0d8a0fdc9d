// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Who called: processes and threads of the job as rows, whether or not another recorder knows them. */
#include "inside.h"

struct search {
	pid_t pid, wanted, found;
};

static void compare(void *context, pid_t tid)
{
	struct search *search = context;

	if (!search->found && proc_namespace_tid(search->pid, tid) == search->wanted)
		search->found = tid;
}

/* Of a process with a PID namespace of its own: the number that it has in ours. */
static pid_t our_tid(const struct inside_process *process, uint32_t tid)
{
	struct search search = {.pid = process->pid, .wanted = (pid_t)tid};

	if (!process->own_namespace)
		return (pid_t)tid;
	proc_each_thread(process->pid, compare, &search);
	return search.found;
}

static struct task *see(struct inside_recorder *inside, const struct inside_process *process,
			pid_t tid, uint32_t namespace_tid)
{
	struct proc_stat stat = {0};
	struct task_identity identity = {
		.tid = tid,
		.tgid = process->pid,
		.namespace_tid = (pid_t)namespace_tid,
		.namespace_tgid = proc_namespace_tid(process->pid, process->pid),
		.comm = stat.comm,
		.target = true,
	};

	/* It may have ended since: then its name is not known. */
	if (!proc_read_stat(process->pid, tid, &stat)) {
		identity.start_ns = proc_ticks_to_monotonic(stat.start_ticks);
		identity.parent_tgid = tid == process->pid ? stat.parent : 0;
	}
	return tasks_see(inside->session->tasks, &identity);
}

struct task *inside_task(struct inside_recorder *inside, struct inside_process *process,
			 uint32_t tid)
{
	struct task *task = NULL;
	pid_t ours;

	if (!process->own_namespace)
		task = tasks_find(inside->session->tasks, (pid_t)tid);
	if (task && task->process->pid == process->pid)
		return task;
	ours = our_tid(process, tid);
	if (!ours)
		return NULL;
	task = tasks_find(inside->session->tasks, ours);
	return task && task->process->pid == process->pid ? task : see(inside, process, ours, tid);
}

struct process *inside_process_row(struct inside_recorder *inside, struct inside_process *process)
{
	struct process *row = tasks_find_process(inside->session->tasks, process->pid);
	struct task *task;

	/* Another one may have had its pid before; or it has just ended, which is known from its kernel first. */
	if (row &&
	    (!row->ended ||
	     tasks_is_same_start(row->start_ns, proc_ticks_to_monotonic(process->start_ticks))))
		return row;
	task = process->ended ? NULL :
				see(inside, process, process->pid,
				    (uint32_t)proc_namespace_tid(process->pid, process->pid));
	if (!task)
		return row;
	tasks_describe(inside->session->tasks, task->process);
	return task->process;
}
