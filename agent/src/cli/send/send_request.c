// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "send_request.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "../arguments.h"

static int parse_frame(const char *line, struct send_request *out)
{
	char words[3][24];
	const char *at = line + sizeof("frame") - 1;
	uint64_t length, level;

	for (int i = 0; i < 3; i++) {
		size_t size = *at == ' ' ? strcspn(at + 1, " ") : 0;

		if (!size || size >= sizeof(words[i]))
			return -EINVAL;
		memcpy(words[i], at + 1, size);
		words[i][size] = '\0';
		at += 1 + size;
	}
	if (*at || parse_whole(words[0], 0, INT64_MAX, &out->offset) ||
	    parse_whole(words[1], 0, SEND_MAX_LENGTH, &length) ||
	    parse_whole(words[2], 0, SEND_MAX_LEVEL, &level))
		return -EINVAL;
	out->kind = REQUEST_FRAME;
	out->length = (size_t)length;
	out->level = (int)level;
	return 0;
}

int send_request_parse(const char *line, uint64_t file_bytes, struct send_request *out,
		       char *message, size_t size)
{
	memset(out, 0, sizeof(*out));
	if (!strcmp(line, "hash")) {
		out->kind = REQUEST_HASH;
		return 0;
	}
	if (strncmp(line, "frame ", 6) || parse_frame(line, out)) {
		snprintf(message, size,
			 "Ask with \"frame OFFSET LENGTH LEVEL\" (LENGTH at most %u, LEVEL at most "
			 "%d) or \"hash\".",
			 SEND_MAX_LENGTH, SEND_MAX_LEVEL);
		return -EINVAL;
	}
	if (out->offset > file_bytes || out->length > file_bytes - out->offset) {
		snprintf(message, size, "The file has %" PRIu64 " bytes: that is beyond its end.",
			 file_bytes);
		return -EINVAL;
	}
	return 0;
}

bool reader_is_gone(int fd)
{
	struct pollfd ready = {.fd = fd};

	return poll(&ready, 1, 0) == 1 && (ready.revents & (POLLERR | POLLHUP));
}

/* A line that is there already: its length, -EMSGSIZE, or -EAGAIN. */
static int take_line(struct line_reader *reader, const char **line)
{
	char *begin = reader->text + reader->begin;
	char *end = memchr(begin, '\n', reader->end - reader->begin);
	bool too_long = reader->too_long;
	size_t length;

	if (!end)
		return -EAGAIN;
	*end = '\0';
	length = (size_t)(end - begin);
	reader->begin += length + 1;
	reader->too_long = false;
	if (too_long || length > SEND_LINE_MAX || strlen(begin) != length)
		return -EMSGSIZE;
	*line = begin;
	return 1;
}

/* Moves the beginning of a line to the front; one that is too long already is forgotten. */
static void make_room(struct line_reader *reader)
{
	size_t length = reader->end - reader->begin;

	if (length > SEND_LINE_MAX) {
		reader->too_long = true;
		length = 0;
	}
	memmove(reader->text, reader->text + reader->end - length, length);
	reader->begin = 0;
	reader->end = length;
}

int line_reader_next(struct line_reader *reader, int answers, const char **line)
{
	for (;;) {
		struct pollfd ready[] = {{.fd = reader->fd, .events = POLLIN}, {.fd = answers}};
		int found = take_line(reader, line);
		ssize_t got;

		if (found != -EAGAIN)
			return found;
		make_room(reader);
		if (poll(ready, 2, -1) < 0 && errno != EINTR)
			return 0;
		if (!ready[0].revents && (ready[1].revents & (POLLERR | POLLHUP)))
			return -EPIPE;
		if (!ready[0].revents)
			continue;
		got = read(reader->fd, reader->text + reader->end,
			   sizeof(reader->text) - reader->end);
		if (got < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (got <= 0)
			return 0;
		reader->end += (size_t)got;
	}
}
