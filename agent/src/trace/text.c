// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include <string.h>
#include "text.h"

static const char replacement[] = "\xef\xbf\xbd";

size_t text_character_length(const unsigned char *text)
{
	size_t length;
	unsigned char low = 0x80, high = 0xbf;

	if (text[0] < 0x80)
		return 1;
	if (text[0] >= 0xc2 && text[0] <= 0xdf)
		length = 2;
	else if (text[0] >= 0xe0 && text[0] <= 0xef)
		length = 3;
	else if (text[0] >= 0xf0 && text[0] <= 0xf4)
		length = 4;
	else
		return 0;
	/* Table 3-7 of the Unicode standard: the second byte's range depends on the first. */
	if (text[0] == 0xe0)
		low = 0xa0;
	else if (text[0] == 0xed)
		high = 0x9f;
	else if (text[0] == 0xf0)
		low = 0x90;
	else if (text[0] == 0xf4)
		high = 0x8f;
	if (text[1] < low || text[1] > high)
		return 0;
	for (size_t index = 2; index < length; index++)
		if (text[index] < 0x80 || text[index] > 0xbf)
			return 0;
	return length;
}

size_t text_clean(const char *text, size_t max_characters, char *out)
{
	const unsigned char *from = (const unsigned char *)text;
	char *to = out;

	for (size_t characters = 0; *from != '\0' && characters < max_characters; characters++) {
		size_t length = text_character_length(from);

		if (length == 0) {
			memcpy(to, replacement, sizeof(replacement) - 1);
			to += sizeof(replacement) - 1;
			from++;
			continue;
		}
		memcpy(to, from, length);
		to += length;
		from += length;
	}
	*to = '\0';
	return (size_t)(to - out);
}
