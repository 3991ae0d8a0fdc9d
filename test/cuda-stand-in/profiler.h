/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* A profiler of the job's own, in a library. */
#ifndef STAND_IN_PROFILER_H
#define STAND_IN_PROFILER_H

#include <stdbool.h>

#define EXPORT __attribute__((visibility("default")))

/* What it asks of CUPTI first. */
enum profiler_first { FIRST_THE_BUFFERS, FIRST_ITS_CLOCK, FIRST_THE_KIND };

struct profiler_records {
	int all;
	int in_time; /* in the profiler's clock, while it recorded */
};

EXPORT bool profilerBegin(enum profiler_first first);
EXPORT bool profilerEnd(struct profiler_records *out);
/* Where its call for buffers leads; a tool may have changed that. */
EXPORT void *profilerLeadsTo(void);

#endif /* STAND_IN_PROFILER_H */
