// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* When a recording is ended from outside, and when it is let finish. */
#include <stdio.h>
#include <stdlib.h>
#include "../src/watchdog.h"

#define S NS_PER_SECOND

static const struct {
	const char *what;
	uint64_t due_s, told_s, told_twice_s, allowed_s, now_s;
	enum watchdog_reason wanted;
} cases[] = {
	{"nothing is due", 0, 0, 0, 100, 5000, WATCHDOG_QUIET},
	{"before its time", 200, 0, 0, 100, 199, WATCHDOG_QUIET},
	{"10 s later", 200, 0, 0, 100, 209, WATCHDOG_QUIET},
	{"more than 10 s", 200, 0, 0, 100, 210, WATCHDOG_OVERDUE},
	{"finishing, with steps", 200, 0, 0, 260, 259, WATCHDOG_QUIET},
	{"finishing, the last step too long ago", 200, 0, 0, 260, 260, WATCHDOG_OVERDUE},
	{"told to end", 0, 100, 0, 100, 109, WATCHDOG_QUIET},
	{"told to end, and did not", 0, 100, 0, 100, 110, WATCHDOG_OVERDUE},
	{"told to end before its time", 5000, 100, 0, 100, 110, WATCHDOG_OVERDUE},
	{"told after its time", 100, 105, 0, 100, 110, WATCHDOG_OVERDUE},
	{"told twice just now", 0, 100, 101, 400, 101, WATCHDOG_QUIET},
	{"told twice, whatever it is at", 0, 100, 101, 400, 102, WATCHDOG_TOLD_TWICE},
};

static unsigned int checks, failures;

static void check(const char *what, bool holds)
{
	checks++;
	if (holds)
		return;
	failures++;
	fprintf(stderr, "watchdog_test.c: %s\n", what);
}

/* The looks from one moment to another, five a second; then what it thinks. */
static enum watchdog_reason look(struct watchdog_moments *moments, uint64_t from_ms, uint64_t to_ms)
{
	for (uint64_t ms = from_ms; ms <= to_ms; ms += 200)
		watchdog_wake(moments, ms * NS_PER_MS);
	return watchdog_judge(moments, to_ms * NS_PER_MS);
}

/* SIGSTOP, a frozen group, a paused machine: the clock goes on meanwhile. */
static void test_standing_still(void)
{
	struct watchdog_moments late = {.due_ns = 200 * S, .looked_ns = 190 * S};
	struct watchdog_moments told = {
		.told_ns = 100 * S, .told_twice_ns = 100 * S, .looked_ns = 100 * S};

	check("before it stood still", look(&late, 190000, 199000) == WATCHDOG_QUIET);
	check("woken long after its time", look(&late, 300000, 300000) == WATCHDOG_QUIET);
	check("awake for almost 10 s", look(&late, 300200, 309800) == WATCHDOG_QUIET);
	check("awake for 10 s", look(&late, 310000, 310000) == WATCHDOG_OVERDUE);
	check("told twice, then stopped", look(&told, 100000, 100400) == WATCHDOG_QUIET);
	check("told twice, woken", look(&told, 150000, 150400) == WATCHDOG_QUIET);
	check("told twice, awake for 1 s", look(&told, 150600, 151000) == WATCHDOG_TOLD_TWICE);
}

static unsigned int never_told(void *unused)
{
	return 0;
}

static _Atomic bool ended;

static void note_end(void *unused, enum watchdog_reason reason)
{
	ended = true;
}

/* What was allowed once stays so, but for what our own disk did not need. */
static void test_steps(void)
{
	const struct watchdog_calls calls = {.told = never_told, .end = note_end};
	/* Several of its looks. */
	struct timespec looks = {.tv_nsec = 500 * NS_PER_MS};
	uint64_t past = clock_ns(CLOCK_MONOTONIC) - 20 * S;

	check("starts", watchdog_start(&calls) == 0);
	watchdog_end(watchdog_begin(300 * S));
	watchdog_due(past);
	watchdog_step(0);
	nanosleep(&looks, NULL);
	check("a short step takes nothing back", !ended);
	watchdog_stop();
}

int main(void)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct watchdog_moments moments = {
			.due_ns = cases[i].due_s * S,
			.told_ns = cases[i].told_s * S,
			.told_twice_ns = cases[i].told_twice_s * S,
			.allowed_ns = cases[i].allowed_s * S,
		};

		check(cases[i].what,
		      watchdog_judge(&moments, cases[i].now_s * S) == cases[i].wanted);
	}
	test_standing_still();
	test_steps();
	printf("watchdog: %u checks, %u failed\n", checks, failures);
	return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
