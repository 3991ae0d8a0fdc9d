// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Records by reading /proc in rounds: what changed since the last one, and how often. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
#include "../../clock.h"
#include "../../watchdog.h"
#include "poller.h"

/* How often /proc is read. */
#define PERIOD_MS 10
/* A round may take this part of a period; else the period grows. */
#define PERIOD_SHARE 5

static int proc_open(struct session *session, void **out, char *why, size_t why_size)
{
	struct poller *poller = calloc(1, sizeof(*poller));
	struct rlimit files;

	if (!poller)
		return -ENOMEM;
	poller->session = session;
	poller->period_ns = poller->asked_period_ns = PERIOD_MS * NS_PER_MS;
	/* Two descriptors a thread. */
	if (!getrlimit(RLIMIT_NOFILE, &files)) {
		files.rlim_cur = files.rlim_max;
		setrlimit(RLIMIT_NOFILE, &files);
	}
	*out = poller;
	return 0;
}

static int proc_begin(void *state)
{
	struct poller *poller = state;
	struct session *session = poller->session;

	poller->polling = (struct polling){
		.writer = session->writer,
		.tasks = session->tasks,
		.reading.stacks = session->stacks,
		.no_schedstat = !proc_has_schedstat(),
	};
	session_notice(session, "warning",
		       "Recorded by sampling /proc every 10 ms, without BPF: %s",
		       session->status[SOURCE_SWITCHES].detail);
	return 0;
}

static void proc_add_target(void *state, pid_t pid)
{
	struct poller *poller = state;
	uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);

	watchdog_step(STEP_OF_SET_UP);
	if (!poller->begin_ns)
		poller->begin_ns = now_ns;
	poller_follow_tree(poller, pid, now_ns);
	throttling_begin(&poller->throttling, pid, now_ns);
}

static void tell_changes(struct poller *poller, struct polled_thread *thread, uint64_t now_ns)
{
	struct process *process = thread->task->process;

	if (!thread->renamed && !thread->called_exec)
		return;
	if (thread->called_exec && process->forked && process->parent)
		process->from_exec = true;
	session_put_process_event(poller->session,
				  thread->called_exec ? PROCESS_EXEC : PROCESS_RENAME, now_ns,
				  thread->task->id, TRACE_NULL);
	tasks_rename(poller->polling.tasks, thread->task, thread->comm, thread->called_exec);
}

static void look_at_all(struct poller *poller, uint64_t now_ns)
{
	size_t kept = 0;

	for (size_t i = 0; i < poller->count; i++) {
		struct polled_thread *thread = poller->threads[i];
		int err = polled_thread_look(&poller->polling, thread, now_ns);

		if (!err)
			tell_changes(poller, thread, now_ns);
		if (!err && !thread->ended) {
			poller->threads[kept++] = thread;
			continue;
		}
		polled_thread_close(&poller->polling, thread, now_ns, true);
		session_put_process_event(poller->session, PROCESS_EXIT, now_ns, thread->task->id,
					  TRACE_NULL);
		tasks_end(poller->polling.tasks, thread->task, now_ns);
		free(thread);
	}
	poller->count = kept;
}

/* Whole multiples of the period that was asked for, so that a round takes a fifth of it at most. */
static void adapt_period(struct poller *poller, uint64_t cost_ns)
{
	uint64_t needed_ns;

	poller->round_cost_ns = poller->rounds ? (7 * poller->round_cost_ns + cost_ns) / 8 :
						 cost_ns;
	needed_ns = poller->round_cost_ns * PERIOD_SHARE;
	poller->period_ns = (needed_ns / poller->asked_period_ns + 1) * poller->asked_period_ns;
	poller->rounds++;
}

/* One round; finds new children and threads by itself. */
static void proc_consume(void *state)
{
	struct poller *poller = state;
	uint64_t now_ns = poller->session->now_ns;
	uint64_t begin_cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);

	if (now_ns < poller->next_round_ns)
		return;
	if (poller->round_ns && now_ns - poller->round_ns > poller->longest_gap_ns)
		poller->longest_gap_ns = now_ns - poller->round_ns;
	poller->round_ns = now_ns;
	look_at_all(poller, now_ns);
	poller_find_new_tasks(poller, now_ns);
	throttling_read(&poller->throttling, poller->polling.writer, now_ns);
	adapt_period(poller, clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin_cpu_ns);
	/* A millisecond early is better than a whole round late. */
	poller->next_round_ns = now_ns + poller->period_ns - NS_PER_MS;
}

static int proc_wait_stack(void *state, struct wait_stack *stack)
{
	struct poller *poller = state;
	struct polled_thread *thread = poller_find_thread(poller, stack->tid);

	return thread ? polled_thread_take_stack(&poller->polling, thread, stack) : 0;
}

static void proc_finish(void *state, uint64_t end_ns)
{
	struct poller *poller = state;

	look_at_all(poller, end_ns);
	for (size_t i = 0; i < poller->count; i++) {
		polled_thread_close(&poller->polling, poller->threads[i], end_ns, false);
		free(poller->threads[i]);
	}
	poller->count = 0;
	poller_describe(poller);
}

static void proc_close(void *state)
{
	struct poller *poller = state;

	for (size_t i = 0; i < poller->count; i++) {
		task_files_close(&poller->threads[i]->files);
		free(poller->threads[i]);
	}
	free(poller->threads);
	free(poller);
}

static int proc_try_out(char *why, size_t why_size)
{
	struct proc_stat stat;
	int err = proc_read_stat(getpid(), 0, &stat);

	if (err)
		snprintf(why, why_size, "/proc can't be read: %s.", strerror(err < 0 ? -err : err));
	return err;
}

const struct recorder proc_recorder = {
	.tier = TIER_PROC,
	.sources = SOURCE_BIT(SOURCE_SWITCHES) | SOURCE_BIT(SOURCE_PROCESSES),
	.wait_ms = PERIOD_MS,
	.try_out = proc_try_out,
	.open = proc_open,
	.begin = proc_begin,
	.add_target = proc_add_target,
	.consume = proc_consume,
	.finish = proc_finish,
	.wait_stack = proc_wait_stack,
	.close = proc_close,
};
