// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "terminal_text.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include "../../trace/text.h"

/* Of a character that is valid UTF-8, as long as that. */
static uint32_t code_point(const unsigned char *text, size_t length)
{
	uint32_t code = length == 1 ? text[0] : text[0] & (0x7fu >> length);

	for (size_t i = 1; i < length; i++)
		code = code << 6 | (text[i] & 0x3f);
	return code;
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
		size_t length = text_character_length(at);
		uint32_t code = code_point(at, length);

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
