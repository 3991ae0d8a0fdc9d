/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What symboliser.c, which keeps mappings, and symbols.c, which asks them, share. */
#ifndef STALLTRACE_SYMBOLISER_H
#define STALLTRACE_SYMBOLISER_H

#include "kallsyms.h"
#include "mapped_files.h"
#include "process_mappings.h"
#include "symbols.h"

struct stored_mapping {
	struct mapping mapping;
	uint32_t file;
};

struct traced_process {
	uint64_t process;
	pid_t pid; /* under which it was last read; 0 = never */
	struct process_mappings mappings;
};

struct symboliser {
	struct stored_mapping *mappings;
	size_t mapping_count, mapping_capacity;
	struct traced_process *processes; /* in the order they came */
	size_t process_count, process_capacity;
	uint32_t *slots; /* process + 1 by its number; open addressing, at most half full */
	struct mapped_files *files;
	struct kallsyms *kallsyms;
	uint64_t refused_mappings; /* for lack of room */
	int kallsyms_error;        /* 0 = not tried or read */
};
struct traced_process *symboliser_process(const struct symboliser *symboliser, uint64_t process);

#endif /* STALLTRACE_SYMBOLISER_H */
