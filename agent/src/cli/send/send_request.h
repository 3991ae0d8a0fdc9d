/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What `send` is asked for, a line each. */
#ifndef STALLTRACE_SEND_REQUEST_H
#define STALLTRACE_SEND_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SEND_MAX_LENGTH (64u << 20)
#define SEND_MAX_LEVEL 19
/* The longest that makes sense has 40. */
#define SEND_LINE_MAX 128

struct send_request {
	enum { REQUEST_FRAME, REQUEST_HASH } kind;
	uint64_t offset;
	size_t length;
	int level;
};

/* `frame OFFSET LENGTH LEVEL` or `hash`, of a file of so many bytes. 0, or -EINVAL and one sentence. */
int send_request_parse(const char *line, uint64_t file_bytes, struct send_request *out,
		       char *message, size_t size);

/* Lines of a descriptor. All zero but fd to begin with. */
struct line_reader {
	int fd;
	char text[4096];
	size_t begin, end;
	bool too_long; /* the line being read */
};

/*
 * The next whole line, without its end; it stays until the next call. 1; 0 at the end (what stands
 * after the last newline was cut off, and is no request); -EMSGSIZE for a line that is longer than
 * SEND_LINE_MAX or has a zero byte, which is skipped; -EPIPE once nobody reads `answers` any more.
 */
int line_reader_next(struct line_reader *reader, int answers, const char **line);
/* Whether nobody reads it any more. */
bool reader_is_gone(int fd);

#endif /* STALLTRACE_SEND_REQUEST_H */
