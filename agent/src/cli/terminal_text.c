// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "terminal_text.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Bytes of the UTF-8 sequence at the text's begin and its code point; 0 = is none. */
static size_t decode(const unsigned char *text, uint32_t *out)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	size_t length = text[0] < 0x80     ? 1 :
			text[0] >> 5 == 6  ? 2 :
			text[0] >> 4 == 14 ? 3 :
			text[0] >> 3 == 30 ? 4 :
					     0;

	*out = length == 1 ? text[0] : text[0] & (0x7fu >> length);
	for (size_t i = 1; i < length; i++) {
		if (text[i] >> 6 != 2) /* a NUL too */
			return 0;
		*out = *out << 6 | (text[i] & 0x3f);
	}
	if (length &&
	    (*out < least[length] || *out > 0x10ffff || (*out >= 0xd800 && *out < 0xe000)))
		return 0;
	return length;
}

/* Marks that move what stands around them, or can't be seen. */
static bool is_mark(uint32_t code)
{
	return (code >= 0x200b && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
	       (code >= 0x2060 && code <= 0x206f) || code == 0xfeff || code == 0x61c;
}

void terminal_text(const char *text, char *out, size_t size, int columns)
{
	const unsigned char *at = (const unsigned char *)text;
	size_t used = 0;
	int column = 0;

	while (*at) {
		char piece[16];
		uint32_t code;
		size_t length = decode(at, &code);

		if (!length || code < 0x20 || (code >= 0x7f && code < 0xa0)) {
			snprintf(piece, sizeof(piece), "\\x%02x", *at);
			/* The C1 controls are two bytes, the second of which is their code. */
			if (length == 2)
				snprintf(piece, sizeof(piece), "\\u%04x", code);
			length = length ? length : 1;
		} else if (is_mark(code)) {
			snprintf(piece, sizeof(piece), "\\u%04x", code);
		} else {
			memcpy(piece, at, length);
			piece[length] = '\0';
		}
		column += piece[0] == '\\' ? (int)strlen(piece) : 1;
		if (column >= columns || used + strlen(piece) + sizeof("…") > size) {
			used += (size_t)snprintf(out + used, size - used, "…");
			break;
		}
		used += (size_t)snprintf(out + used, size - used, "%s", piece);
		at += length;
	}
	out[used < size ? used : size - 1] = '\0';
}
