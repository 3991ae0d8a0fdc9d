/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Which programs each source needs, and which of them this kernel can be given. */
#ifndef STALLTRACE_SOURCES_H
#define STALLTRACE_SOURCES_H

#include "kernel_support.h"
#include "stalltrace.skel.h"

#define MAX_PROGRAMS 64

/* What is to be loaded: decided from the options and the kernel, reduced by each failed load. */
struct load_plan {
	const struct programs_options *options;
	struct source_status *status; /* of SOURCE_COUNT */
	enum uprobe_kind uprobes;
	bool entry_only; /* some processes may have to go without return probes */
	bool switch_has_state;
	bool block_has_queue;
	bool oom_passes_task;
	bool absent[MAX_PROGRAMS]; /* by the program's place in program_entries */
};

/* Fills status; -errno and detail where the kernel can't be used at all. */
int plan_load(struct load_plan *plan, char *detail, size_t detail_size);

/* Takes the best kind of uprobe that comes after this one. */
void plan_uprobes(struct load_plan *plan, enum uprobe_kind after);

/* Chooses the programs of the opened object, and sets what must be set before the load. */
int apply_plan(const struct load_plan *plan, struct stalltrace_bpf *object);

/*
 * The named program did not load ("" = unknown): leaves its source out, or takes the next kind of
 * uprobe. False where nothing can be left out.
 */
bool reduce_plan(struct load_plan *plan, const char *program, const char *reason);

/* SOURCE_COUNT = no source can do without it. */
enum source source_of_program(const char *program);

/* Marks the source as missing. */
void mark_missing(struct source_status *status, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif /* STALLTRACE_SOURCES_H */
