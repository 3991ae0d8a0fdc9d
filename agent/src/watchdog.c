// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "watchdog.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define LOOK_EVERY_MS 200
/* Looks further apart mean that nobody of us ran. */
#define STOOD_STILL_NS NS_PER_SECOND

static struct {
	struct watchdog_calls calls;
	struct watchdog_moments moments; /* the thread's own once it runs */
	pthread_t thread;
	bool started;
	int stop; /* an eventfd */
	sigset_t before;
} dog;

static _Atomic uint64_t due_ns, allowed_ns;

void watchdog_wake(struct watchdog_moments *moments, uint64_t now_ns)
{
	uint64_t apart_ns = now_ns - moments->looked_ns;

	moments->looked_ns = now_ns;
	if (apart_ns <= STOOD_STILL_NS)
		return;
	moments->woken_ns = now_ns;
	if (moments->told_twice_ns)
		moments->told_twice_ns += apart_ns;
}

enum watchdog_reason watchdog_judge(const struct watchdog_moments *moments, uint64_t now_ns)
{
	uint64_t due = moments->due_ns;

	if (moments->told_twice_ns && now_ns - moments->told_twice_ns >= NS_PER_SECOND)
		return WATCHDOG_TOLD_TWICE;
	if (moments->told_ns && (!due || moments->told_ns < due))
		due = moments->told_ns;
	if (!due || now_ns < due + WATCHDOG_PATIENCE_NS || now_ns < moments->allowed_ns)
		return WATCHDOG_QUIET;
	if (moments->woken_ns && now_ns < moments->woken_ns + WATCHDOG_PATIENCE_NS)
		return WATCHDOG_QUIET;
	return WATCHDOG_OVERDUE;
}

static void *watch(void *unused)
{
	struct watchdog_moments *moments = &dog.moments;
	struct pollfd stop = {.fd = dog.stop, .events = POLLIN};
	enum watchdog_reason reason;

	while (poll(&stop, 1, LOOK_EVERY_MS) <= 0) {
		uint64_t now = clock_ns(CLOCK_MONOTONIC);
		unsigned int told = dog.calls.told(dog.calls.context);

		watchdog_wake(moments, now);
		if (told && !moments->told_ns)
			moments->told_ns = now;
		if (told > 1 && !moments->told_twice_ns)
			moments->told_twice_ns = now;
		moments->due_ns = due_ns;
		moments->allowed_ns = allowed_ns;
		reason = watchdog_judge(moments, now);
		if (reason != WATCHDOG_QUIET)
			dog.calls.end(dog.calls.context, reason);
	}
	return NULL;
}

static void stop_signals(sigset_t *signals)
{
	sigemptyset(signals);
	sigaddset(signals, SIGINT);
	sigaddset(signals, SIGTERM);
	sigaddset(signals, SIGHUP);
}

int watchdog_start(const struct watchdog_calls *calls)
{
	sigset_t signals;
	int err;

	dog.calls = *calls;
	dog.moments = (struct watchdog_moments){.looked_ns = clock_ns(CLOCK_MONOTONIC)};
	dog.stop = eventfd(0, EFD_CLOEXEC);
	if (dog.stop < 0)
		return -errno;
	err = pthread_create(&dog.thread, NULL, watch, NULL);
	if (err) {
		close(dog.stop);
		return -err;
	}
	dog.started = true;
	/* A signal that only a thread in an endless wait may take is heard by nobody. */
	stop_signals(&signals);
	pthread_sigmask(SIG_BLOCK, &signals, &dog.before);
	return 0;
}

void watchdog_stop(void)
{
	if (!dog.started)
		return;
	eventfd_write(dog.stop, 1);
	pthread_join(dog.thread, NULL);
	pthread_sigmask(SIG_SETMASK, &dog.before, NULL);
	close(dog.stop);
	dog.started = false;
}

void watchdog_due(uint64_t at_ns)
{
	due_ns = at_ns;
}

void watchdog_due_now(void)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	if (!due_ns || now < due_ns)
		due_ns = now;
}

void watchdog_step(uint64_t allowance_ns)
{
	uint64_t until_ns = clock_ns(CLOCK_MONOTONIC) + allowance_ns;

	if (until_ns > allowed_ns)
		allowed_ns = until_ns;
}

uint64_t watchdog_begin(uint64_t allowance_ns)
{
	uint64_t before_ns = allowed_ns;

	watchdog_step(allowance_ns);
	return before_ns;
}

void watchdog_end(uint64_t before_ns)
{
	uint64_t until_ns = clock_ns(CLOCK_MONOTONIC) + STEP_OF_WORK;

	allowed_ns = until_ns > before_ns ? until_ns : before_ns;
}
