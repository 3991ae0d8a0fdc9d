// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "json_read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define DEEPEST 32

static const char *skip_blanks(const char *at)
{
	while (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r')
		at++;
	return at;
}

static bool is_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* Each skip_* returns what follows, NULL where it is no such value. */
static const char *skip_string(const char *at)
{
	if (*at++ != '"')
		return NULL;
	while (*at != '"') {
		if ((unsigned char)*at < 0x20)
			return NULL;
		if (*at++ != '\\')
			continue;
		if (*at == 'u') {
			for (int i = 1; i <= 4; i++)
				if (!is_hex(at[i]))
					return NULL;
			at += 5;
		} else if (*at && strchr("\"\\/bfnrt", *at)) {
			at++;
		} else {
			return NULL;
		}
	}
	return at + 1;
}

static const char *skip_digits(const char *at)
{
	const char *begin = at;

	while (*at >= '0' && *at <= '9')
		at++;
	return at == begin ? NULL : at;
}

static const char *skip_number(const char *at)
{
	at += *at == '-';
	at = *at == '0' ? at + 1 : skip_digits(at);
	if (at && *at == '.')
		at = skip_digits(at + 1);
	if (at && (*at == 'e' || *at == 'E')) {
		at++;
		at += *at == '+' || *at == '-';
		at = skip_digits(at);
	}
	return at;
}

static const char *skip_value(const char *at, unsigned int depth);

static const char *skip_member(const char *at)
{
	at = skip_string(at);
	if (!at)
		return NULL;
	at = skip_blanks(at);
	return *at == ':' ? skip_blanks(at + 1) : NULL;
}

static const char *skip_nested(const char *at, unsigned int depth)
{
	char close = *at == '{' ? '}' : ']';

	if (depth >= DEEPEST)
		return NULL;
	at = skip_blanks(at + 1);
	if (*at == close)
		return at + 1;
	for (;;) {
		if (close == '}')
			at = skip_member(at);
		at = at ? skip_value(at, depth + 1) : NULL;
		if (!at)
			return NULL;
		at = skip_blanks(at);
		if (*at == close)
			return at + 1;
		if (*at != ',')
			return NULL;
		at = skip_blanks(at + 1);
	}
}

static const char *skip_value(const char *at, unsigned int depth)
{
	static const char *const words[] = {"true", "false", "null"};

	if (*at == '{' || *at == '[')
		return skip_nested(at, depth);
	if (*at == '"')
		return skip_string(at);
	for (int i = 0; i < 3; i++)
		if (!strncmp(at, words[i], strlen(words[i])))
			return at + strlen(words[i]);
	return skip_number(at);
}

bool json_is_object(const char *text)
{
	const char *at = skip_blanks(text);

	if (*at != '{')
		return false;
	at = skip_value(at, 0);
	return at && !*skip_blanks(at);
}

/* Keys of ours have no escapes. */
static const char *find_member(const char *text, const char *key)
{
	const char *at = skip_blanks(text);
	size_t length = strlen(key);

	if (!json_is_object(text))
		return NULL;
	at = skip_blanks(at + 1);
	while (*at == '"') {
		bool found = !strncmp(at + 1, key, length) && at[1 + length] == '"';

		at = skip_member(at);
		if (found)
			return at;
		at = skip_blanks(skip_value(at, 1));
		if (*at == ',')
			at = skip_blanks(at + 1);
	}
	return NULL;
}

static char unescape(char letter)
{
	static const char from[] = "bfnrt", to[] = "\b\f\n\r\t";
	const char *found = strchr(from, letter);

	return found ? to[found - from] : letter;
}

int json_find_text(const char *text, const char *key, char *out, size_t size)
{
	const char *at = find_member(text, key);
	char *copy, *end;

	if (!at)
		return -ENOENT;
	if (*at++ != '"')
		return -EINVAL;
	copy = malloc(size);
	if (!copy)
		return -ENOMEM;
	for (end = copy; *at != '"' && end < copy + size - 1; at++) {
		if (*at != '\\') {
			*end++ = *at;
		} else if (*++at == 'u') {
			/* json.c escapes control characters alone so. */
			*end++ = (char)strtoul((char[]){at[3], at[4], 0}, NULL, 16);
			at += 4;
		} else {
			*end++ = unescape(*at);
		}
	}
	*end = '\0';
	if (*at == '"')
		memcpy(out, copy, end - copy + 1);
	free(copy);
	return *at == '"' ? 0 : -EINVAL;
}

int json_find_unsigned(const char *text, const char *key, uint64_t *out)
{
	const char *at = find_member(text, key);
	unsigned long long value;
	char *end;

	if (!at)
		return -ENOENT;
	if (*at < '0' || *at > '9')
		return -EINVAL;
	errno = 0;
	value = strtoull(at, &end, 10);
	if (errno || *end == '.' || *end == 'e' || *end == 'E')
		return -EINVAL;
	*out = value;
	return 0;
}

bool json_find_true(const char *text, const char *key)
{
	const char *at = find_member(text, key);

	return at && *at == 't';
}

const char *json_find_object(const char *text, const char *key, size_t *length)
{
	const char *at = find_member(text, key);

	if (!at || *at != '{')
		return NULL;
	*length = (size_t)(skip_value(at, 1) - at);
	return at;
}
