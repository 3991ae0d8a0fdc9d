// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "demangle.h"
#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The demangler keeps its parts on the stack, about 100 bytes for each byte of the name. */
#define MAX_MANGLED_BYTES 8192

/*
 * libsupc++'s own entry below __cxa_demangle, exported for its terminate handler: it hands its text
 * out in pieces instead of allocating the whole. Substitutions let a short hostile name grow without
 * bound, so the first piece that finds no room ends it.
 */
extern int __gcclibcxx_demangle_callback(const char *mangled,
					 void (*piece)(const char *text, size_t length,
						       void *context),
					 void *context);

struct output {
	char *text;
	size_t size, used;
	jmp_buf full;
};

static void add_piece(const char *text, size_t length, void *context)
{
	struct output *output = context;
	size_t room = output->size - 1 - output->used;
	size_t part = length < room ? length : room;

	memcpy(output->text + output->used, text, part);
	output->used += part;
	if (part < length)
		longjmp(output->full, 1);
}

/* output is the caller's: a variable of the function that calls setjmp may be lost by longjmp. */
static bool demangle_cxx(const char *name, struct output *output)
{
	if (setjmp(output->full) == 0 &&
	    __gcclibcxx_demangle_callback(name, add_piece, output) != 0)
		return false;
	output->text[output->used] = '\0';
	return true;
}

/* Ends in "::h" and the 16 digits of a hash (rustc_symbol_mangling, legacy.rs). */
static bool cut_rust_hash(char *name)
{
	size_t length = strlen(name);
	char *hash;

	if (length < 20)
		return false;
	hash = name + length - 19;
	if (strncmp(hash, "::h", 3) != 0 || strspn(hash + 3, "0123456789abcdef") != 16)
		return false;
	*hash = '\0';
	return true;
}

/* One $…$ of Rust's legacy scheme; 0 = none is here. Returns the bytes it takes. */
static size_t rust_escape(const char *at, char *out)
{
	static const struct {
		const char *escape;
		char character;
	} escapes[] = {{"$SP$", '@'}, {"$BP$", '*'}, {"$RF$", '&'}, {"$LT$", '<'},
		       {"$GT$", '>'}, {"$LP$", '('}, {"$RP$", ')'}, {"$C$", ','}};
	unsigned long code;
	char *end;

	for (size_t i = 0; i < sizeof(escapes) / sizeof(escapes[0]); i++) {
		size_t length = strlen(escapes[i].escape);

		if (strncmp(at, escapes[i].escape, length) == 0) {
			*out = escapes[i].character;
			return length;
		}
	}
	if (strncmp(at, "$u", 2) != 0)
		return 0;
	code = strtoul(at + 2, &end, 16);
	if (end == at + 2 || *end != '$' || code < 0x20 || code > 0x7e)
		return 0;
	*out = (char)code;
	return end + 1 - at;
}

/* In place: every escape is longer than what it stands for. */
static void unescape_rust(char *name)
{
	char *to = name;

	for (const char *from = name; *from;) {
		bool part_begins = from == name || from[-1] == ':';
		size_t escape;

		if (part_begins && from[0] == '_' && from[1] == '$')
			from++;
		escape = rust_escape(from, to);
		if (escape) {
			from += escape;
		} else if (from[0] == '.' && from[1] == '.') {
			from += 2;
			*to++ = ':';
			*to = ':';
		} else {
			*to = *from++;
		}
		to++;
	}
	*to = '\0';
}

void demangle(const char *name, char *out, size_t size)
{
	struct output output = {.text = out, .size = size};

	if (strncmp(name, "_Z", 2) == 0 && strnlen(name, MAX_MANGLED_BYTES) < MAX_MANGLED_BYTES &&
	    demangle_cxx(name, &output)) {
		if (cut_rust_hash(out))
			unescape_rust(out);
		return;
	}
	snprintf(out, size, "%s", name);
}
