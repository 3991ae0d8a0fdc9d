/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Which programs are to be loaded, and which of them this kernel can be given. */
#ifndef STALLTRACE_LOAD_PLAN_H
#define STALLTRACE_LOAD_PLAN_H

#include "../kernel/kernel_support.h"
#include "programs.h"
#include "stalltrace.skel.h"

#define MAX_PROGRAMS 64

struct planned_program {
	const struct source_program *program;
	unsigned int source; /* its place in the options' sources; source_count = needed always */
	bool absent;         /* not to be loaded, though its source is there */
};

/* What is to be loaded: decided from the options and the kernel, reduced by each failed load. */
struct load_plan {
	const struct programs_options *options;
	struct source_status *status; /* of options->source_count */
	enum uprobe_kind uprobes;
	bool entry_only; /* some processes may have to go without return probes */
	struct planned_program programs[MAX_PROGRAMS];
	struct tracepoint tracepoints[MAX_PROGRAMS + 1]; /* in the programs' order */
	unsigned int program_count;
};

/* Fills the status of all sources that are wanted; -errno and detail where the kernel can't be used. */
int plan_load(struct load_plan *plan, char *detail, size_t detail_size);

/* Takes the best kind of uprobe that comes after this one. */
void plan_uprobes(struct load_plan *plan, enum uprobe_kind after);

/* Marks as missing what can't be without a source that is. */
void leave_out_dependents(struct load_plan *plan);

/* Chooses the programs of the opened object, and sets what must be set before the load. */
int apply_plan(const struct load_plan *plan, struct stalltrace_bpf *object);

/*
 * The named program did not load ("" = unknown): leaves its source out, or takes the next kind of
 * uprobe. False where nothing can be left out.
 */
bool reduce_plan(struct load_plan *plan, const char *program, const char *reason);

/* The place of the source that has uprobes; source_count = none has. */
unsigned int uprobe_source(const struct programs_options *options);

/* Marks the source as missing. */
void mark_missing(struct source_status *status, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif /* STALLTRACE_LOAD_PLAN_H */
