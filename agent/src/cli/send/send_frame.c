// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "send_frame.h"

#include <errno.h>
#include <nettle/sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <zstd.h>
#include <zstd_errors.h>

/* Compression that gains less is not worth the other side's time. */
#define WORTH_PERCENT 3
#define HASH_STEP_BYTES (4u << 20)

struct frame_maker {
	ZSTD_CCtx *compressor;
	struct send_buffer raw;
};

struct frame_maker *frame_maker_new(void)
{
	struct frame_maker *maker = calloc(1, sizeof(*maker));

	if (!maker)
		return NULL;
	maker->compressor = ZSTD_createCCtx();
	if (maker->compressor)
		return maker;
	free(maker);
	return NULL;
}

void frame_maker_free(struct frame_maker *maker)
{
	if (!maker)
		return;
	ZSTD_freeCCtx(maker->compressor);
	free(maker->raw.bytes);
	free(maker);
}

static void put_digest(struct sha256_ctx *hash, char out[HASH_TEXT_BYTES])
{
	uint8_t digest[SHA256_DIGEST_SIZE];

	sha256_digest(hash, sizeof(digest), digest);
	for (size_t i = 0; i < sizeof(digest); i++)
		snprintf(out + 2 * i, 3, "%02x", digest[i]);
}

/* How many bytes the compressed frame has; 0 where it is not worth it. -errno. */
static int64_t compress(struct frame_maker *maker, size_t length, int level,
			struct send_buffer *payload)
{
	size_t most = length - length / 100 * WORTH_PERCENT - 1, bytes;

	bytes = ZSTD_compressCCtx(maker->compressor, payload->bytes, most, maker->raw.bytes, length,
				  level);
	if (!ZSTD_isError(bytes))
		return (int64_t)bytes;
	return ZSTD_getErrorCode(bytes) == ZSTD_error_dstSize_tooSmall ? 0 : -ENOMEM;
}

/* The raw bytes become the payload; its buffer takes the next ones. */
static void store(struct frame_maker *maker, size_t length, struct send_message *message)
{
	struct send_buffer raw = maker->raw;

	maker->raw = message->payload;
	message->payload = raw;
	message->payload_bytes = length;
}

int frame_make(struct frame_maker *maker, const struct sent_file *file, uint64_t offset,
	       size_t length, int level, struct send_message *message, struct made_frame *out)
{
	struct sha256_ctx hash;
	int64_t compressed = 0;
	int err;

	if (send_buffer_reserve(&maker->raw, length) ||
	    send_buffer_reserve(&message->payload, length))
		return -ENOMEM;
	err = sent_file_check(file);
	if (!err)
		err = sent_file_read(file, offset, maker->raw.bytes, length);
	if (!err)
		err = sent_file_check(file);
	if (err)
		return err;
	sha256_init(&hash);
	sha256_update(&hash, length, maker->raw.bytes);
	put_digest(&hash, out->sha256);
	if (level && length)
		compressed = compress(maker, length, level, &message->payload);
	if (compressed < 0)
		return (int)compressed;
	out->encoding = compressed ? "zstd" : "stored";
	if (compressed)
		message->payload_bytes = (size_t)compressed;
	else
		store(maker, length, message);
	return 0;
}

int frame_hash_file(struct frame_maker *maker, const struct sent_file *file, hash_progress progress,
		    void *context, char out[HASH_TEXT_BYTES])
{
	struct sha256_ctx hash;
	uint64_t offset = 0;
	int err = sent_file_check(file);

	if (!err)
		err = send_buffer_reserve(&maker->raw, HASH_STEP_BYTES);
	sha256_init(&hash);
	while (!err && offset < file->bytes) {
		uint64_t rest = file->bytes - offset;
		size_t length = rest < HASH_STEP_BYTES ? (size_t)rest : HASH_STEP_BYTES;

		err = !progress(context, offset) ?
			      -ECANCELED :
			      sent_file_read(file, offset, maker->raw.bytes, length);
		if (!err)
			sha256_update(&hash, length, maker->raw.bytes);
		offset += length;
	}
	if (!err)
		err = sent_file_check(file);
	if (!err)
		put_digest(&hash, out);
	return err;
}
