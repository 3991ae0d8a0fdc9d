/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * What can be recorded, source by source. Each has a file in sources/ with one row, `NAME_source`, that
 * says all there is to say of it: programs, records, rows of the trace, provenance, what was lost, the
 * words of the command line. A new one is that file and a line in EVENT_SOURCES below. Its records stand
 * in wire.h, its programs in agent/bpf.
 */
#ifndef STALLTRACE_EVENT_SOURCE_H
#define STALLTRACE_EVENT_SOURCE_H

#include <stddef.h>
#include <stdint.h>
#include "../probe/load/probe_source.h"

/* In the order of `check`, `started` and `--profile`: the number of each, and its row. */
/* clang-format off */
#define EVENT_SOURCES(source) \
	source(SWITCHES, switches) \
	source(PROCESSES, processes) \
	source(CALLS, calls) \
	source(GPU_WORK, gpu_work) \
	source(SAMPLES, samples) \
	source(BLOCK_IO, block_io) \
	source(RECLAIM, reclaim) \
	source(OOM, oom) \
	source(PAGE_FAULTS, page_faults) \
	source(PAGE_ALLOCS, page_allocs) \
	source(SYSCALLS, syscalls) \
	source(OFF_CPU_STACKS, off_cpu_stacks)
/* clang-format on */

#define SOURCE_NUMBER(number, name) SOURCE_##number,
enum source { EVENT_SOURCES(SOURCE_NUMBER) SOURCE_COUNT };
#undef SOURCE_NUMBER
#define SOURCE_BIT(source) (1u << (source))
#define ALL_SOURCES (SOURCE_BIT(SOURCE_COUNT) - 1)

struct bpf_recorder;
struct record_options;

/* A kind of record that the source's programs send. */
struct record_type {
	enum record_kind kind; /* 0 = ends the list */
	const char *name;      /* in `drops` */
	size_t least_bytes;    /* what is shorter is not one */
	const char *table;     /* that lacks a row where one is lost; NULL = every table may */
	/* Writes what it says. Never fails: the writer keeps its own failure. */
	void (*add)(struct bpf_recorder *bpf, const void *record);
	/* Some were lost since the last look; may be NULL. */
	void (*lost)(struct bpf_recorder *bpf);
};

/* How completely a table or column is recorded where the source is available, else it is absent. */
struct provenance {
	const char *table;  /* NULL = ends the list */
	const char *column; /* NULL = the whole table */
	const char *kind;   /* as trace_put_provenance has it */
	const char *note;
	uint64_t (*every_ns)(const struct record_options *options); /* NULL = has no period */
};

struct event_source {
	struct probe_source probe; /* its name and programs */
	const char *label;         /* of its line in `check` */
	const char *sees;          /* what a capture shows by it */
	bool essential;            /* a recording without it is no full one */
	/* Opt-in: its word in --profile, and what the help says of it. NULL = always recorded. */
	const char *profile, *help;
	struct record_type records[3];
	struct provenance provenance[5];
	/* At the end, where it is available: what provenance is known only now. May be NULL. */
	void (*settle)(struct bpf_recorder *bpf);
};

/* By enum source. */
extern const struct event_source *const event_sources[SOURCE_COUNT];
/* What all of them rest on: which tasks are recorded, and stacks. Can't be missing, and has no name. */
extern const struct event_source targets_source;
/* The same as the loader takes it. */
extern const struct probe_source *const probe_sources[SOURCE_COUNT];

#define EXTERN_SOURCE(number, name) extern const struct event_source name##_source;
EVENT_SOURCES(EXTERN_SOURCE)
#undef EXTERN_SOURCE

#endif /* STALLTRACE_EVENT_SOURCE_H */
