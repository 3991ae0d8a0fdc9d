// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Tasks that appear, fork, exec, rename themselves and exit. */
#include <errno.h>
#include <string.h>
#include "session.h"

/* Each mapping that it makes while it starts wakes the loop: time to look again. */
#define PYTHON_RETRY_NS (50 * NS_PER_MS)
#define PYTHON_RETRY_MAX_NS (2 * NS_PER_SECOND)
/* An interpreter is up soon after its exec; what loads one later can wait for it. */
#define PYTHON_YOUNG_NS (5 * NS_PER_SECOND)

void session_see_task(struct session *session, const struct task_record *record)
{
	char comm[COMM_LENGTH + 1] = {0};
	const struct task_identity identity = {
		.tid = (pid_t)record->header.tid,
		.tgid = (pid_t)record->tgid,
		.parent_tgid = (pid_t)record->parent_tgid,
		.namespace_tid = (pid_t)record->namespace_tid,
		.namespace_tgid = (pid_t)record->namespace_tgid,
		.start_ns = record->start_ns,
		.comm = comm,
		.target = record->header.flags & TASK_TARGET,
		.kernel = record->header.flags & TASK_KERNEL,
	};
	struct process *known = tasks_find_process(session->tasks, identity.tgid);
	bool was_target = known && known->target && !known->ended;
	struct task *task;

	memcpy(comm, record->comm, COMM_LENGTH);
	task = tasks_see(session->tasks, &identity);
	if (!task || !task->process->target || was_target)
		return;
	/* Its fork comes next, and brings what its parent had. */
	if (record->start_ns >= session->begin_ns)
		return;
	/* A target that is met for the first time, not by its fork: it ran before the recording. */
	tasks_describe(session->tasks, task->process);
	symboliser_read_process(session->symbols, task->process->id, task->process->pid);
	symboliser_hold_files(session->symbols, task->process->id, task->process->pid);
	host_ranges_add_process(session->ranges, record->tgid, task->process->from_exec);
}

static void fork_process(struct session *session, struct task *parent, struct task *child,
			 uint64_t at_ns)
{
	struct process *process = child->process;

	/* /proc may have said so already: see adopt() in task_rows.c. */
	if (!process->forked)
		parent->process->forked_children++;
	process->forked = true;
	process->parent = parent->process;
	process->from_exec = parent->process->from_exec;
	/* What the kernel forked before it was told of the parent's Python did not inherit it there. */
	process->python_known = parent->process->python_known &&
				at_ns >= parent->process->python_set_ns;
	process->mappings_pause_ns = parent->process->mappings_pause_ns;
	process->mappings_next_read_ns = parent->process->mappings_next_read_ns;
	process->start_ns = process->start_ns ? process->start_ns : at_ns;
	symboliser_fork(session->symbols, parent->process->id, process->id);
	python_fork(session->python, parent->process->id, process->id);
	host_ranges_fork(session->ranges, (uint32_t)process->pid);
	tasks_describe(session->tasks, process);
}

static void exec_process(struct session *session, struct task *task, const char *comm,
			 uint64_t at_ns)
{
	struct process *process = task->process;

	if (process->forked && process->parent)
		process->parent->forked_children--;
	symboliser_exec(session->symbols, process->id);
	python_exec(session->python, process->id);
	process->python_known = false;
	process->python_next_try_ns = 0;
	process->exec_ns = at_ns;
	process->mappings_next_read_ns = process->mappings_pause_ns = 0;
	process->from_exec = true;
	host_ranges_remove_process(session->ranges, (uint32_t)process->pid);
	host_ranges_add_process(session->ranges, (uint32_t)process->pid, true);
	tasks_rename(session->tasks, task, comm, true);
	symboliser_read_process(session->symbols, process->id, process->pid);
	/* A program may carry the runtime inside: no library will be mapped then. */
	session_probe_process(session, process->pid, at_ns);
}

