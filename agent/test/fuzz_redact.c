// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Any bytes as an argument vector, and the same many times over: no overrun, no endless loop, no
 * argument more or less, and text stays text.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "../src/host/proc.h"

#define BYTES 65536
#define REPEATED_BYTES 4096

/* Programs with habits of their own, and code. */
#define BEGIN(text)                \
	{                          \
		text, sizeof(text) \
	}
static const struct {
	const char *text;
	size_t length;
} begins[] = {
	BEGIN("x"),    BEGIN("x\0-c"),         BEGIN("sqlplus"),  BEGIN("mysql"),
	BEGIN("curl"), BEGIN("docker\0login"), BEGIN("htpasswd"), BEGIN("x\0--token"),
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t sequence_length(unsigned char c)
{
	return c < 0x80           ? 1 :
	       (c & 0xe0) == 0xc0 ? 2 :
	       (c & 0xf0) == 0xe0 ? 3 :
	       (c & 0xf8) == 0xf0 ? 4 :
				    0;
}

/* Whether no sequence of UTF-8 is cut or begun within. */
static bool is_text(const char *text, size_t length)
{
	size_t at = 0;

	while (at < length) {
		size_t size = sequence_length((unsigned char)text[at]);

		if (size == 0 || size > length - at)
			return false;
		for (size_t i = 1; i < size; i++)
			if (((unsigned char)text[at + i] & 0xc0) != 0x80)
				return false;
		at += size;
	}
	return true;
}

static size_t count_nuls(const char *text, size_t length)
{
	size_t count = 0;

	for (size_t i = 0; i < length; i++)
		count += text[i] == '\0';
	return count;
}

static void check(char *text, size_t length, size_t capacity)
{
	bool was_text = is_text(text, length);
	size_t nuls = count_nuls(text, length);

	if (redact_arguments(text, &length, capacity) < 0 || length > capacity)
		abort();
	if (was_text && !is_text(text, length))
		abort();
	/* It may have been cut. */
	if (length + 4 > capacity)
		return;
	/* Fewer where it would have taken too long: then the rest is hidden. */
	if (count_nuls(text, length) > nuls || (count_nuls(text, length) < nuls && length >= 10 &&
						!memmem(text, length, "[redacted]", 10)))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t length = size < BYTES ? size : BYTES, capacity = 10 * (length + REPEATED_BYTES);
	char *text = malloc(capacity);

	if (!text)
		return 0;
	memcpy(text, data, length);
	check(text, size < BYTES ? size : BYTES, capacity);
	memcpy(text, data, length);
	check(text, length, length);
	/* A short piece over and over is what takes the square of a length. */
	if (size && size <= 16) {
		size_t begin = data[size - 1] % (sizeof(begins) / sizeof(*begins));

		memcpy(text, begins[begin].text, begins[begin].length);
		length = begins[begin].length;
		for (; length + size <= REPEATED_BYTES; length += size)
			memcpy(text + length, data, size);
		check(text, length, capacity);
	}
	free(text);
	return 0;
}
