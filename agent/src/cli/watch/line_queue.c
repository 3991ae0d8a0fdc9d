// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "line_queue.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "../../clock.h"
#include "../runs/run_directory.h"

#define ROOM_BYTES (512u << 10)
#define ROOM_FOR_PROGRESS_BYTES (128u << 10)

void line_queue_init(struct line_queue *queue, int fd)
{
	memset(queue, 0, sizeof(*queue));
	queue->fd = fd;
}

/* A pipe that poll calls writable takes PIPE_BUF bytes without blocking (pipe(7)). */
static bool write_some(struct line_queue *queue, int wait_ms)
{
	struct pollfd ready = {.fd = queue->fd, .events = POLLOUT};
	size_t part = queue->length < PIPE_BUF ? queue->length : PIPE_BUF;
	ssize_t written;

	if (poll(&ready, 1, wait_ms) != 1)
		return false;
	written = write(queue->fd, queue->waiting, part);
	if (written < 0 && (errno == EINTR || errno == EAGAIN))
		return false;
	if (written <= 0) {
		/* Nobody reads any more: progress is lost, the capture is not. */
		queue->fd = -1;
		queue->length = 0;
		return false;
	}
	queue->length -= written;
	memmove(queue->waiting, queue->waiting + written, queue->length);
	return true;
}

void line_queue_flush(struct line_queue *queue, int wait_ms)
{
	uint64_t until = clock_ns(CLOCK_BOOTTIME) + (uint64_t)wait_ms * NS_PER_MS;

	while (queue->fd >= 0 && queue->length) {
		uint64_t now = clock_ns(CLOCK_BOOTTIME);

		if (!write_some(queue, now < until ? (int)((until - now) / NS_PER_MS) : 0) &&
		    clock_ns(CLOCK_BOOTTIME) >= until)
			break;
	}
}

void line_queue_add(struct line_queue *queue, const char *line, size_t length, bool important)
{
	size_t room = important ? ROOM_BYTES : ROOM_FOR_PROGRESS_BYTES;

	if (queue->fd < 0)
		return;
	if (!queue->waiting)
		queue->waiting = malloc(ROOM_BYTES);
	if (!queue->waiting || queue->length + length + 1 > room) {
		queue->lost++;
		return;
	}
	memcpy(queue->waiting + queue->length, line, length);
	queue->waiting[queue->length + length] = '\n';
	queue->length += length + 1;
	line_queue_flush(queue, 0);
}

void line_queue_free(struct line_queue *queue)
{
	free(queue->waiting);
	queue->waiting = NULL;
	queue->length = 0;
}
