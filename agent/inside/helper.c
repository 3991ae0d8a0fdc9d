// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Our one thread: asks CUPTI each second for what it has, and notices that the capture, or the program,
 * ends. Only it flushes: where CUPTI hangs in that, nobody but it hangs.
 */
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include "inside.h"

#define SECOND_NS 1000000000ull
#define WAIT_NS 100000000
/* How soon a library that is loaded later has its imports led through us. */
#define LOOK_NS 20000000
/* An agent that has not looked for so long is gone, or will find nothing it can use. */
#define AGENT_GONE_NS (30 * SECOND_NS)
/* The return of a call is where CUPTI can be left safely; without calls it is left from here. */
#define NO_CALL_NS (2 * SECOND_NS)
#define EXIT_WAIT_NS SECOND_NS
#define CLOCK_TRIES 100

extern int __cxa_atexit(void (*function)(void *), void *argument, void *library);

static _Atomic uint32_t exit_registered, exit_wanted, exit_done, flushing, running;

static void sleep_until_woken(_Atomic uint32_t *word, uint32_t value, long wait_ns)
{
	struct timespec wait = {.tv_nsec = wait_ns % (long)SECOND_NS,
				.tv_sec = wait_ns / (long)SECOND_NS};

	SYSTEM_CALL(SYS_futex, word, FUTEX_WAIT, value, &wait);
}

static void wake(_Atomic uint32_t *word)
{
	SYSTEM_CALL(SYS_futex, word, FUTEX_WAKE, 1 << 30);
}

void helper_wake(void)
{
	atomic_fetch_add(&inside.header->wake, 1);
	wake(&inside.header->wake);
}

/* Both clocks at one moment: the pair of a hundred that was read the fastest. */
static void tell_clock(void)
{
	struct thread_state *thread = thread_here();
	uint64_t best_ns = ~0ull, monotonic_ns = 0, cupti_ns = 0;
	struct inside_clock *record;

	for (int i = 0; i < CLOCK_TRIES; i++) {
		uint64_t before = now_ns(CLOCK_MONOTONIC), cupti, after;

		if (inside.cupti.GetTimestamp(&cupti))
			return;
		after = now_ns(CLOCK_MONOTONIC);
		if (after - before >= best_ns)
			continue;
		best_ns = after - before;
		monotonic_ns = before + best_ns / 2;
		cupti_ns = cupti;
	}
	record = thread ? record_reserve(thread, INSIDE_CLOCK, sizeof(*record)) : NULL;
	if (!record)
		return;
	record->cupti_ns = cupti_ns;
	record->monotonic_ns = monotonic_ns;
	record_publish(thread, record);
}

static void flush(uint32_t how)
{
	struct inside_header *header = inside.header;
	uint64_t began_ns = now_ns(CLOCK_MONOTONIC);

	if (header->gpu_records != INSIDE_GPU_NONE && atomic_load(&header->own_clock))
		tell_clock();
	/* Before the first context there is nothing to fetch, and nothing that keeps CUDA from ending. */
	if (header->gpu_records == INSIDE_GPU_NONE || !atomic_load(&exit_registered))
		return;
	atomic_store(&flushing, 1);
	if (!inside.cupti.ActivityFlushAll(how))
		atomic_store(&header->flushed_ns, began_ns);
	atomic_store(&flushing, 0);
}

bool is_flushing(void)
{
	return atomic_load(&flushing);
}

/* From the return of a call on the job's thread, or from ours. */
void leave_cupti(bool from_return)
{
	uint32_t phase = PHASE_LEAVING;
	int before = errno;

	if (atomic_load_explicit(&inside.phase, memory_order_relaxed) != PHASE_LEAVING)
		return;
	atomic_store(&inside.last_call_ns, now_ns(CLOCK_MONOTONIC));
	if (!atomic_compare_exchange_strong(&inside.phase, &phase, PHASE_LEFT))
		return;
	activity_disable();
	inside.cupti.Unsubscribe(inside.subscriber);
	if (from_return && inside.cupti.Finalize &&
	    inside.header->cupti_version >= INSIDE_FINALIZE_FROM)
		inside.cupti.Finalize();
	atomic_store(&inside.header->state, INSIDE_LEFT);
	errno = before;
}

bool capture_has_ended(uint64_t now)
{
	const struct inside_header *header = inside.header;
	uint64_t beat_ns = atomic_load(&header->beat_ns);

	return !atomic_load(&header->recording) || (now > beat_ns && now - beat_ns > AGENT_GONE_NS);
}

