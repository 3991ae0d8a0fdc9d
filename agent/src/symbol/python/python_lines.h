/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The tables that say which line an instruction belongs to. Their bytes are hostile. */
#ifndef STALLTRACE_PYTHON_LINES_H
#define STALLTRACE_PYTHON_LINES_H

#include <stddef.h>
#include <stdint.h>

enum python_line_table {
	PYTHON_LNOTAB = 1,     /* 3.8, 3.9: pairs of increments */
	PYTHON_LINE_RANGES,    /* 3.10: pairs of range and increment (PEP 626) */
	PYTHON_LOCATION_TABLE, /* 3.11 on: Objects/locations.md of CPython */
};

/* instruction: bytes from the first one. The line; < 0 where the table has none for it. */
int python_line_at(enum python_line_table kind, const uint8_t *table, size_t size, int first_line,
		   int64_t instruction);

#endif /* STALLTRACE_PYTHON_LINES_H */
