/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Strings and code objects of another process's interpreter. Nothing in them is trusted. */
#ifndef STALLTRACE_PYTHON_OBJECTS_H
#define STALLTRACE_PYTHON_OBJECTS_H

#include "python_layout.h"

#define PYTHON_TEXT_SIZE 1024
#define PYTHON_MAX_LINE_TABLE (1u << 20)

/* A str as UTF-8, cut to what fits; what has no UTF-8 becomes U+FFFD. -EINVAL: not a str. */
int python_read_text(pid_t pid, const struct python_layout *layout, uint64_t address,
		     char out[PYTHON_TEXT_SIZE]);
/* Characters of `width` bytes each as UTF-8; returns the length. For tests and fuzzing too. */
size_t python_encode_text(const void *characters, size_t count, unsigned int width, char *out,
			  size_t size);

/* The members that tell one code object from another that took its place. */
struct python_code_words {
	uint64_t type, filename, name, line_table;
	int32_t first_line;
	uint32_t padding;
};
int python_read_code_words(pid_t pid, const struct python_layout *layout, uint64_t address,
			   struct python_code_words *out);

/* The number of a code object's instructions, of two bytes each. -EINVAL: more than there can be. */
int python_count_instructions(pid_t pid, const struct python_layout *layout, uint64_t code,
			      uint64_t *count);

/* A bytes object's contents, to be freed; 0, -EINVAL: no such object, -E2BIG. */
int python_read_bytes(pid_t pid, const struct python_layout *layout, uint64_t address,
		      uint8_t **data, size_t *size);

/* Whether the object's type is a type with that name. */
bool python_is_a(pid_t pid, const struct python_layout *layout, uint64_t object,
		 const char *type_name);

#endif /* STALLTRACE_PYTHON_OBJECTS_H */
