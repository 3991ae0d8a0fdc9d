/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Lines to a descriptor that may be slow, blocked or closed: writing never waits, so that a reader that
 * sleeps doesn't make the recorder lose events. The descriptor stays as it is (O_NONBLOCK would be
 * that of everyone who shares it): only what poll says there is room for is written.
 */
#ifndef STALLTRACE_LINE_QUEUE_H
#define STALLTRACE_LINE_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct line_queue {
	int fd; /* -1 = none; becomes -1 once nobody reads it */
	char *waiting;
	size_t length;
	uint64_t lost; /* lines that found no room */
};

void line_queue_init(struct line_queue *queue, int fd);
/* Adds a newline. Unimportant lines are lost first. */
void line_queue_add(struct line_queue *queue, const char *line, size_t length, bool important);
void line_queue_flush(struct line_queue *queue, int wait_ms);
void line_queue_free(struct line_queue *queue);

#endif /* STALLTRACE_LINE_QUEUE_H */