/* The last flush, while records still go into the ring; then it is time to leave. */
static void begin_to_leave(uint64_t now)
{
	activity_stop();
	flush(FLUSH_FORCED);
	atomic_store(&inside.last_call_ns, now);
	atomic_store(&inside.phase, PHASE_LEAVING);
	/* The agent may say that the capture has ended: the next call's return takes us out. */
	atomic_store(&inside.header->flushed, INSIDE_FLUSHED);
}

static void answer_exit(void)
{
	if (!atomic_load(&exit_wanted) || atomic_load(&exit_done))
		return;
	flush(0);
	atomic_store(&inside.header->flushed, INSIDE_FLUSHED);
	atomic_store(&exit_done, 1);
	wake(&exit_done);
}

void help(void)
{
	_Atomic uint32_t *woken = &inside.header->wake;
	uint64_t flushed_ns = 0;
	bool devices_told = false;

	/* Once the program ends, CUDA goes away under CUPTI: nothing is asked of it any more. */
	while (atomic_load(&inside.phase) != PHASE_LEFT && !atomic_load(&exit_done)) {
		uint32_t value = atomic_load(woken);
		uint64_t now = now_ns(CLOCK_MONOTONIC);
		uint32_t phase = atomic_load(&inside.phase);

		if (phase == PHASE_ON && !devices_told)
			devices_told = tell_devices();
		answer_exit();
		if (atomic_load(&exit_done))
			break;
		if (phase == PHASE_ON && capture_has_ended(now))
			begin_to_leave(now);
		else if (phase == PHASE_ON && now - flushed_ns >= SECOND_NS) {
			flush(0);
			flushed_ns = now;
		} else if (phase == PHASE_LEAVING &&
			   now - atomic_load(&inside.last_call_ns) > NO_CALL_NS)
			leave_cupti(false);
		if (phase == PHASE_ON)
			yield_look();
		sleep_until_woken(woken, value, phase == PHASE_ON ? LOOK_NS : WAIT_NS);
	}
	answer_exit();
	/* What is lost with CUPTI is replaced by what can be had without. */
	if (atomic_load(&inside.header->state) == INSIDE_YIELDED && inside.header->imports &&
	    !atomic_load(&exit_done) && !capture_has_ended(now_ns(CLOCK_MONOTONIC)))
		go_on_without_cupti();
}

static void (*work)(void);

static void *run(void *unused)
{
	SYSTEM_CALL(SYS_prctl, PR_SET_NAME, "stalltrace");
	work();
	atomic_store(&running, 0);
	return unused;
}

/* The job's signals are not for this thread. */
bool helper_start(void (*of_thread)(void))
{
	uint64_t all = ~0ull, before;
	pthread_t thread;
	int err;

	work = of_thread;
	atomic_store(&running, 1);
	SYSTEM_CALL(SYS_rt_sigprocmask, SIG_SETMASK, &all, &before, sizeof(all));
	err = pthread_create(&thread, NULL, run, NULL);
	SYSTEM_CALL(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, sizeof(all));
	if (err)
		atomic_store(&running, 0);
	else
		pthread_detach(thread);
	return !err;
}

bool helper_has_ended(void)
{
	uint64_t began_ns = now_ns(CLOCK_MONOTONIC);

	/* It looks that often, and sleeps on what it shares with the agent. */
	while (atomic_load(&running) && now_ns(CLOCK_MONOTONIC) - began_ns < 5 * WAIT_NS)
		sleep_until_woken(&running, 1, WAIT_NS / 10);
	return !atomic_load(&running);
}

/* While CUDA is still there: what it has recorded is fetched, for a second at the most. */
static void at_exit(void *unused)
{
	uint64_t began_ns = now_ns(CLOCK_MONOTONIC);
	uint32_t phase = atomic_load(&inside.phase);

	(void)unused;
	if (!is_ours() || atomic_load(&inside.by_imports) ||
	    (phase != PHASE_ON && phase != PHASE_LEAVING))
		return;
	atomic_store(&exit_wanted, 1);
	helper_wake();
	while (!atomic_load(&exit_done) && now_ns(CLOCK_MONOTONIC) - began_ns < EXIT_WAIT_NS)
		sleep_until_woken(&exit_done, 0, WAIT_NS);
}

/*
 * With the first context, or the first call that has one: so that it comes before CUDA's own, which were
 * registered by then.
 */
void helper_register_exit(void)
{
	if (!atomic_load_explicit(&exit_registered, memory_order_relaxed) &&
	    !atomic_exchange(&exit_registered, 1))
		__cxa_atexit(at_exit, NULL, NULL);
}
