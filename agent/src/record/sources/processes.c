// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Processes and threads that fork, exec, rename themselves and exit. */
#include <string.h>
#include "../bpf/bpf.h"

static void fork_process(struct bpf_recorder *bpf, struct task *parent, struct task *child,
			 uint64_t at_ns)
{
	struct session *session = bpf->session;
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
	host_ranges_fork(bpf->ranges, (uint32_t)process->pid);
	tasks_describe(session->tasks, process);
}

static void exec_process(struct bpf_recorder *bpf, struct task *task, const char *comm,
			 uint64_t at_ns)
{
	struct session *session = bpf->session;
	struct process *process = task->process;

	symboliser_exec(session->symbols, process->id);
	python_exec(session->python, process->id);
	process->python_known = false;
	process->python_refusals = 0;
	process->python_next_try_ns = 0;
	process->exec_ns = at_ns;
	process->mappings_next_read_ns = process->mappings_pause_ns = 0;
	process->from_exec = true;
	host_ranges_remove_process(bpf->ranges, (uint32_t)process->pid);
	host_ranges_add_process(bpf->ranges, (uint32_t)process->pid, true);
	tasks_rename(session->tasks, task, comm, true);
	symboliser_read_process(session->symbols, process->id, process->pid);
	bpf_probe_launches_again(bpf);
	/* A program may carry the runtime inside: no library will be mapped then. */
	bpf_probe_process(bpf, process->pid, at_ns);
}

static void add_event(struct bpf_recorder *bpf, const void *data)
{
	const struct process_record *record = data;
	struct session *session = bpf->session;
	struct task *task = tasks_find(session->tasks, (pid_t)record->header.tid);
	struct task *subject = tasks_find(session->tasks, (pid_t)record->subject_tid);
	char comm[COMM_LENGTH + 1] = {0};
	int64_t subject_id = TRACE_NULL;

	if (record->action < PROCESS_FORK || record->action > PROCESS_OOM_KILL)
		return;
	memcpy(comm, record->comm, COMM_LENGTH);
	if (subject && (record->action == PROCESS_FORK || record->action == PROCESS_OOM_KILL))
		subject_id = subject->id;
	session_put_process_event(session, record->action, record->time_ns,
				  task ? task->id : TRACE_NULL, subject_id);
	if (!task)
		return;
	if (record->action == PROCESS_FORK && subject && record->subject_tgid != record->tgid)
		fork_process(bpf, task, subject, record->time_ns);
	else if (record->action == PROCESS_EXEC)
		exec_process(bpf, task, comm, record->time_ns);
	else if (record->action == PROCESS_RENAME && subject)
		tasks_rename(session->tasks, subject, comm, false);
	else if (record->action == PROCESS_EXIT) {
		tasks_end(session->tasks, task, record->time_ns);
		if (task->process->ended)
			host_ranges_remove_process(bpf->ranges, record->tgid);
	}
}

const struct event_source processes_source = {
	.probe.name = "processes",
	.probe.programs = {{"task_rename", "task_rename", NEEDED}},
	.label = "Processes",
	.sees = "Processes and threads: begin, end, names",
	.records = {{
		.kind = RECORD_PROCESS,
		.name = "process",
		.least_bytes = sizeof(struct process_record),
		.table = "process_event",
		.add = add_event,
	}},
	.provenance = {{
		.table = "process_event",
		.kind = "exact",
		.note = "Forks, execs, exits and renames of the traced processes.",
	}},
};