static void add_event(struct session *session, const struct process_record *record, int64_t thread,
		      int64_t subject)
{
	static const char *const names[] = {
		[PROCESS_FORK] = "fork",         [PROCESS_EXEC] = "exec",
		[PROCESS_EXIT] = "exit",         [PROCESS_RENAME] = "rename",
		[PROCESS_OOM_KILL] = "OOM kill",
	};
	int64_t *name = &session->action_names[record->action];
	int64_t *row;

	if (!*name)
		*name = trace_name(session->writer, "HOST", names[record->action]);
	row = trace_append(session->writer, TABLE_PROCESS_EVENT);
	row[PROCESS_EVENT_START_NS] = trace_time(session->writer, record->time_ns);
	row[PROCESS_EVENT_THREAD_ID] = thread;
	row[PROCESS_EVENT_OP_ID] = *name;
	row[PROCESS_EVENT_KIND] = record->action;
	row[PROCESS_EVENT_SUBJECT_ID] = subject;
}

void session_process_event(struct session *session, const struct process_record *record)
{
	struct task *task = tasks_find(session->tasks, (pid_t)record->header.tid);
	struct task *subject = tasks_find(session->tasks, (pid_t)record->subject_tid);
	char comm[COMM_LENGTH + 1] = {0};
	int64_t subject_id = TRACE_NULL;

	if (record->action < PROCESS_FORK || record->action > PROCESS_OOM_KILL)
		return;
	memcpy(comm, record->comm, COMM_LENGTH);
	if (subject && (record->action == PROCESS_FORK || record->action == PROCESS_OOM_KILL))
		subject_id = subject->id;
	add_event(session, record, task ? task->id : TRACE_NULL, subject_id);
	if (!task)
		return;
	if (record->action == PROCESS_FORK && subject && record->subject_tgid != record->tgid)
		fork_process(session, task, subject, record->time_ns);
	else if (record->action == PROCESS_EXEC)
		exec_process(session, task, comm, record->time_ns);
	else if (record->action == PROCESS_RENAME && subject)
		tasks_rename(session->tasks, subject, comm, false);
	else if (record->action == PROCESS_EXIT) {
		tasks_end(session->tasks, task, record->time_ns);
		if (task->process->ended)
			host_ranges_remove_process(session->ranges, record->tgid);
	}
}

static void find_python(void *context, struct process *process)
{
	struct session *session = context;
	struct python_config config = {0};
	char detail[256] = "";
	uint64_t begin_ns = process->exec_ns ? process->exec_ns : process->start_ns;
	/* The exec may lie behind the moment at which this round began. */
	bool young = session->now_ns < begin_ns + PYTHON_YOUNG_NS;
	int err;

	if (!process->target || process->ended || process->python_known ||
	    session->now_ns < process->python_next_try_ns)
		return;
	process->python_next_try_ns =
		session->now_ns + (young ? PYTHON_RETRY_NS : PYTHON_RETRY_MAX_NS);
	symboliser_read_process(session->symbols, process->id, process->pid);
	err = python_attach(session->python, process->id, process->pid, &config, detail,
			    sizeof(detail));
	if (err == 0) {
		process->python_known = true;
		programs_set_python(session->programs, process->pid, &config);
		process->python_set_ns = clock_ns(CLOCK_MONOTONIC);
		if (!session->packages_described)
			host_describe_packages(session->writer, process->pid);
		session->packages_described = true;
		/* Files can be reached only while the process, and with it its root, is there. */
		symboliser_hold_files(session->symbols, process->id, process->pid);
	} else if (err == -ENOTSUP) {
		process->python_known = true;
		session_notice(
			session, "warning",
			"Process %d runs a Python whose frames can't be read, so its stacks are native only: %s",
			process->pid, detail);
	}
}

void session_find_python(struct session *session)
{
	tasks_each_living(session->tasks, find_python, session);
}
