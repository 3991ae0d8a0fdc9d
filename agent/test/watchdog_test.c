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

int main(void)
{
	int failures = 0;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct watchdog_moments moments = {
			.due_ns = cases[i].due_s * S,
			.told_ns = cases[i].told_s * S,
			.told_twice_ns = cases[i].told_twice_s * S,
			.allowed_ns = cases[i].allowed_s * S,
		};

		if (watchdog_judge(&moments, cases[i].now_s * S) == cases[i].wanted)
			continue;
		failures++;
		fprintf(stderr, "watchdog_test.c: %s\n", cases[i].what);
	}
	printf("watchdog: %zu checks, %d failed\n", sizeof(cases) / sizeof(cases[0]), failures);
	return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
