// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "python_objects.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "python_memory.h"

/* PyASCIIObject.state: interned:2, kind:3 (bytes a character), compact:1, ascii:1 */
#define TEXT_KIND(state) ((state) >> 2 & 7)
#define TEXT_COMPACT 0x20
#define TEXT_ASCII 0x40

static uint32_t character_at(const uint8_t *characters, size_t index, unsigned int width)
{
	uint16_t two;
	uint32_t four;

	if (width == 1)
		return characters[index];
	if (width == 2) {
		memcpy(&two, characters + 2 * index, sizeof(two));
		return two;
	}
	memcpy(&four, characters + 4 * index, sizeof(four));
	return four;
}

static size_t encode_character(uint32_t c, char out[4])
{
	if (!c || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		c = 0xfffd;
	if (c < 0x80) {
		out[0] = c;
		return 1;
	}
	if (c < 0x800) {
		out[0] = 0xc0 | c >> 6;
		out[1] = 0x80 | (c & 63);
		return 2;
	}
	if (c < 0x10000) {
		out[0] = 0xe0 | c >> 12;
		out[1] = 0x80 | (c >> 6 & 63);
		out[2] = 0x80 | (c & 63);
		return 3;
	}
	out[0] = 0xf0 | c >> 18;
	out[1] = 0x80 | (c >> 12 & 63);
	out[2] = 0x80 | (c >> 6 & 63);
	out[3] = 0x80 | (c & 63);
	return 4;
}

size_t python_encode_text(const void *characters, size_t count, unsigned int width, char *out,
			  size_t size)
{
	size_t length = 0;
	char encoded[4];

	for (size_t i = 0; i < count; i++) {
		size_t bytes = encode_character(character_at(characters, i, width), encoded);

		if (length + bytes >= size)
			break;
		memcpy(out + length, encoded, bytes);
		length += bytes;
	}
	out[length] = '\0';
	return length;
}

int python_read_text(pid_t pid, const struct python_layout *layout, uint64_t address,
		     char out[PYTHON_TEXT_SIZE])
{
	uint8_t characters[4 * (PYTHON_TEXT_SIZE - 1)];
	uint64_t length;
	uint32_t state;
	unsigned int width;
	int error;

	error = memory_read_word(pid, address + layout->text_length, &length);
	if (!error)
		error = memory_read(pid, address + layout->text_state, &state, sizeof(state));
	if (error)
		return error;
	width = TEXT_KIND(state);
	if (!(state & TEXT_COMPACT) || (width != 1 && width != 2 && width != 4) ||
	    length > INT64_MAX)
		return -EINVAL;
	if (length > PYTHON_TEXT_SIZE - 1)
		length = PYTHON_TEXT_SIZE - 1;
	address += state & TEXT_ASCII ? layout->text_ascii : layout->text_compact;
	error = length ? memory_read(pid, address, characters, length * width) : 0;
	if (error)
		return error;
	python_encode_text(characters, length, width, out, PYTHON_TEXT_SIZE);
	return 0;
}

int python_read_code_words(pid_t pid, const struct python_layout *layout, uint64_t address,
			   struct python_code_words *out)
{
	uint8_t object[PYTHON_OBJECT_SIZE];
	size_t size = layout->code_line_table + sizeof(uint64_t);
	int error;

	/* The line table is the last of the members in every version. */
	if (size > sizeof(object) || layout->code_filename >= size || layout->code_name >= size ||
	    layout->code_first_line >= size || layout->object_type >= size)
		return -EINVAL;
	error = memory_read(pid, address, object, size);
	if (error)
		return error;
	*out = (struct python_code_words){0};
	memcpy(&out->type, object + layout->object_type, sizeof(out->type));
	memcpy(&out->filename, object + layout->code_filename, sizeof(out->filename));
	memcpy(&out->name, object + layout->code_name, sizeof(out->name));
	memcpy(&out->line_table, object + layout->code_line_table, sizeof(out->line_table));
	memcpy(&out->first_line, object + layout->code_first_line, sizeof(out->first_line));
	return 0;
}

int python_count_instructions(pid_t pid, const struct python_layout *layout, uint64_t code,
			      uint64_t *count)
{
	uint64_t bytes;
	int error;

	*count = 0;
	if (!layout->code_bytes) {
		error = memory_read_word(pid, code + layout->object_size, count);
	} else {
		error = memory_read_word(pid, code + layout->code_bytes, &bytes);
		if (!error)
			error = memory_read_word(pid, bytes + layout->object_size, count);
		*count /= 2;
	}
	return error ? error : *count < INT32_MAX ? 0 : -EINVAL;
}

int python_read_bytes(pid_t pid, const struct python_layout *layout, uint64_t address,
		      uint8_t **data, size_t *size)
{
	uint64_t length;
	int error = memory_read_word(pid, address + layout->object_size, &length);

	if (error)
		return error;
	if (length > PYTHON_MAX_LINE_TABLE)
		return length > INT64_MAX ? -EINVAL : -E2BIG;
	*data = malloc(length ? length : 1);
	if (!*data)
		return -ENOMEM;
	error = length ? memory_read(pid, address + layout->bytes_data, *data, length) : 0;
	if (error) {
		free(*data);
		*data = NULL;
		return error;
	}
	*size = length;
	return 0;
}

bool python_is_a(pid_t pid, const struct python_layout *layout, uint64_t object,
		 const char *type_name)
{
	char name[16];
	size_t size = strlen(type_name) + 1;
	uint64_t type, name_address;

	return size <= sizeof(name) &&
	       !memory_read_word(pid, object + layout->object_type, &type) &&
	       !memory_read_word(pid, type + layout->type_name, &name_address) &&
	       !memory_read(pid, name_address, name, size) && !memcmp(name, type_name, size);
}
