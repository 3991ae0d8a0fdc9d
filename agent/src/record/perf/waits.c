// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * How long of a wait its thread was ready, but had no CPU. Of one that was preempted: all of it. Of others the
 * kernel has a sum for each thread (schedstat), which is read every 10 ms. Where one wait ended since, the
 * rest of the sum is its; where several did, it is shared out equally, which keeps the sum.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include "../../reserve.h"
#include "perf.h"

/* include/linux/sched.h */
#define STATE_NEW 0x800
/* Ended and not accounted for by any look: more is not waited for. */
#define MOST_ENDED 8192

static bool was_seen_asleep(const struct perf_thread *thread, uint64_t end_ns)
{
	return thread->asleep_until_ns && thread->asleep_from_ns > thread->since_ns &&
	       thread->asleep_until_ns < end_ns;
}

/* What the thread was seen to wait in, if that was during this wait. */
static void add_what_was_seen(const struct perf_thread *thread, struct perf_wait *wait)
{
	if (wait->ready)
		return;
	if (was_seen_asleep(thread, wait->end_ns)) {
		wait->asleep_until_ns = thread->asleep_until_ns;
		wait->in = thread->seen;
	}
	if (thread->python_ns > wait->start_ns && thread->python_ns < wait->end_ns)
		wait->in.stack = thread->python_stack;
}

/* Records that are on their way may end this wait before the frames were read: perf_wait_end looks again. */
int perf_wait_stack(void *state, struct wait_stack *stack)
{
	struct perf_recorder *perf = state;
	struct perf_thread *thread = perf_thread_find(perf, stack->tid);
	bool seen;
	int64_t row;

	if (!thread || thread->state != THREAD_OFF || thread->ready ||
	    thread->since_ns >= stack->read_ns)
		return 0;
	if (thread->python_ns > thread->since_ns)
		return 1;
	seen = thread->asleep_until_ns && thread->asleep_from_ns > thread->since_ns;
	row = stacks_python(perf->session->stacks, thread->task->process,
			    seen ? thread->seen.stack : TRACE_NULL, stack->frames, stack->count,
			    &stack->told);
	if (row == TRACE_NULL)
		return -EINVAL;
	thread->python_stack = row;
	thread->python_ns = stack->read_ns;
	perf->python_waits++;
	return 1;
}

static struct perf_wait *append(struct perf_thread *thread)
{
	if (reserve((void **)&thread->ended, &thread->ended_room, thread->ended_count + 1,
		    sizeof(*thread->ended), SIZE_MAX))
		return NULL;
	return &thread->ended[thread->ended_count++];
}

void perf_wait_end(struct perf_recorder *perf, struct perf_thread *thread, uint64_t end_ns,
		   int cpu_in)
{
	struct perf_wait *wait;

	if (thread->ended_count >= MOST_ENDED) {
		perf_waits_flush(perf, thread);
		thread->has_base = thread->has_look = false;
	}
	wait = append(thread);
	if (!wait) {
		perf->lost_threads++;
		return;
	}
	*wait = (struct perf_wait){
		.start_ns = thread->since_ns,
		.end_ns = end_ns,
		.cpu_out = thread->is_new ? -1 : thread->cpu,
		.cpu_in = cpu_in,
		.ready = thread->state == THREAD_OFF && thread->ready,
		.is_new = thread->state == THREAD_OFF && thread->is_new,
		.in = waited_in_unknown(TRACE_NULL),
	};
	add_what_was_seen(thread, wait);
	if (wait->ready)
		wait->in.state = wait->is_new ? STATE_NEW : 0;
	else
		perf->voluntary++;
}

/* queued: its time in the queue is known. */
static int64_t *put(struct perf_recorder *perf, const struct perf_thread *thread,
		    const struct perf_wait *wait, bool queued)
{
	struct trace_writer *writer = perf->session->writer;
	int64_t *row = trace_append(writer, TABLE_OFF_CPU);

	row[OFF_CPU_START_NS] = trace_time(writer, wait->start_ns);
	row[OFF_CPU_DURATION_NS] = (int64_t)(wait->end_ns - wait->start_ns);
	row[OFF_CPU_THREAD_ID] = thread->task->id;
	row[OFF_CPU_STATE] = wait->in.state;
	if (wait->cpu_in >= 0 && wait->ready)
		row[OFF_CPU_RUN_QUEUE_NS] = (int64_t)(wait->end_ns - wait->start_ns);
	else if (wait->cpu_in >= 0 && queued)
		row[OFF_CPU_RUN_QUEUE_NS] = (int64_t)wait->queue_ns;
	row[OFF_CPU_SYSCALL] = wait->in.syscall;
	row[OFF_CPU_SYSCALL_ARG0] = wait->in.arguments[0];
	row[OFF_CPU_SYSCALL_ARG1] = wait->in.arguments[1];
	row[OFF_CPU_SYSCALL_ARG2] = wait->in.arguments[2];
	row[OFF_CPU_STACK_ID] = wait->in.stack;
	if (wait->cpu_out >= 0)
		row[OFF_CPU_CPU_OUT] = wait->cpu_out;
	if (wait->cpu_in >= 0)
		row[OFF_CPU_CPU_IN] = wait->cpu_in;
	return row;
}

