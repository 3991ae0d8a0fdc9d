/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Texts of other programs made fit for the file: valid UTF-8, of bounded length. */
#ifndef STALLTRACE_TRACE_TEXT_H
#define STALLTRACE_TRACE_TEXT_H

#include <stddef.h>

/* Characters that readers of the file take of a name, and of a command line or a note. */
#define NAME_CHARACTERS 1024
#define LONG_CHARACTERS 4096
/* A symbol may be mangled, and worth nothing when it is cut. */
#define SYMBOL_CHARACTERS 16384
/* JSON of meta, which is worth nothing when it is cut. */
#define META_CHARACTERS 65536
/* Room for as many characters of four bytes. */
#define NAME_BYTES (4 * NAME_CHARACTERS + 1)
#define TEXT_BYTES (4 * META_CHARACTERS + 1)

/*
 * Copies `text` up to `max_characters`, each byte that is not part of valid UTF-8 (RFC 3629: no
 * surrogates, no overlong forms) as U+FFFD. `out` has room for 4 bytes a character and the NUL.
 * Returns the length in bytes.
 */
size_t text_clean(const char *text, size_t max_characters, char *out);

/* Bytes of the character that begins at `text`, 0 where it is not valid UTF-8. Stops at a NUL. */
size_t text_character_length(const unsigned char *text);

#endif /* STALLTRACE_TRACE_TEXT_H */
