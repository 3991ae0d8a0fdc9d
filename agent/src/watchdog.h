/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Ends a recording that can't end by itself: the thread that records reads what others have made (files
 * behind a network, memory that a process holds back), and may wait in the kernel for as long as they
 * like. A thread of its own hears the signals and watches the time; it touches nothing of the recording.
 *
 * Finishing a large trace takes long and is no reason: who works says so with watchdog_step.
 */
#ifndef STALLTRACE_WATCHDOG_H
#define STALLTRACE_WATCHDOG_H

#include <stdbool.h>
#include <stdint.h>
#include "clock.h"

/* How long a recording may go on after its time, or after it was told to end, without a step. */
#define WATCHDOG_PATIENCE_NS (10 * NS_PER_SECOND)
/* What one step may take: reading and computing; what is made before the recording; our own disk. */
#define STEP_OF_WORK (10 * NS_PER_SECOND)
#define STEP_OF_SET_UP (20 * NS_PER_SECOND)
#define STEP_ON_DISK (300 * NS_PER_SECOND)
/* How much longer than its duration a recording may be on its way before it has begun. */
#define MOST_SET_UP_NS (60 * NS_PER_SECOND)

enum watchdog_reason {
	WATCHDOG_QUIET,
	WATCHDOG_OVERDUE,
	WATCHDOG_TOLD_TWICE, /* one second ago: who records has not ended since */
};

struct watchdog_calls {
	void *context;
	/* How often it was told to end so far. */
	unsigned int (*told)(void *context);
	/*
	 * Is to end the process; called again and again as long as it does not. All of them are called in
	 * the watchdog's thread.
	 */
	void (*end)(void *context, enum watchdog_reason reason);
};

/*
 * From here on SIGINT, SIGTERM and SIGHUP are handled in the watchdog's thread. 0 or -errno: without a
 * thread everything is as it was.
 */
int watchdog_start(const struct watchdog_calls *calls);
/* Before the process goes on to something else than the recording. */
void watchdog_stop(void);

/* When the recording is to end (CLOCK_MONOTONIC); 0 = when it is told to. */
void watchdog_due(uint64_t due_ns);
/* It ends from here on, whatever the reason. */
void watchdog_due_now(void);
/* The next step takes no longer than this, with luck. Never takes back what was allowed before. */
void watchdog_step(uint64_t allowance_ns);
/* A step that is allowed more than others; its end takes back what it did not need. They nest. */
uint64_t watchdog_begin(uint64_t allowance_ns);
/* What its begin returned. */
void watchdog_end(uint64_t before_ns);

/* What the watchdog thinks of a moment; for the tests too. 0 = has not been. */
struct watchdog_moments {
	uint64_t due_ns, told_ns, told_twice_ns, allowed_ns;
	uint64_t looked_ns; /* at the last look; first when it began */
	uint64_t woken_ns;  /* when it looked again after the whole process had stood still */
};
/* Before each look: who stood still (SIGSTOP, a frozen group, a paused machine) is given time anew. */
void watchdog_wake(struct watchdog_moments *moments, uint64_t now_ns);
enum watchdog_reason watchdog_judge(const struct watchdog_moments *moments, uint64_t now_ns);

#endif /* STALLTRACE_WATCHDOG_H */
