/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What this kernel has of what the programs need, and what it lets us do. */
#ifndef STALLTRACE_KERNEL_SUPPORT_H
#define STALLTRACE_KERNEL_SUPPORT_H

#include <stdbool.h>
#include <stddef.h>

/* A tracepoint that programs attach to; found is filled in by find_tracepoints. */
struct tracepoint {
	const char *name;
	bool found;
	unsigned int arguments;
	bool first_is_pointer;
};

/* Whether a test pretends that the thing is not there; `list` is names with commas, or NULL. */
bool pretends_missing(const char *list, const char *name);

/* The list that the environment gives, where no option does: STALLTRACE_PRETEND_MISSING, or NULL. */
const char *pretended_by_environment(void);

/* Looks all of them up in the kernel's BTF in one pass. -errno where there is none to read. */
int find_tracepoints(struct tracepoint *tracepoints, size_t count, const char *pretend_missing);

/* That of the name in a list that ends with one without a name; it is in it. */
const struct tracepoint *tracepoint_named(const struct tracepoint *tracepoints, const char *name);

/*
 * 0 where tracing programs may be loaded: proved by loading one. Else -errno, and in detail one
 * sentence on why and what to do.
 */
int prove_tracing_allowed(const char *pretend_missing, char *detail, size_t detail_size);

/* Whether one link may carry many uprobes, of this attach type: proved by asking for one in vain. */
bool has_uprobe_link(unsigned int attach_type);

#endif /* STALLTRACE_KERNEL_SUPPORT_H */
