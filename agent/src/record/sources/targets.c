// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Who is recorded, and the stacks that events name. */
#include <string.h>
#include "../bpf/bpf.h"

static void see_task(struct bpf_recorder *bpf, const void *data)
{
	const struct task_record *record = data;
	struct session *session = bpf->session;
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
		.priority = priority_of(&record->priority),
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
	host_ranges_add_process(bpf->ranges, record->tgid, task->process->from_exec);
}

static void add_stack(struct bpf_recorder *bpf, const void *data)
{
	const struct stack_record *record = data;
	struct session *session = bpf->session;
	struct process *process = tasks_find_process(session->tasks, (pid_t)record->tgid);
	unsigned int frames =
		record->kernel_frames + record->user_frames + 2 * record->python_frames;

	if (record->header.size < offsetof(struct stack_record, frames) + frames * sizeof(__u64))
		return;
	if (process)
		tasks_tell(session->tasks, process, (pid_t)record->header.tid,
			   stacks_add(session->stacks, process, record, session->now_ns));
}

const struct event_source targets_source = {
	.probe.programs =
		{
			{"sched_process_fork", "sched_process_fork", NEEDED},
			{"sched_process_exec", "sched_process_exec", NEEDED},
			{"sched_process_exit", "sched_process_exit", NEEDED},
			{"enrol_tasks", NULL, NEEDED},
			{"flush_tasks", NULL, NEEDED},
		},
	/* Where one of these is lost, events are there without a name or a stack. */
	.records =
		{
			{
				.kind = RECORD_TASK,
				.name = "task",
				.least_bytes = sizeof(struct task_record),
				.add = see_task,
			},
			{
				.kind = RECORD_STACK,
				.name = "stack",
				.least_bytes = offsetof(struct stack_record, frames),
				.add = add_stack,
			},
		},
};
