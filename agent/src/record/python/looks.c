// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* What a thread does when it is looked at. */
#include <errno.h>
#include "../../host/thread_file.h"
#include "python.h"

static char state_of(const struct looked_process *process, const struct looked_thread *thread)
{
	struct proc_stat stat;
	char text[1024];
	long length = thread_file_read(thread->stat, process->row->pid, thread->tid, "stat", text,
				       sizeof(text));

	if (length < 0 || proc_parse_stat(text, (size_t)length, &stat))
		return 'X';
	return stat.state;
}

static void put_sample(struct python_recorder *recorder, const struct looked_process *process,
		       const struct looked_thread *thread, const struct task *task,
		       unsigned int count, uint64_t at_ns)
{
	struct session *session = recorder->session;
	unsigned int told;
	int64_t stack = stacks_python(session->stacks, process->row, TRACE_NULL, thread->frames,
				      count, &told);
	int64_t *row;

	if (stack == TRACE_NULL) {
		recorder->torn++;
		return;
	}
	tasks_tell(session->tasks, process->row, thread->tid, told);
	row = trace_append(session->writer, TABLE_CPU_SAMPLE);
	row[CPU_SAMPLE_START_NS] = trace_time(session->writer, at_ns);
	row[CPU_SAMPLE_THREAD_ID] = task->id;
	row[CPU_SAMPLE_MODE] = 0;
	row[CPU_SAMPLE_STACK_ID] = stack;
	recorder->samples++;
}

/* To who has the wait, now or, where it has not met it yet, at the next look. */
static void offer_wait(struct python_recorder *recorder, const struct looked_process *process,
		       struct looked_thread *thread)
{
	struct session *session = recorder->session;
	struct wait_stack stack = {
		.tid = thread->tid,
		.at_ns = session->now_ns,
		.read_ns = thread->waiting_ns,
		.counted = thread->counted,
		.frames = thread->frames,
		.count = thread->waiting_frames,
	};
	int taken = session_wait_stack(session, &stack);

	recorder->torn += taken < 0;
	recorder->waits += taken > 0;
	if (taken)
		thread->waiting_frames = 0;
	if (taken > 0)
		tasks_tell(session->tasks, process->row, thread->tid, stack.told);
}

/* Frames of a thread that has run since it was looked at, or was never looked at. */
static void read_frames(struct python_recorder *recorder, struct looked_process *process,
			struct looked_thread *thread, const struct task *task, bool moved)
{
	struct session *session = recorder->session;
	char state = state_of(process, thread);
	uint64_t at_ns = clock_ns(CLOCK_MONOTONIC);
	struct proc_schedstat after;
	uint64_t read_ns;
	int count;

	/* One that waits for a CPU since the last look is where it was. */
	if (state == 'Z' || state == 'X' || (state == 'R' && !moved))
		return;
	count = python_read_frames(session->python, (uint64_t)process->row->id, process->row->pid,
				   &thread->python, thread->frames);
	recorder->torn += count == -EAGAIN;
	thread->listed &= count != -ESRCH;
	if (count <= 0)
		return;
	if (state == 'R') {
		put_sample(recorder, process, thread, task, (unsigned int)count, at_ns);
		return;
	}
	read_ns = clock_ns(CLOCK_MONOTONIC);
	/* Only frames that nobody can have changed meanwhile are those of the wait. */
	if (recorder->no_schedstat || python_read_sums(process, thread, &after) ||
	    !proc_same_schedstat(&after, &thread->counted))
		return;
	thread->waiting_frames = (unsigned int)count;
	thread->waiting_ns = read_ns;
	offer_wait(recorder, process, thread);
}

static void look_at(struct python_recorder *recorder, struct looked_process *process,
		    struct looked_thread *thread)
{
	const struct task *task = tasks_find(recorder->session->tasks, thread->tid);
	struct proc_schedstat counted = {0};
	bool moved, first = !thread->looked;

	/* Who follows threads has not met it yet. */
	if (!task || task->process != process->row)
		return;
	if (!recorder->no_schedstat && python_read_sums(process, thread, &counted)) {
		thread->listed = false;
		return;
	}
	moved = recorder->no_schedstat || !proc_same_schedstat(&counted, &thread->counted);
	if (moved)
		thread->waiting_frames = 0;
	if (thread->looked) {
		recorder->gaps++;
		recorder->gaps_ns += recorder->session->now_ns - thread->looked_ns;
	}
	thread->looked = true;
	thread->looked_ns = recorder->session->now_ns;
	thread->counted = counted;
	if (moved || first)
		read_frames(recorder, process, thread, task, moved);
	else if (thread->waiting_frames)
		offer_wait(recorder, process, thread);
}

void python_look_at_threads(struct python_recorder *recorder, struct looked_process *process)
{
	uint64_t now_ns = recorder->session->now_ns;
	bool ended = false;

	for (unsigned int i = 0; i < process->thread_count; i++) {
		struct looked_thread *thread = process->threads[i];

		if (now_ns < thread->next_ns)
			continue;
		thread->next_ns = python_random_moment(recorder) + recorder->period_ns / 2;
		look_at(recorder, process, thread);
		ended |= !thread->listed;
	}
	if (ended)
		python_drop_unlisted(recorder, process);
}
