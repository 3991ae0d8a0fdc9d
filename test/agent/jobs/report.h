/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Where a job writes what it did: the file named by JOB_REPORT, else its output. */
#ifndef JOB_REPORT_H
#define JOB_REPORT_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static inline FILE *report(void)
{
	const char *path = getenv("JOB_REPORT");
	FILE *file = path ? fopen(path, "w") : stdout;

	if (!file) {
		perror(path);
		exit(3);
	}
	return file;
}

static inline uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static inline void sleep_ns(uint64_t duration_ns)
{
	struct timespec pause = {.tv_sec = (time_t)(duration_ns / 1000000000),
				 .tv_nsec = (long)(duration_ns % 1000000000)};

	nanosleep(&pause, NULL);
}

static inline void spin_ns(uint64_t duration_ns)
{
	uint64_t end = now_ns() + duration_ns;

	while (now_ns() < end)
		;
}

#endif /* JOB_REPORT_H */
