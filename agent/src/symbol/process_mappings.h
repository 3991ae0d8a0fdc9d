/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Which mapping lies where in one process. Mappings are numbers; who uses this knows what they are. */
#ifndef STALLTRACE_PROCESS_MAPPINGS_H
#define STALLTRACE_PROCESS_MAPPINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What can be seen of a mapping: the rest is hidden by later ones. */
struct mapped_range {
	uint64_t begin, end;
	uint32_t mapping;
	bool before_exec; /* of the image that exec replaced */
};

struct process_mappings {
	struct mapped_range *ranges; /* by address, without overlaps */
	size_t range_count, range_capacity;
	uint32_t *seen; /* every mapping it ever had, in the order it came */
	size_t seen_count, seen_capacity;
};

/* Lays the mapping over what is there. 0 or -errno. */
int process_mappings_add(struct process_mappings *process, uint64_t begin, uint64_t end,
			 uint32_t mapping);
/* The parent's mappings below the child's own. */
int process_mappings_fork(const struct process_mappings *parent, struct process_mappings *child);
/*
 * What was mapped stays findable where nothing new lies over it: stacks that were taken before are
 * named later, and the new image's first mappings may be told before its exec is.
 */
void process_mappings_exec(struct process_mappings *process);
const struct mapped_range *process_mappings_find(const struct process_mappings *process,
						 uint64_t address);
void process_mappings_clear(struct process_mappings *process);

#endif /* STALLTRACE_PROCESS_MAPPINGS_H */
