// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* What /proc says of threads that have switched, or sleep and have not been looked at while they do. */
#include <string.h>
#include "perf.h"

#define PERIOD_NS (10 * NS_PER_MS)
#define FAULTS_NS (50 * NS_PER_MS)
#define SWEEP_NS NS_PER_SECOND
/* A round may take this part of the time. */
#define PERIOD_SHARE 5

/* Of a thread that sleeps: in what. */
static void look_at_sleep(struct perf_recorder *perf, struct perf_thread *thread,
			  const struct proc_stat *stat, uint64_t from_ns)
{
	int64_t state = task_state_bits(stat->state);

	/* Ready by now. */
	if (state == TRACE_NULL || !state)
		return;
	thread->seen = waited_in_unknown(state);
	task_read_wait(&perf->reading, &thread->files, &thread->seen);
	thread->asleep_from_ns = from_ns;
	thread->asleep_until_ns = clock_ns(CLOCK_MONOTONIC);
}

static void look_at_sums(struct perf_recorder *perf, struct perf_thread *thread, uint64_t from_ns)
{
	struct perf_look *look = &thread->look;

	if (perf->no_schedstat) {
		perf_waits_flush(perf, thread);
		return;
	}
	look->from_ns = clock_ns(CLOCK_MONOTONIC);
	look->has_faults = false;
	thread->has_look = !task_read_schedstat(&thread->files, &look->counted);
	look->to_ns = clock_ns(CLOCK_MONOTONIC);
}

static void add_faults(struct perf_thread *thread, const struct proc_stat *stat, uint64_t now_ns)
{
	thread->look.has_faults = true;
	thread->look.minor_faults = stat->minor_faults;
	thread->look.major_faults = stat->major_faults;
	thread->faults_read_ns = now_ns;
}

/* It has not switched since it is recorded: it may have slept all the time. */
static bool is_untold(const struct perf_thread *thread)
{
	return thread->state == THREAD_UNKNOWN && thread->since_ns;
}

static void look_at(struct perf_recorder *perf, struct perf_thread *thread)
{
	uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);
	bool switched = thread->ended_count > 0 ||
			(!thread->has_base && thread->state != THREAD_UNKNOWN);
	bool may_sleep = thread->state == THREAD_OFF ? !thread->ready : is_untold(thread);
	bool sleeps = may_sleep && !thread->asleep_until_ns;
	bool faults = switched && now_ns - thread->faults_read_ns >= FAULTS_NS;
	struct proc_stat stat;

	if (thread->left_ns) {
		perf_look_why_left(perf, thread);
		return;
	}
	perf_waits_settle(perf, thread);
	if (!switched && !sleeps)
		return;
	if (!thread->files_open) {
		task_files_open(&thread->files);
		thread->files_open = true;
	}
	if (switched)
		look_at_sums(perf, thread, now_ns);
	if ((!sleeps && !faults) || task_read_stat(&thread->files, &stat))
		return;
	if (faults)
		add_faults(thread, &stat, now_ns);
	if (sleeps)
		look_at_sleep(perf, thread, &stat, now_ns);
}

/* Whose end was lost, or who goes on as another thread after exec. */
static void sweep(struct perf_recorder *perf, struct perf_thread *thread)
{
	struct proc_stat stat;

	if (!proc_read_stat(thread->files.pid, thread->files.tid, &stat) && stat.state != 'X' &&
	    (stat.state != 'Z' || stat.threads > 1)) {
		thread->missing = 0;
		return;
	}
	/* Its own end may be on its way yet. */
	if (!thread->missing++)
		return;
	perf_thread_forget_state(perf, thread, thread->since_ns);
	perf_end_task(perf, thread, perf->session->now_ns);
}

void perf_look_at_all(struct perf_recorder *perf, uint64_t now_ns)
{
	uint64_t begin_cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID), cost_ns;

	if (now_ns < perf->next_look_ns)
		return;
	perf_threads_each(perf, look_at);
	if (now_ns - perf->swept_ns >= SWEEP_NS) {
		perf_threads_each(perf, sweep);
		perf->swept_ns = now_ns;
	}
	throttling_read(&perf->throttling, perf->session->writer, now_ns);
	cost_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin_cpu_ns;
	/* A millisecond early is better than a whole round late. */
	perf->next_look_ns =
		now_ns - NS_PER_MS +
		(cost_ns * PERIOD_SHARE > PERIOD_NS ? cost_ns * PERIOD_SHARE : PERIOD_NS);
}
