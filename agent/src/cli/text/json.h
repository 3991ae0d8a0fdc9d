/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Writes JSON, a value at a time, into a growing buffer. Texts are hostile: bytes that are not UTF-8
 * become U+FFFD. Commas, quotes and nesting are its business.
 */
#ifndef STALLTRACE_JSON_H
#define STALLTRACE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json {
	char *text; /* NUL-terminated; NULL after json_free */
	size_t length, capacity;
	unsigned int depth;
	bool needs_comma;
	bool failed; /* no memory: the text is to be thrown away */
};

void json_open_object(struct json *json, const char *key); /* key NULL: in an array, or outermost */
void json_close_object(struct json *json);
void json_open_array(struct json *json, const char *key);
void json_close_array(struct json *json);
void json_text(struct json *json, const char *key, const char *value); /* NULL → null */
void json_integer(struct json *json, const char *key, int64_t value);
void json_unsigned(struct json *json, const char *key, uint64_t value);
void json_number(struct json *json, const char *key, double value); /* not finite → null */
void json_boolean(struct json *json, const char *key, bool value);
void json_null(struct json *json, const char *key);
/* Text that is JSON already: a line of our own, read back. */
void json_raw(struct json *json, const char *key, const char *text);
/* A newline after the whole: the text is a line then. */
void json_end_line(struct json *json);
void json_reset(struct json *json);
void json_free(struct json *json);
/* Writes the text and a newline in one write(2) where it fits; 0 or -errno. */
int json_print_line(const struct json *json, int fd);
/* All bytes, whatever signals come; -EAGAIN where a non-blocking reader sleeps. */
int write_all(int fd, const char *bytes, size_t length);
/* The same, however long the reader sleeps: for who has nothing else to do. */
int write_patiently(int fd, const char *bytes, size_t length);

#endif /* STALLTRACE_JSON_H */
