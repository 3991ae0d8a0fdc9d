// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "maps_parser.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define READ_BYTES 65536

struct cursor {
	const char *at, *end;
};

static bool take(struct cursor *cursor, char expected)
{
	if (cursor->at == cursor->end || *cursor->at != expected)
		return false;
	cursor->at++;
	return true;
}

static int digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return 16;
}

static bool take_number(struct cursor *cursor, unsigned int base, uint64_t *out)
{
	const char *begin = cursor->at;
	uint64_t value = 0;

	while (cursor->at < cursor->end) {
		unsigned int digit = digit_value(*cursor->at);

		if (digit >= base)
			break;
		if (value > (UINT64_MAX - digit) / base)
			return false;
		value = value * base + digit;
		cursor->at++;
	}
	*out = value;
	return cursor->at != begin;
}

static bool take_permissions(struct cursor *cursor, struct maps_line *out)
{
	const char *p = cursor->at;

	if (cursor->end - p < 4)
		return false;
	if ((p[0] != 'r' && p[0] != '-') || (p[1] != 'w' && p[1] != '-') ||
	    (p[2] != 'x' && p[2] != '-') || (p[3] != 'p' && p[3] != 's'))
		return false;
	out->readable = p[0] == 'r';
	out->writable = p[1] == 'w';
	out->executable = p[2] == 'x';
	out->shared = p[3] == 's';
	cursor->at += 4;
	return true;
}

/* The kernel writes a newline in a name as \012 and nothing else so (fs/proc/task_mmu.c). */
static int take_path(struct cursor *cursor, struct maps_line *out)
{
	static const char deleted[] = " (deleted)";
	size_t length = 0;

	while (cursor->at < cursor->end) {
		char c = *cursor->at++;

		if (c == '\0' || c == '\n')
			return -EINVAL;
		if (c == '\\' && cursor->end - cursor->at >= 3 &&
		    memcmp(cursor->at, "012", 3) == 0) {
			c = '\n';
			cursor->at += 3;
		}
		if (length == sizeof(out->path) - 1)
			return -ENAMETOOLONG;
		out->path[length++] = c;
	}
	out->path[length] = '\0';
	if (length >= sizeof(deleted) &&
	    strcmp(out->path + length - (sizeof(deleted) - 1), deleted) == 0) {
		out->path[length - (sizeof(deleted) - 1)] = '\0';
		out->deleted = true;
	}
	return 0;
}

int maps_parse_line(const char *line, size_t length, struct maps_line *out)
{
	struct cursor cursor = {line, line + length};
	uint64_t major_number, minor_number;

	if (length && line[length - 1] == '\n')
		cursor.end--;
	out->deleted = false;
	if (!take_number(&cursor, 16, &out->start) || !take(&cursor, '-') ||
	    !take_number(&cursor, 16, &out->end) || !take(&cursor, ' ') ||
	    !take_permissions(&cursor, out) || !take(&cursor, ' ') ||
	    !take_number(&cursor, 16, &out->offset) || !take(&cursor, ' ') ||
	    !take_number(&cursor, 16, &major_number) || !take(&cursor, ':') ||
	    !take_number(&cursor, 16, &minor_number) || !take(&cursor, ' ') ||
	    !take_number(&cursor, 10, &out->inode))
		return -EINVAL;
	if (out->end <= out->start || major_number > UINT32_MAX || minor_number > UINT32_MAX)
		return -EINVAL;
	out->device = makedev(major_number, minor_number);
	if (cursor.at != cursor.end && !take(&cursor, ' '))
		return -EINVAL;
	while (take(&cursor, ' '))
		;
	return take_path(&cursor, out);
}

struct reading {
	struct maps_line line;
	size_t filled;
	int bad_lines;
	bool skipping; /* the rest of a line that is longer than the buffer */
	char bytes[READ_BYTES];
};

static int visit_lines(struct reading *reading,
		       int (*visit)(void *context, const struct maps_line *line), void *context)
{
	char *begin = reading->bytes, *end = reading->bytes + reading->filled, *newline;

	while ((newline = memchr(begin, '\n', end - begin))) {
		int result;

		if (reading->skipping ||
		    maps_parse_line(begin, newline - begin, &reading->line) != 0) {
			reading->bad_lines++;
			reading->skipping = false;
		} else {
			result = visit(context, &reading->line);
			if (result)
				return result;
		}
		begin = newline + 1;
	}
	reading->filled = end - begin;
	if (reading->filled == sizeof(reading->bytes)) {
		reading->skipping = true;
		reading->filled = 0;
	}
	memmove(reading->bytes, begin, reading->filled);
	return 0;
}

int maps_read(pid_t pid, int (*visit)(void *context, const struct maps_line *line), void *context)
{
	struct reading *reading = calloc(1, sizeof(*reading));
	char path[64];
	int fd = -1, result = 0;
	ssize_t got;

	if (!reading)
		return -ENOMEM;
	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		result = -errno;
		goto cleanup;
	}
	for (;;) {
		got = read(fd, reading->bytes + reading->filled,
			   sizeof(reading->bytes) - reading->filled);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		reading->filled += got;
		result = visit_lines(reading, visit, context);
		if (result)
			goto cleanup;
	}
	result = got < 0 ? -errno : reading->bad_lines;
cleanup:
	if (fd >= 0)
		close(fd);
	free(reading);
	return result;
}
