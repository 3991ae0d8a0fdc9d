/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* An event source as the loader sees it: its programs, and what they need of the kernel. */
#ifndef STALLTRACE_PROBE_SOURCE_H
#define STALLTRACE_PROBE_SOURCE_H

#include <stdbool.h>
#include "../../../wire.h"

/* A source without its needed tracepoints is missing; others only make it better. */
enum need { NEEDED, BETTER };

struct source_program {
	const char *program;
	const char *tracepoint; /* NULL = attached otherwise */
	enum need need;
};

#define SOURCE_PROGRAMS 16

struct programs;
struct source_status;
struct tracepoint;

struct probe_source {
	/* As `check`, `record --json` and the file's capabilities name it; --pretend-missing too. */
	const char *name;
	struct source_program programs[SOURCE_PROGRAMS]; /* up to the first without a name */
	bool uprobes;     /* its programs are those for CUDA functions; of one source at most */
	bool perf_events; /* it can't do without them */
	/* It can't do without that source, and says so in these words. */
	const struct probe_source *needs;
	const char *without_needed;
	/* Before the load, where it is available: what its programs are to know of the kernel. */
	void (*configure)(struct agent_config *config, const struct tracepoint *found);
	/* Attaches what the tracepoints' programs are not enough for; see programs.h. */
	void (*attach)(struct programs *programs, struct source_status *status);
};

struct source_status {
	bool wanted;
	bool available;
	char detail[256]; /* how, or why not and what to do, in one sentence */
};

#endif /* STALLTRACE_PROBE_SOURCE_H */
