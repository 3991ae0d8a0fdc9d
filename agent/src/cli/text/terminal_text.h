/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Names that others chose, for a terminal. */
#ifndef STALLTRACE_TERMINAL_TEXT_H
#define STALLTRACE_TERMINAL_TEXT_H

#include <stddef.h>

/*
 * Copies at most `columns` characters: control characters (C1 too, which terminals obey) and bytes
 * that are not UTF-8 as \xNN, marks that turn the direction of writing as their code; "…" where it
 * was cut.
 */
void terminal_text(const char *text, char *out, size_t size, int columns);

#endif /* STALLTRACE_TERMINAL_TEXT_H */