void perf_waits_flush(struct perf_recorder *perf, struct perf_thread *thread)
{
	for (size_t i = 0; i < thread->ended_count; i++)
		put(perf, thread, &thread->ended[i], false);
	thread->ended_count = 0;
}

/* A thread that was seen asleep was not in the queue until then. */
static uint64_t most_queued(const struct perf_wait *wait)
{
	uint64_t from_ns = wait->asleep_until_ns > wait->start_ns ? wait->asleep_until_ns :
								    wait->start_ns;

	return wait->end_ns - from_ns;
}

/* Equal parts of `left_ns`, none longer than its wait allows. */
static void share_out(struct perf_wait *waits, size_t count, uint64_t left_ns)
{
	size_t open = 0;
	bool some_are_full = true;

	for (size_t i = 0; i < count; i++) {
		waits[i].queue_ns = 0;
		open += !waits[i].ready && most_queued(&waits[i]);
	}
	while (open && left_ns && some_are_full) {
		uint64_t part_ns = left_ns / open;

		some_are_full = false;
		for (size_t i = 0; i < count; i++) {
			uint64_t most_ns = most_queued(&waits[i]);

			if (waits[i].ready || waits[i].queue_ns || most_ns > part_ns || !most_ns)
				continue;
			waits[i].queue_ns = most_ns;
			left_ns -= most_ns;
			open--;
			some_are_full = true;
		}
	}
	for (size_t i = 0; open && i < count; i++) {
		if (waits[i].ready || waits[i].queue_ns || !most_queued(&waits[i]))
			continue;
		waits[i].queue_ns = left_ns / open;
		left_ns -= waits[i].queue_ns;
		open--;
	}
}

/* The first `count` waits came to the sums of the look. */
static void write_accounted(struct perf_recorder *perf, struct perf_thread *thread, size_t count)
{
	const struct perf_look *look = &thread->look, *base = &thread->base;
	uint64_t queue_ns = look->counted.run_delay_ns - base->counted.run_delay_ns, ready_ns = 0;
	size_t voluntary = 0;

	for (size_t i = 0; i < count; i++) {
		const struct perf_wait *wait = &thread->ended[i];

		if (wait->ready)
			ready_ns += wait->end_ns - wait->start_ns;
		else
			voluntary++;
	}
	share_out(thread->ended, count, queue_ns > ready_ns ? queue_ns - ready_ns : 0);
	if (voluntary > 1)
		perf->shared += voluntary;
	for (size_t i = 0; i < count; i++) {
		int64_t *row = put(perf, thread, &thread->ended[i], true);

		/* Which slice took them is not known: the last one of these. */
		if (i + 1 < count || !look->has_faults || !base->has_faults)
			continue;
		row[OFF_CPU_MINOR_FAULTS] = (int64_t)(look->minor_faults - base->minor_faults);
		row[OFF_CPU_MAJOR_FAULTS] = (int64_t)(look->major_faults - base->major_faults);
	}
	thread->ended_count -= count;
	for (size_t i = 0; i < thread->ended_count; i++)
		thread->ended[i] = thread->ended[count + i];
}

static size_t ended_by(const struct perf_thread *thread, uint64_t at_ns)
{
	size_t count = 0;

	while (count < thread->ended_count && thread->ended[count].end_ns <= at_ns)
		count++;
	return count;
}

static void move_base(struct perf_thread *thread)
{
	struct perf_look before = thread->base;

	thread->base = thread->look;
	/* Counted from where they were read last. */
	if (!thread->look.has_faults) {
		thread->base.has_faults = before.has_faults;
		thread->base.minor_faults = before.minor_faults;
		thread->base.major_faults = before.major_faults;
	}
	thread->has_base = true;
}

/* The kernel counts a slice a little before it says that the thread came on. */
#define COMES_WITHIN_NS (50 * 1000)

void perf_waits_settle(struct perf_recorder *perf, struct perf_thread *thread)
{
	const struct perf_look *look = &thread->look;
	size_t least, most;
	uint64_t counted;

	if (!thread->has_look)
		return;
	thread->has_look = false;
	least = ended_by(thread, look->from_ns);
	most = ended_by(thread, look->to_ns + COMES_WITHIN_NS);
	counted = look->counted.slices - thread->base.counted.slices;
	if (thread->has_base && counted >= least && counted <= most) {
		if (!counted)
			return;
		write_accounted(perf, thread, counted);
		move_base(thread);
		return;
	}
	/* Whether one came on in between is not known: another look will tell. */
	if (least != most)
		return;
	perf_waits_flush(perf, thread);
	move_base(thread);
}
