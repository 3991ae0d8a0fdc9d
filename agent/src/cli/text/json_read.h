/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Reads back what json.c wrote: whole texts are checked, members are those of the outermost object. */
#ifndef STALLTRACE_JSON_READ_H
#define STALLTRACE_JSON_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One object, whole, nested at most 32 deep, nothing after it but blanks. */
bool json_is_object(const char *text);
/* 0, -ENOENT, -EINVAL where it is of another type or cut off by size. out is untouched but for 0. */
int json_find_text(const char *text, const char *key, char *out, size_t size);
int json_find_unsigned(const char *text, const char *key, uint64_t *out);
/* Whether the member is there and true. */
bool json_find_true(const char *text, const char *key);
/* Where in text the member begins, an object; NULL where it is none. */
const char *json_find_object(const char *text, const char *key, size_t *length);

#endif /* STALLTRACE_JSON_READ_H */
