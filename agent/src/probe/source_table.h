/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Every program of the BPF object, and which source it serves. */
#ifndef STALLTRACE_SOURCE_TABLE_H
#define STALLTRACE_SOURCE_TABLE_H

#include "programs.h"

/* A source without its needed tracepoints is missing; others only make it better. */
enum need { NEEDED, BETTER };

/* The source of programs without which there are no targets. */
#define SOURCE_ALWAYS SOURCE_COUNT

struct program_entry {
	const char *program;
	const char *tracepoint; /* NULL = attached otherwise */
	enum source source;
	enum need need;
};

#define ENTRIES 30
extern const struct program_entry program_entries[ENTRIES];

struct uprobe_program {
	const char *program;
	enum uprobe_kind kind;
	unsigned int attach_type;
	bool entry_only;
};

#define UPROBE_PROGRAMS 8
extern const struct uprobe_program uprobe_programs[UPROBE_PROGRAMS];

#endif /* STALLTRACE_SOURCE_TABLE_H */
