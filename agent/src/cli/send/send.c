// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include "../../clock.h"
#include "../../trace/writer.h"
#include "../arguments.h"
#include "../commands.h"
#include "../recording/events.h"
#include "send_frame.h"
#include "send_request.h"

/* A capture or its job may run beside it. */
#define NICE 10
#define HASHING_EVERY_NS (5 * NS_PER_SECOND)
#define EXIT_FAILED 1
#define EXIT_NO_FILE 3

static const char help[] =
	"Usage: stalltrace-agent send --file PATH\n"
	"\n"
	"Sends a complete file in compressed parts, asked for on standard input, a line each:\n"
	"  frame OFFSET LENGTH LEVEL  so many bytes (at most 64 MiB); LEVEL 0 as they are, 1 to 19 zstd\n"
	"  hash                       SHA-256 of the whole file; how far it is every 5 s\n"
	"Each is answered by one JSON line, a frame by its bytes after that. Several may be asked for\n"
	"at once. It ends with standard input. Nothing is written to any disk, but that a trace whose\n"
	"recorder was killed is completed first.\n"
	"\n"
	"Exit code: 0, 1 where the file can't be read, 3 where there is none.\n";

struct sending {
	struct sent_file file;
	struct frame_maker *maker;
	struct send_queue queue;
};

struct hashing {
	struct sending *sending;
	uint64_t told_ns;
};

static void begin_line(struct json *json, const char *event)
{
	json_reset(json);
	json_open_object(json, NULL);
	json_integer(json, "v", 1);
	json_text(json, "event", event);
}

/* Where there is no memory for a line, there will be none for anything else. */
static void end_line(struct json *json)
{
	json_close_object(json);
	json_end_line(json);
	if (json->failed)
		_exit(EXIT_FAILED);
}

static void push_error(struct sending *sending, struct send_message *message, const char *code,
		       const char *sentence)
{
	message->payload_bytes = 0;
	begin_line(&message->line, "error");
	json_text(&message->line, "code", code);
	json_text(&message->line, "message", sentence);
	end_line(&message->line);
	send_queue_push(&sending->queue);
}

static void push_failure(struct sending *sending, struct send_message *message, int err)
{
	char sentence[PATH_MAX + 128];

	if (err == -ESTALE)
		snprintf(sentence, sizeof(sentence),
			 "%s was written to, replaced or removed since it was opened.",
			 sending->file.path);
	else
		snprintf(sentence, sizeof(sentence), "%s can't be sent (%s).", sending->file.path,
			 strerror(-err));
	push_error(sending, message, err == -ESTALE ? "changed" : "io", sentence);
}

static void push_ready(struct sending *sending)
{
	struct send_message *message = send_queue_next(&sending->queue);
	struct json *line = &message->line;
	char number[24];

	begin_line(line, "ready");
	json_text(line, "agent", AGENT_VERSION);
	json_integer(line, "protocol", AGENT_PROTOCOL);
	json_text(line, "file", sending->file.path);
	json_unsigned(line, "bytes", sending->file.bytes);
	/* As texts: beyond 2^53 a number is not exact everywhere. */
	snprintf(number, sizeof(number), "%llu", (unsigned long long)sending->file.first.st_ino);
	json_text(line, "inode", number);
	snprintf(number, sizeof(number), "%llu",
		 (unsigned long long)sent_file_modified_unix_ns(&sending->file));
	json_text(line, "modified_unix_ns", number);
	end_line(line);
	send_queue_push(&sending->queue);
}

static void push_frame(struct sending *sending, const struct send_request *request)
{
	struct send_message *message = send_queue_next(&sending->queue);
	struct json *line = &message->line;
	struct made_frame frame;
	int err = frame_make(sending->maker, &sending->file, request->offset, request->length,
			     request->level, message, &frame);

	if (err) {
		push_failure(sending, message, err);
		return;
	}
	begin_line(line, "frame");
	json_unsigned(line, "offset", request->offset);
	json_unsigned(line, "length", request->length);
	json_text(line, "encoding", frame.encoding);
	json_unsigned(line, "bytes", message->payload_bytes);
	json_text(line, "sha256", frame.sha256);
	end_line(line);
	send_queue_push(&sending->queue);
}

