/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Parts of a file made ready for the wire: read, hashed, compressed. */
#ifndef STALLTRACE_SEND_FRAME_H
#define STALLTRACE_SEND_FRAME_H

#include <stddef.h>
#include <stdint.h>
#include "send_file.h"
#include "send_queue.h"

/* SHA-256 in hexadecimal digits, and its end. */
#define HASH_TEXT_BYTES 65

struct frame_maker;

struct made_frame {
	const char *encoding;         /* "zstd", one whole frame of it, or "stored" */
	char sha256[HASH_TEXT_BYTES]; /* of the bytes before they were compressed */
};

/* NULL without memory. */
struct frame_maker *frame_maker_new(void);
void frame_maker_free(struct frame_maker *maker);

/*
 * The bytes [offset, offset + length) of the file, which must have them, into the message's payload.
 * level: 0 = stored, 1 to 19 = zstd's. 0; -ENOMEM; -ESTALE: the file has changed; or why it can't be read.
 */
int frame_make(struct frame_maker *maker, const struct sent_file *file, uint64_t offset,
	       size_t length, int level, struct send_message *message, struct made_frame *out);

/* Called every few megabytes, with the bytes that were hashed so far; false: give up. */
typedef bool (*hash_progress)(void *context, uint64_t bytes);

/* SHA-256 of the whole file. -ECANCELED where it was given up, else as frame_make. */
int frame_hash_file(struct frame_maker *maker, const struct sent_file *file, hash_progress progress,
		    void *context, char out[HASH_TEXT_BYTES]);

#endif /* STALLTRACE_SEND_FRAME_H */
