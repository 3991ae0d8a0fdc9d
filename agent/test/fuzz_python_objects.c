// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Python's objects in the memory of a process: this one's, which is the input. Whatever they point to,
 * only errors, and texts within their bounds.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "../src/symbol/python/python_objects.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct python_layout *layout_of(const uint8_t *header)
{
	static struct python_layout layout;

	memset(&layout, 0, sizeof(layout));
	layout.text_state = header[0];
	layout.text_length = header[1];
	layout.text_ascii = header[2];
	layout.text_compact = header[3];
	layout.code_filename = header[4];
	layout.code_name = header[5];
	layout.code_line_table = header[6];
	layout.code_first_line = header[7];
	layout.object_type = header[8] % 64;
	layout.object_size = header[9];
	layout.bytes_data = header[10];
	layout.type_name = header[11];
	return &layout;
}

/* A word of the input may be where in the input another object is: as an address. */
static void point_inside(uint8_t *bytes, size_t size)
{
	for (size_t at = 0; at + 8 <= size; at += 8) {
		uint64_t word;

		memcpy(&word, bytes + at, sizeof(word));
		if (word >> 8 || !word)
			continue;
		word = (uintptr_t)bytes + word * 8 % size;
		memcpy(bytes + at, &word, sizeof(word));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct python_layout *layout;
	struct python_code_words words;
	char text[PYTHON_TEXT_SIZE];
	uint8_t *memory, *table;
	uint64_t address;
	size_t length;

	if (size < 32)
		return 0;
	layout = layout_of(data);
	size -= 16;
	memory = malloc(size);
	if (!memory)
		return 0;
	memcpy(memory, data + 16, size);
	point_inside(memory, size);
	address = (uintptr_t)memory;
	if (python_read_text(getpid(), layout, address, text) == 0 && strlen(text) >= sizeof(text))
		abort();
	if (python_read_code_words(getpid(), layout, address, &words) == 0)
		python_read_text(getpid(), layout, words.name, text);
	if (python_read_bytes(getpid(), layout, address, &table, &length) == 0)
		free(table);
	python_is_a(getpid(), layout, address, "code");
	free(memory);
	return 0;
}
