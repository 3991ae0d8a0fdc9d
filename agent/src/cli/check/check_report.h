/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What `check` found, and the parts that look. */
#ifndef STALLTRACE_CHECK_REPORT_H
#define STALLTRACE_CHECK_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include "../recording/inside_line.h"
#include "../../record/tiers.h"
#include "../text/json.h"

enum check_status { CHECK_OK, CHECK_WARN, CHECK_FAIL, CHECK_INFO };

struct check_item {
	const char *id, *label;
	enum check_status status;
	char detail[768];
	char next[320]; /* what to do; empty = nothing */
};

struct check_missing {
	const char *what;
	char why[512], next[320];
};

#define MAX_ITEMS 64
#define MAX_CAPTURED 24

struct check_report {
	const char *pretend_missing; /* for tests; see pretends_missing */
	struct check_item items[MAX_ITEMS];
	size_t count;
	const char *captured[MAX_CAPTURED];
	size_t captured_count;
	struct check_missing missing[MAX_CAPTURED];
	size_t missing_count;
	struct tier_status tiers[TIER_COUNT];
	char without_bpf[512];               /* why the programs can't be loaded */
	char inside_line[INSIDE_LINE_BYTES]; /* what brings a running process in; empty = nothing */
	char without_inside[160]; /* why no job can have the library; empty = none is known yet */
	bool full;                /* with BPF, switches and CUDA calls among what is recorded */
	bool partial;             /* with BPF, but without one of these; else /proc is polled */
};

/* id, label, what: static texts. next NULL = nothing is to be done. */
void check_add(struct check_report *report, const char *id, const char *label,
	       enum check_status status, const char *next, const char *format, ...)
	__attribute__((format(printf, 6, 7)));
void check_captured(struct check_report *report, const char *what);
/* What was missing so far is captured after all. */
void check_found(struct check_report *report, const char *what);
void check_missing(struct check_report *report, const char *what, const char *why,
		   const char *next);

/* Kernel and privileges; its programs' libc; what of the BPF programs loads; CUDA, GPUs, PyTorch; the machine. */
void check_kernel(struct check_report *report);
void check_libc(struct check_report *report);
void check_sources(struct check_report *report);
void check_cuda(struct check_report *report);
void check_machine(struct check_report *report);
/* What a capture can be made from; after the others. */
void check_tiers(struct check_report *report);
void check_put_tiers(struct json *json, const struct check_report *report);
void check_print_tiers(const struct check_report *report);

int check_print_json(const struct check_report *report);
int check_print_table(const struct check_report *report);

#endif /* STALLTRACE_CHECK_REPORT_H */
