/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Code objects read so far, per address space. A fork's child sees what its parent had read by then.
 * An address may hold another code object later: the newest that fits the moment counts.
 */
#ifndef STALLTRACE_PYTHON_CODE_H
#define STALLTRACE_PYTHON_CODE_H

#include "python_objects.h"

struct python_code {
	struct python_code_words words;
	const char *function, *file; /* until the store is freed */
	int64_t instruction_bytes;   /* of all its instructions */
	enum python_line_table line_table;
	uint8_t *lines;
	size_t lines_size;
};

struct code_store; /* all code objects and texts */
struct code_store *code_store_new(void);
void code_store_free(struct code_store *store);

struct code_space; /* one address space; belongs to the store */
struct code_space *code_space_new(struct code_store *store);
/* The child's, which sees what `parent` holds now. */
struct code_space *code_space_fork(struct code_store *store, const struct code_space *parent);

/*
 * The code object at the address: read from the process the first time, compared with it each
 * time, and as it was last seen where the process has gone. code_type: PyCode_Type's address. 0;
 * -EINVAL: no code object; -EDQUOT: the store is full; -errno of reading.
 */
int code_space_find(struct code_store *store, struct code_space *space, pid_t pid,
		    const struct python_layout *layout, uint64_t code_type, uint64_t address,
		    const struct python_code **out);

#endif /* STALLTRACE_PYTHON_CODE_H */
