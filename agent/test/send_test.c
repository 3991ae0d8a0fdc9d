// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Requests as hostile as they come, lines in any pieces, and parts of a file. */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>
#include "../src/cli/send/send_frame.h"
#include "../src/cli/send/send_request.h"

#define FILE_BYTES 1000

static int parse(const char *line, struct send_request *out)
{
	char message[256] = "";
	int err = send_request_parse(line, FILE_BYTES, out, message, sizeof(message));

	assert(!err == !message[0]);
	return err;
}

static void reads_requests(void)
{
	struct send_request request;

	assert(!parse("hash", &request) && request.kind == REQUEST_HASH);
	assert(!parse("frame 0 1000 19", &request) && request.kind == REQUEST_FRAME);
	assert(request.offset == 0 && request.length == 1000 && request.level == 19);
	assert(!parse("frame 1000 0 0", &request) && request.offset == 1000);
	assert(!parse("frame 0000999 1 01", &request) && request.offset == 999);
}

static void refuses_the_rest(void)
{
	static const char *const lines[] = {
		"",
		"frame",
		"frame ",
		"frame 0",
		"frame 0 1",
		"frame 0 1 ",
		"frame 0 1 1 1",
		"frame 0 1 20",
		"frame 0 1 -1",
		"frame -1 1 1",
		"frame +1 1 1",
		"frame 1001 0 1",
		"frame 1 1000 1",
		"frame 0 1001 1",
		"frame 18446744073709551615 1 1",
		"frame 9223372036854775808 1 1",
		"frame 1 18446744073709551615 1",
		"frame 0 67108865 1",
		"frame 00000000000000000000000000000000 1 1",
		"hash\r",
		"hashes",
	};
	struct send_request request;

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		assert(parse(lines[i], &request) == -EINVAL);
}

/* Written in pieces of every size, the lines are the same. */
static void finds_lines(size_t piece)
{
	static char text[9000];
	size_t length = 0, at = 0;
	int ends[2], got, good = 0, bad = 0;
	const char *line;
	struct line_reader reader = {0};

	length += (size_t)sprintf(text + length, "one\n\ntwo\n");
	memset(text + length, 'x', 5000);
	length += 5000;
	length += (size_t)sprintf(text + length, "\nthree\nze");
	text[length++] = '\0';
	length += (size_t)sprintf(text + length, "ro\nfour\ncut off");
	assert(!pipe(ends));
	if (!fork()) {
		close(ends[0]);
		for (; at < length; at += piece)
			assert(write(ends[1], text + at,
				     piece < length - at ? piece : length - at) > 0);
		_exit(0);
	}
	close(ends[1]);
	reader.fd = ends[0];
	while ((got = line_reader_next(&reader, STDOUT_FILENO, &line))) {
		if (got == -EMSGSIZE) {
			bad++;
			continue;
		}
		assert(got == 1);
		assert(!strcmp(line,
			       (const char *const[]){"one", "", "two", "three", "four"}[good]));
		good++;
	}
	assert(good == 5 && bad == 2);
	close(ends[0]);
}

static void sees_that_nobody_reads(void)
{
	int input[2], output[2];
	struct line_reader reader = {0};
	const char *line;

	assert(!pipe(input) && !pipe(output));
	assert(!reader_is_gone(output[1]));
	close(output[0]);
	assert(reader_is_gone(output[1]));
	reader.fd = input[0];
	assert(line_reader_next(&reader, output[1], &line) == -EPIPE);
	close(input[0]);
	close(input[1]);
	close(output[1]);
}

static bool go_on(void *context, uint64_t bytes)
{
	return true;
}

static bool give_up(void *context, uint64_t bytes)
{
	return false;
}

static void makes_frames(void)
{
	char path[] = "/tmp/stalltrace-send-XXXXXX", message[256], hash[HASH_TEXT_BYTES];
	struct frame_maker *maker = frame_maker_new();
	struct send_message out = {0};
	struct sent_file file;
	struct made_frame frame;
	char raw[3 * FILE_BYTES];
	int fd = mkstemp(path);

	assert(maker && fd >= 0);
	for (int i = 0; i < FILE_BYTES; i++)
		assert(write(fd, "abc", 3) == 3);
	assert(!sent_file_open(path, &file, message, sizeof(message)) && file.bytes == 3000);
	assert(!frame_make(maker, &file, 1, 2999, 1, &out, &frame));
	assert(!strcmp(frame.encoding, "zstd") && out.payload_bytes < 100);
	assert(ZSTD_decompress(raw, sizeof(raw), out.payload.bytes, out.payload_bytes) == 2999);
	assert(!memcmp(raw, "bcabc", 5));
	assert(!frame_make(maker, &file, 0, 3, 1, &out, &frame));
	assert(!strcmp(frame.encoding, "stored") && out.payload_bytes == 3);
	/* FIPS 180-2's own example. */
	assert(!strcmp(frame.sha256,
		       "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
	assert(!frame_hash_file(maker, &file, go_on, NULL, hash) && strlen(hash) == 64);
	assert(frame_hash_file(maker, &file, give_up, NULL, hash) == -ECANCELED);
	assert(frame_make(maker, &file, 2999, 2, 0, &out, &frame) == -ESTALE);
	assert(write(fd, "d", 1) == 1);
	assert(frame_make(maker, &file, 0, 3, 0, &out, &frame) == -ESTALE);
	assert(frame_hash_file(maker, &file, go_on, NULL, hash) == -ESTALE);
	sent_file_close(&file);
	free(out.payload.bytes);
	frame_maker_free(maker);
	frame_maker_free(NULL);
	close(fd);
	unlink(path);
}

int main(void)
{
	reads_requests();
	refuses_the_rest();
	for (size_t piece = 1; piece < 9000; piece = piece * 3 + 1)
		finds_lines(piece);
	sees_that_nobody_reads();
	makes_frames();
	return 0;
}