/* Whoever asked gives up an agent that says nothing for a minute: a large file takes longer. */
static bool tell_hashing(void *context, uint64_t bytes)
{
	struct hashing *hashing = context;
	uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);
	struct send_message *message;

	if (reader_is_gone(STDOUT_FILENO))
		return false;
	if (now_ns - hashing->told_ns < HASHING_EVERY_NS)
		return true;
	hashing->told_ns = now_ns;
	message = send_queue_next(&hashing->sending->queue);
	begin_line(&message->line, "hashing");
	json_unsigned(&message->line, "bytes", bytes);
	end_line(&message->line);
	send_queue_push(&hashing->sending->queue);
	return true;
}

static void push_hash(struct sending *sending)
{
	struct hashing hashing = {.sending = sending, .told_ns = clock_ns(CLOCK_MONOTONIC)};
	char sha256[HASH_TEXT_BYTES];
	int err = frame_hash_file(sending->maker, &sending->file, tell_hashing, &hashing, sha256);
	struct send_message *message = send_queue_next(&sending->queue);

	if (err) {
		push_failure(sending, message, err);
		return;
	}
	begin_line(&message->line, "hash");
	json_unsigned(&message->line, "bytes", sending->file.bytes);
	json_text(&message->line, "sha256", sha256);
	end_line(&message->line);
	send_queue_push(&sending->queue);
}

static void answer(struct sending *sending, const char *line)
{
	struct send_request request;
	char sentence[256];

	if (send_request_parse(line, sending->file.bytes, &request, sentence, sizeof(sentence)))
		push_error(sending, send_queue_next(&sending->queue), "usage", sentence);
	else if (request.kind == REQUEST_HASH)
		push_hash(sending);
	else
		push_frame(sending, &request);
}

static void serve(struct sending *sending)
{
	struct line_reader reader = {.fd = STDIN_FILENO};
	const char *line;
	int got;

	push_ready(sending);
	while ((got = line_reader_next(&reader, STDOUT_FILENO, &line))) {
		if (got == -EPIPE)
			_exit(0);
		answer(sending, got == 1 ? line : "");
	}
	send_queue_finish(&sending->queue);
}

static int fail_to_begin(int err, const char *sentence)
{
	struct json json = {0};

	begin_line(&json, "error");
	json_text(&json, "code", "io");
	json_text(&json, "message", sentence);
	json_close_object(&json);
	json_print_line(&json, STDOUT_FILENO);
	json_free(&json);
	say("stalltrace-agent send: %s", sentence);
	return err == -ENOENT || err == -ENOTDIR ? EXIT_NO_FILE : EXIT_FAILED;
}

/* The default of an option that may be missing: an empty path is no file either. */
static int read_request(int argc, char **argv, const char **file)
{
	bool json = false;
	const struct option_target targets[] = {
		{"--file", .value = file},
		{"--json", .given = &json},
		{0},
	};
	struct arguments arguments = {.argc = argc, .argv = argv};
	int code = arguments_read(argc, argv, help, targets);

	if (code == ARGUMENTS_END && !*file) {
		arguments_refuse(&arguments, "--file is missing: which one?");
		return EXIT_USAGE;
	}
	return code;
}

int command_send(int argc, char **argv)
{
	struct sending sending = {0};
	char sentence[PATH_MAX + 256];
	const char *file = NULL;
	int code = read_request(argc, argv, &file), err;

	if (code != ARGUMENTS_END)
		return code;
	signal(SIGPIPE, SIG_IGN);
	if (getpriority(PRIO_PROCESS, 0) < NICE)
		setpriority(PRIO_PROCESS, 0, NICE);
	err = trace_merge_log(file, sentence, sizeof(sentence));
	if (!err)
		err = sent_file_open(file, &sending.file, sentence, sizeof(sentence));
	if (err)
		return fail_to_begin(err, sentence);
	sending.maker = frame_maker_new();
	err = sending.maker ? send_queue_start(&sending.queue, STDOUT_FILENO) : -ENOMEM;
	if (err)
		code = fail_to_begin(err, strerror(-err));
	else
		serve(&sending);
	frame_maker_free(sending.maker);
	sent_file_close(&sending.file);
	return err ? code : 0;
}
