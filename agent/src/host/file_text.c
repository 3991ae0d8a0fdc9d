// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "file_text.h"
#include "../clock.h"

int file_text_open(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	return fd < 0 ? -errno : fd;
}

ssize_t file_text_read_fd(int fd, char *out, size_t size)
{
	size_t length = 0;

	while (length + 1 < size) {
		ssize_t got = pread(fd, out + length, size - 1 - length, (off_t)length);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (got == 0)
			break;
		length += (size_t)got;
	}
	out[length] = '\0';
	return (ssize_t)length;
}

ssize_t file_text_read(const char *path, char *out, size_t size)
{
	int fd = file_text_open(path);
	ssize_t length;

	out[0] = '\0';
	if (fd < 0)
		return fd;
	length = file_text_read_fd(fd, out, size);
	close(fd);
	return length;
}

ssize_t file_text_line(const char *path, char *out, size_t size)
{
	ssize_t length = file_text_read(path, out, size);

	if (length < 0)
		return length;
	out[strcspn(out, "\n")] = '\0';
	return (ssize_t)strlen(out);
}

ssize_t file_text_read_pipe(int fd, char *out, size_t size, unsigned int within_ms)
{
	uint64_t end_ns = clock_ns(CLOCK_MONOTONIC) + within_ms * NS_PER_MS;
	size_t length = 0;

	out[0] = '\0';
	while (length + 1 < size) {
		struct pollfd ready = {.fd = fd, .events = POLLIN};
		uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);
		ssize_t got;

		if (now_ns >= end_ns || poll(&ready, 1, (int)((end_ns - now_ns) / NS_PER_MS)) == 0)
			return -ETIMEDOUT;
		got = read(fd, out + length, size - 1 - length);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (got == 0)
			break;
		length += (size_t)got;
		out[length] = '\0';
	}
	return (ssize_t)length;
}

static int64_t parse_integer(const char *text, int64_t fallback)
{
	char *end;
	long long value = strtoll(text, &end, 10);

	return end == text ? fallback : value;
}

int64_t file_text_integer(const char *path, int64_t fallback)
{
	char text[64];

	return file_text_read(path, text, sizeof(text)) < 0 ? fallback :
							      parse_integer(text, fallback);
}

int64_t file_text_value(const char *text, const char *key)
{
	size_t length = strlen(key);

	while (text) {
		if (strncmp(text, key, length) == 0 &&
		    (text[length] == ' ' || text[length] == '\t'))
			return parse_integer(text + length, -1);
		text = strchr(text, '\n');
		if (text)
			text++;
	}
	return -1;
}
