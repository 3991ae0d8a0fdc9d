// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* The rounds: what changed since the last one, and how often. */
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
#include "../clock.h"
#include "poller_state.h"

#define THROTTLING_NS (100 * NS_PER_MS)
/* A round may take this part of a period; else the period grows. */
#define PERIOD_SHARE 5

struct poller *poller_new(struct trace_writer *writer, struct tasks *tasks, struct stacks *stacks,
			  uint64_t period_ns)
{
	struct poller *poller = calloc(1, sizeof(*poller));
	struct proc_schedstat own;
	struct rlimit files;

	if (!poller)
		return NULL;
	poller->polling = (struct polling){.writer = writer, .tasks = tasks, .stacks = stacks};
	poller->period_ns = poller->asked_period_ns = period_ns;
	/* Without CONFIG_SCHED_INFO there is no such file, with delayacct off it is all zeros. */
	poller->polling.no_schedstat = proc_read_schedstat(getpid(), 0, &own) || own.slices == 0;
	/* Two descriptors a thread. */
	if (!getrlimit(RLIMIT_NOFILE, &files)) {
		files.rlim_cur = files.rlim_max;
		setrlimit(RLIMIT_NOFILE, &files);
	}
	return poller;
}

void poller_add_target(struct poller *poller, pid_t pid)
{
	uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);

	if (!poller->begin_ns)
		poller->begin_ns = now_ns;
	poller_follow_tree(poller, pid, now_ns);
	if (!poller->has_cgroup && !cgroup_cpu_of_process(pid, &poller->cgroup))
		poller->has_cgroup = !cgroup_read_throttling(&poller->cgroup, &poller->throttling);
	poller->throttling_ns = now_ns;
}

void poller_put_event(struct poller *poller, int action, uint64_t at_ns, int64_t thread,
		      int64_t subject)
{
	static const char *const names[] = {
		[PROCESS_FORK] = "fork",
		[PROCESS_EXEC] = "exec",
		[PROCESS_EXIT] = "exit",
		[PROCESS_RENAME] = "rename",
	};
	struct trace_writer *writer = poller->polling.writer;
	int64_t *name = &poller->action_names[action], *row;

	if (!*name)
		*name = trace_name(writer, "HOST", names[action]);
	row = trace_append(writer, TABLE_PROCESS_EVENT);
	row[PROCESS_EVENT_START_NS] = trace_time(writer, at_ns);
	row[PROCESS_EVENT_THREAD_ID] = thread;
	row[PROCESS_EVENT_OP_ID] = *name;
	row[PROCESS_EVENT_KIND] = action;
	row[PROCESS_EVENT_SUBJECT_ID] = subject;
}

static void tell_changes(struct poller *poller, struct polled_thread *thread, uint64_t now_ns)
{
	struct process *process = thread->task->process;

	if (!thread->renamed && !thread->called_exec)
		return;
	if (thread->called_exec && process->forked && process->parent) {
		process->parent->forked_children--;
		process->from_exec = true;
	}
	poller_put_event(poller, thread->called_exec ? PROCESS_EXEC : PROCESS_RENAME, now_ns,
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
		poller_put_event(poller, PROCESS_EXIT, now_ns, thread->task->id, TRACE_NULL);
		tasks_end(poller->polling.tasks, thread->task, now_ns);
		free(thread);
	}
	poller->count = kept;
}

/* Time that the quota took from the target's group. */
static void read_throttling(struct poller *poller, uint64_t now_ns)
{
	struct trace_writer *writer = poller->polling.writer;
	struct cgroup_throttling now;
	uint64_t since_ns = poller->throttling_ns;
	int64_t *row, source, operation;

	if (!poller->has_cgroup || now_ns - since_ns < THROTTLING_NS ||
	    cgroup_read_throttling(&poller->cgroup, &now))
		return;
	poller->throttling_ns = now_ns;
	if (now.throttled_ns > poller->throttling.throttled_ns) {
		source = trace_name(writer, "", "HOST");
		operation = trace_name(writer, "HOST", "throttled by CPU quota");
		row = trace_append(writer, TABLE_AGGREGATE);
		row[AGGREGATE_START_NS] = trace_time(writer, since_ns);
		row[AGGREGATE_DURATION_NS] = (int64_t)(now_ns - since_ns);
		row[AGGREGATE_SOURCE_ID] = source;
		row[AGGREGATE_OP_ID] = operation;
		row[AGGREGATE_COUNT] = (int64_t)(now.periods - poller->throttling.periods);
		row[AGGREGATE_STORED] = 0;
		row[AGGREGATE_TOTAL_NS] =
			(int64_t)(now.throttled_ns - poller->throttling.throttled_ns);
	}
	poller->throttling = now;
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

int poller_round(struct poller *poller, uint64_t now_ns)
{
	uint64_t begin_cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);

	if (now_ns < poller->next_round_ns)
		return (int)poller->count;
	if (poller->round_ns && now_ns - poller->round_ns > poller->longest_gap_ns)
		poller->longest_gap_ns = now_ns - poller->round_ns;
	poller->round_ns = now_ns;
	look_at_all(poller, now_ns);
	poller_find_new_tasks(poller, now_ns);
	read_throttling(poller, now_ns);
	adapt_period(poller, clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin_cpu_ns);
	/* A millisecond early is better than a whole round late. */
	poller->next_round_ns = now_ns + poller->period_ns - NS_PER_MS;
	return (int)poller->count;
}

void poller_finish(struct poller *poller, uint64_t now_ns)
{
	look_at_all(poller, now_ns);
	for (size_t i = 0; i < poller->count; i++) {
		polled_thread_close(&poller->polling, poller->threads[i], now_ns, false);
		free(poller->threads[i]);
	}
	poller->count = 0;
	poller_describe(poller);
}

void poller_free(struct poller *poller)
{
	if (!poller)
		return;
	for (size_t i = 0; i < poller->count; i++) {
		polled_thread_close_files(poller->threads[i]);
		free(poller->threads[i]);
	}
	free(poller->threads);
	free(poller);
}
