// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "send_queue.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

int send_buffer_reserve(struct send_buffer *buffer, size_t bytes)
{
	unsigned char *grown;

	if (bytes <= buffer->capacity)
		return 0;
	grown = malloc(bytes);
	if (!grown)
		return -ENOMEM;
	free(buffer->bytes);
	buffer->bytes = grown;
	buffer->capacity = bytes;
	return 0;
}

static void wait_for_room(int fd)
{
	struct pollfd ready = {.fd = fd, .events = POLLOUT};

	poll(&ready, 1, -1);
}

/* The line and the bytes in one write where they fit. Returns only once all is written. */
static void write_message(int fd, const struct send_message *message)
{
	struct iovec parts[2] = {
		{message->line.text, message->line.length},
		{message->payload.bytes, message->payload_bytes},
	};
	size_t at = 0;

	while (at < 2) {
		ssize_t written = writev(fd, parts + at, (int)(2 - at));

		if (written < 0 && errno == EAGAIN)
			wait_for_room(fd);
		if (written < 0 && (errno == EAGAIN || errno == EINTR))
			continue;
		/* The other thread may be in the middle of a frame: there is nothing to clean up. */
		if (written < 0)
			_exit(errno == EPIPE || errno == ECONNRESET ? 0 : 1);
		while (at < 2 && (size_t)written >= parts[at].iov_len)
			written -= (ssize_t)parts[at++].iov_len;
		if (at < 2) {
			parts[at].iov_base = (char *)parts[at].iov_base + written;
			parts[at].iov_len -= (size_t)written;
		}
	}
}

static void *write_messages(void *context)
{
	struct send_queue *queue = context;

	pthread_mutex_lock(&queue->lock);
	for (;;) {
		while (queue->written == queue->made && !queue->ended)
			pthread_cond_wait(&queue->changed, &queue->lock);
		if (queue->written == queue->made)
			break;
		pthread_mutex_unlock(&queue->lock);
		write_message(queue->fd, &queue->messages[queue->written % SEND_MESSAGES]);
		pthread_mutex_lock(&queue->lock);
		queue->written++;
		pthread_cond_signal(&queue->changed);
	}
	pthread_mutex_unlock(&queue->lock);
	return NULL;
}

int send_queue_start(struct send_queue *queue, int fd)
{
	memset(queue, 0, sizeof(*queue));
	queue->fd = fd;
	pthread_mutex_init(&queue->lock, NULL);
	pthread_cond_init(&queue->changed, NULL);
	return -pthread_create(&queue->writer, NULL, write_messages, queue);
}

struct send_message *send_queue_next(struct send_queue *queue)
{
	struct send_message *message = &queue->messages[queue->made % SEND_MESSAGES];

	pthread_mutex_lock(&queue->lock);
	while (queue->made - queue->written == SEND_MESSAGES)
		pthread_cond_wait(&queue->changed, &queue->lock);
	pthread_mutex_unlock(&queue->lock);
	json_reset(&message->line);
	message->payload_bytes = 0;
	return message;
}

void send_queue_push(struct send_queue *queue)
{
	pthread_mutex_lock(&queue->lock);
	queue->made++;
	pthread_cond_signal(&queue->changed);
	pthread_mutex_unlock(&queue->lock);
}

void send_queue_finish(struct send_queue *queue)
{
	pthread_mutex_lock(&queue->lock);
	queue->ended = true;
	pthread_cond_signal(&queue->changed);
	pthread_mutex_unlock(&queue->lock);
	pthread_join(queue->writer, NULL);
	for (int i = 0; i < SEND_MESSAGES; i++) {
		json_free(&queue->messages[i].line);
		free(queue->messages[i].payload.bytes);
	}
	pthread_cond_destroy(&queue->changed);
	pthread_mutex_destroy(&queue->lock);
}
