// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "json.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "../../trace/text.h"

/* More than any answer of ours; a runaway list fails instead of filling the memory. */
#define JSON_MAX_BYTES (64u << 20)

static void append(struct json *json, const char *text, size_t length)
{
	size_t needed = json->length + length + 1;

	if (json->failed)
		return;
	if (needed > json->capacity) {
		size_t capacity = json->capacity ? json->capacity : 512;
		char *grown;

		while (capacity < needed && capacity < JSON_MAX_BYTES)
			capacity *= 2;
		grown = needed <= capacity ? realloc(json->text, capacity) : NULL;
		if (!grown) {
			json->failed = true;
			return;
		}
		json->text = grown;
		json->capacity = capacity;
	}
	memcpy(json->text + json->length, text, length);
	json->length += length;
	json->text[json->length] = '\0';
}

static void append_text(struct json *json, const char *text)
{
	append(json, text, strlen(text));
}

static void append_escaped(struct json *json, unsigned char byte)
{
	char escape[8];

	switch (byte) {
	case '"':
		append_text(json, "\\\"");
		break;
	case '\\':
		append_text(json, "\\\\");
		break;
	case '\n':
		append_text(json, "\\n");
		break;
	case '\t':
		append_text(json, "\\t");
		break;
	default:
		snprintf(escape, sizeof(escape), "\\u%04x", byte);
		append_text(json, escape);
	}
}

static void append_string(struct json *json, const char *value)
{
	const unsigned char *at = (const unsigned char *)value;

	append(json, "\"", 1);
	while (*at) {
		const unsigned char *plain = at;
		size_t length;

		while (*at >= 0x20 && *at != '"' && *at != '\\' && *at != 0x7f &&
		       (length = text_character_length(at)))
			at += length;
		append(json, (const char *)plain, at - plain);
		if (!*at)
			break;
		if (*at < 0x80)
			append_escaped(json, *at);
		else
			append_text(json, "\xef\xbf\xbd");
		at++;
	}
	append(json, "\"", 1);
}

static void begin_value(struct json *json, const char *key)
{
	if (json->needs_comma)
		append(json, ",", 1);
	json->needs_comma = true;
	if (!key)
		return;
	append_string(json, key);
	append(json, ":", 1);
}

static void open_nested(struct json *json, const char *key, const char *bracket)
{
	begin_value(json, key);
	append(json, bracket, 1);
	json->depth++;
	json->needs_comma = false;
}

static void close_nested(struct json *json, const char *bracket)
{
	if (!json->depth) {
		json->failed = true;
		return;
	}
	append(json, bracket, 1);
	json->depth--;
	json->needs_comma = true;
}

void json_open_object(struct json *json, const char *key)
{
	open_nested(json, key, "{");
}

void json_close_object(struct json *json)
{
	close_nested(json, "}");
}

void json_open_array(struct json *json, const char *key)
{
	open_nested(json, key, "[");
}

void json_close_array(struct json *json)
{
	close_nested(json, "]");
}

void json_text(struct json *json, const char *key, const char *value)
{
	begin_value(json, key);
	if (value)
		append_string(json, value);
	else
		append_text(json, "null");
}

void json_integer(struct json *json, const char *key, int64_t value)
{
	char digits[24];

	begin_value(json, key);
	append(json, digits, snprintf(digits, sizeof(digits), "%" PRId64, value));
}

void json_unsigned(struct json *json, const char *key, uint64_t value)
{
	char digits[24];

	begin_value(json, key);
	append(json, digits, snprintf(digits, sizeof(digits), "%" PRIu64, value));
}

void json_number(struct json *json, const char *key, double value)
{
	char digits[40];

	begin_value(json, key);
	if (isfinite(value))
		append(json, digits, snprintf(digits, sizeof(digits), "%.10g", value));
	else
		append_text(json, "null");
}

void json_boolean(struct json *json, const char *key, bool value)
{
	begin_value(json, key);
	append_text(json, value ? "true" : "false");
}

void json_null(struct json *json, const char *key)
{
	begin_value(json, key);
	append_text(json, "null");
}

void json_raw(struct json *json, const char *key, const char *text)
{
	begin_value(json, key);
	append_text(json, text);
}

void json_end_line(struct json *json)
{
	append(json, "\n", 1);
}

void json_reset(struct json *json)
{
	json->length = 0;
	json->depth = 0;
	json->needs_comma = false;
	json->failed = false;
	if (json->text)
		json->text[0] = '\0';
}

void json_free(struct json *json)
{
	if (!json)
		return;
	free(json->text);
	memset(json, 0, sizeof(*json));
}

int write_all(int fd, const char *bytes, size_t length)
{
	while (length) {
		ssize_t written = write(fd, bytes, length);

		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0 && errno == EAGAIN) {
			struct pollfd ready = {.fd = fd, .events = POLLOUT};

			/* A reader that sleeps must not make the recorder lose events. */
			if (poll(&ready, 1, 200) == 1)
				continue;
			return -EAGAIN;
		}
		if (written <= 0)
			return written ? -errno : -EIO;
		bytes += written;
		length -= written;
	}
	return 0;
}

int write_patiently(int fd, const char *bytes, size_t length)
{
	while (length) {
		struct pollfd ready = {.fd = fd, .events = POLLOUT};
		ssize_t written = write(fd, bytes, length);

		if (written < 0 && errno == EAGAIN)
			poll(&ready, 1, -1);
		if (written < 0 && (errno == EAGAIN || errno == EINTR))
			continue;
		if (written < 0)
			return -errno;
		bytes += written;
		length -= (size_t)written;
	}
	return 0;
}

int json_print_line(const struct json *json, int fd)
{
	char *line;
	int err;

	if (json->failed || json->depth || !json->text)
		return -ENOMEM;
	line = malloc(json->length + 1);
	if (!line)
		return -ENOMEM;
	memcpy(line, json->text, json->length);
	line[json->length] = '\n';
	err = write_all(fd, line, json->length + 1);
	free(line);
	return err;
}
