/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Where a version of CPython keeps what is read of it. Offsets in bytes. Only the main interpreter
 * is looked at: threads of subinterpreters have native frames alone.
 */
#ifndef STALLTRACE_PYTHON_LAYOUT_H
#define STALLTRACE_PYTHON_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "../../../wire.h"
#include "python_lines.h"

#define PYTHON_OLDEST_MINOR 8
#define PYTHON_NEWEST_MINOR 14
/* No object is read further than this from its begin. */
#define PYTHON_OBJECT_SIZE 512

struct python_layout {
	enum python_line_table line_table;
	uint32_t runtime_interpreters; /* the first of the list */
	uint32_t interpreter_next;
	uint32_t interpreter_id; /* 0 = the main one */
	uint32_t interpreter_threads;
	uint16_t tstate_interpreter;
	uint16_t code_filename;
	uint16_t code_name; /* qualified where the version has it */
	uint16_t code_first_line;
	uint16_t code_line_table;
	/* The bytes object with the instructions; 0 = inside the code object. */
	uint16_t code_bytes;
	uint16_t object_type;
	uint16_t object_size; /* of objects of variable size: the number of elements */
	uint16_t type_name;
	uint16_t bytes_data;
	uint16_t text_length;
	uint16_t text_state;
	uint16_t text_ascii;   /* sizeof(PyASCIIObject): the characters of a compact ASCII string */
	uint16_t text_compact; /* sizeof(PyCompactUnicodeObject): of any other compact string */
	struct python_config walk; /* thread_list is the process's own */
};

/* The table's entry; NULL for versions that publish their offsets, or that are not known. */
const struct python_layout *python_known_layout(unsigned int minor);

/*
 * From the _Py_DebugOffsets at the begin of _PyRuntime (3.13 on). 0; -ENOTSUP and why in detail;
 * -errno of reading.
 */
int python_published_layout(pid_t pid, uint64_t runtime, unsigned int minor,
			    struct python_layout *out, char *detail, size_t detail_size);

/*
 * Shows that the layout is the process's: every thread state points back to its interpreter and
 * names its thread, and frames lead to code objects with texts as file and name. Fills walk and
 * *code_type (PyCode_Type). 0; -EAGAIN: not initialised yet, or nothing runs; -ENOTSUP.
 */
int python_prove_layout(pid_t pid, uint64_t runtime, struct python_layout *layout,
			uint64_t *code_type);

#endif /* STALLTRACE_PYTHON_LAYOUT_H */
