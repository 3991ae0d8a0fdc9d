/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * What waits to be written: a few messages, each a line and maybe bytes after it, which a thread of
 * their own writes in order. So the next one is made while one is on its way.
 */
#ifndef STALLTRACE_SEND_QUEUE_H
#define STALLTRACE_SEND_QUEUE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include "../text/json.h"

/* One is written, one waits, one is made. */
#define SEND_MESSAGES 3

/* Bytes that grow when they must and are kept for the next time. */
struct send_buffer {
	unsigned char *bytes;
	size_t capacity;
};

struct send_message {
	struct json line;
	struct send_buffer payload;
	size_t payload_bytes;
};

struct send_queue {
	int fd;
	pthread_t writer;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct send_message messages[SEND_MESSAGES];
	unsigned int made, written; /* counts; messages[count % SEND_MESSAGES] */
	bool ended;
};

/* 0 or -ENOMEM; what was in it is lost. */
int send_buffer_reserve(struct send_buffer *buffer, size_t bytes);

/*
 * Starts the writer. Once nobody reads fd any more it ends the process with code 0, quietly: whoever
 * asked has gone. Where writing fails otherwise, with code 1. 0 or -errno.
 */
int send_queue_start(struct send_queue *queue, int fd);
/* The message to fill next, empty; waits until there is room. */
struct send_message *send_queue_next(struct send_queue *queue);
/* Hands over the message of send_queue_next. */
void send_queue_push(struct send_queue *queue);
/* Until all that was pushed is written; then frees. */
void send_queue_finish(struct send_queue *queue);

#endif /* STALLTRACE_SEND_QUEUE_H */
