// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Forks, execs, exits and names, as rows and as what tasks are. */
#include "perf.h"

/* How long after exec the kernel takes a program out of sight at the latest, and how long an end takes. */
#define BEGINS_WITHIN_NS (10 * NS_PER_MS)
#define LEAVES_WITHIN_NS NS_PER_SECOND

static struct task *see(struct perf_recorder *perf, struct task_identity *identity)
{
	identity->namespace_tid = proc_namespace_tid(identity->tgid, identity->tid);
	identity->namespace_tgid = proc_namespace_tid(identity->tgid, identity->tgid);
	identity->target = true;
	return tasks_see(perf->session->tasks, identity);
}

struct task *perf_see_task(struct perf_recorder *perf, pid_t pid, pid_t tid)
{
	struct proc_stat stat;
	struct task_identity identity = {.tid = tid, .tgid = pid};
	struct task *task;

	if (proc_read_stat(pid, tid, &stat))
		return NULL;
	identity.parent_tgid = stat.parent;
	identity.start_ns = proc_ticks_to_monotonic(stat.start_ticks);
	identity.comm = stat.comm;
	identity.kernel = stat.kernel_thread;
	task = see(perf, &identity);
	if (task && tid == pid)
		tasks_describe(perf->session->tasks, task->process);
	return task;
}

static void inherit(struct perf_recorder *perf, const struct task *parent, struct process *process)
{
	/* /proc may have said so already: see adopt() in task_rows.c. */
	if (!process->forked)
		parent->process->forked_children++;
	process->forked = true;
	process->parent = parent->process;
	process->from_exec = parent->process->from_exec;
	tasks_describe(perf->session->tasks, process);
}

void perf_fork(struct perf_recorder *perf, const struct perf_record *record)
{
	struct perf_thread *known = perf_thread_find(perf, record->tid);
	struct task *parent = tasks_find(perf->session->tasks, record->parent_tid), *task;
	struct task_identity identity = {
		.tid = record->tid,
		.tgid = record->pid,
		.parent_tgid = record->parent_pid,
		.start_ns = record->time_ns,
		.comm = parent ? parent->comm : "",
	};

	/* Its own end was lost. */
	if (known)
		perf_thread_end(perf, known, record->time_ns);
	task = see(perf, &identity);
	known = task ? perf_thread_add(perf, task) : NULL;
	if (!known)
		return;
	known->state = THREAD_OFF;
	known->since_ns = record->time_ns;
	known->ready = known->is_new = true;
	/* The kernel's sums of it begin at zero. */
	known->has_base = known->base.has_faults = true;
	if (parent && record->tid == record->pid)
		inherit(perf, parent, task->process);
	session_put_process_event(perf->session, PROCESS_FORK, record->time_ns,
				  parent ? parent->id : TRACE_NULL, task->id);
}

void perf_end_task(struct perf_recorder *perf, struct perf_thread *thread, uint64_t at_ns)
{
	struct task *task = thread->task;

	perf_thread_end(perf, thread, at_ns);
	session_put_process_event(perf->session, PROCESS_EXIT, at_ns, task->id, TRACE_NULL);
	tasks_end(perf->session->tasks, task, at_ns);
}

static bool is_running(const struct perf_thread *thread)
{
	struct proc_stat stat;

	return !proc_read_stat(thread->files.pid, 0, &stat) && stat.state != 'Z' &&
	       stat.state != 'X' &&
	       tasks_is_same_start(proc_ticks_to_monotonic(stat.start_ticks),
				   thread->task->start_ns);
}

void perf_look_why_left(struct perf_recorder *perf, struct perf_thread *thread)
{
	struct task *task = thread->task;

	if (!is_running(thread)) {
		perf_end_task(perf, thread, thread->left_ns);
		return;
	}
	/* An end takes a moment. */
	if (perf->session->now_ns - thread->left_ns < LEAVES_WITHIN_NS)
		return;
	if (!perf->out_of_sight++)
		session_notice(
			perf->session, "warning",
			"Process %d (%s) runs with rights of its own, as sudo does: the kernel shows neither its switches from then on nor those of what it starts. Run the capture with those rights instead.",
			task->process->pid, task->comm);
	/* What is not seen to have a CPU from then on may be of the job all the same. */
	trace_put_gap(perf->session->writer, "on_cpu",
		      trace_time(perf->session->writer, thread->left_ns), 0, -1);
	thread->left_ns = 0;
}

/* The kernel also says so of who begins a program with its owner's rights, which is not its user's to watch. */
void perf_exit(struct perf_recorder *perf, const struct perf_record *record)
{
	struct perf_thread *thread = perf_thread_find(perf, record->tid);
	uint64_t exec_ns = thread ? thread->task->process->exec_ns : 0;

	if (!thread)
		return;
	if (record->tid != record->pid || record->time_ns - exec_ns > BEGINS_WITHIN_NS) {
		perf_end_task(perf, thread, record->time_ns);
		return;
	}
	perf_thread_forget_state(perf, thread, record->time_ns);
	thread->left_ns = record->time_ns;
}

/* Who calls exec goes on alone, by the number of the first thread. */
static void end_others(struct perf_recorder *perf, pid_t pid, uint64_t at_ns)
{
	for (unsigned int i = 0; i < PERF_BUCKETS; i++) {
		for (struct perf_thread *thread = perf->by_tid[i], *next; thread; thread = next) {
			struct task *task = thread->task;

			next = thread->next;
			if (thread->files.pid != pid || thread->files.tid == pid)
				continue;
			perf_thread_end(perf, thread, at_ns);
			tasks_end(perf->session->tasks, task, at_ns);
		}
	}
}

void perf_comm(struct perf_recorder *perf, const struct perf_record *record)
{
	struct session *session = perf->session;
	struct perf_thread *thread = perf_thread_see(perf, record->pid, record->tid);
	struct task *task = thread ? thread->task : NULL;
	struct process *process = task ? task->process : NULL;

	if (!task)
		return;
	if (record->exec) {
		end_others(perf, record->pid, record->time_ns);
		process->from_exec = true;
		process->exec_ns = record->time_ns;
	}
	session_put_process_event(session, record->exec ? PROCESS_EXEC : PROCESS_RENAME,
				  record->time_ns, task->id, TRACE_NULL);
	tasks_rename(session->tasks, task, record->comm, record->exec);
}
