// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* The options of `record` put together: defaults, what goes with what, where the file goes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "../../host/proc.h"
#include "../../probe/kernel/kernel_support.h"
#include "record_options.h"

#define DEFAULT_DURATION_NS 3600000000000ull
#define DEFAULT_MAX_BYTES (4ull << 30)
#define DEFAULT_SAMPLES 49
#define REDACTED_MAX 16384

static int check_target(const struct arguments *arguments, struct record_request *request)
{
	struct record_options *options = &request->options;
	bool all = options->target == TARGET_ALL;

	if (all + (options->pid_count > 0) + (request->command != NULL) != 1)
		return arguments_refuse(arguments, "Give one of --pid, --all and -- COMMAND.");
	if (request->from_exec && options->pid_count != 1)
		return arguments_refuse(arguments, "--from-exec needs one --pid.");
	if (request->user && !request->command)
		return arguments_refuse(arguments, "--user is for a COMMAND.");
	if (request->command_output && !(request->command && request->detach))
		return arguments_refuse(arguments, "--command-output is for a detached COMMAND.");
	if (request->detach && request->stop_with_stdin)
		return arguments_refuse(arguments,
					"--detach and --stop-with-stdin exclude each other.");
	if (!geteuid())
		request->sudo = false;
	if (request->command || request->from_exec)
		options->target = TARGET_COMMAND;
	else if (!all)
		options->target = TARGET_PIDS;
	return 0;
}

static int complete_out(const struct arguments *arguments, struct record_request *request)
{
	char name[64], directory[PATH_MAX];
	const char *out = request->options.out;
	time_t now = time(NULL);
	struct tm local;
	int length;

	if (out && !*out)
		return arguments_refuse(arguments, "--out needs a file.");
	if (!out) {
		localtime_r(&now, &local);
		strftime(name, sizeof(name), "stalltrace-%Y%m%d-%H%M%S.trace.db", &local);
		out = name;
	}
	if (out[0] == '/')
		length = snprintf(request->out, sizeof(request->out), "%s", out);
	else if (getcwd(directory, sizeof(directory)))
		length = snprintf(request->out, sizeof(request->out), "%s/%s", directory, out);
	else
		return arguments_refuse(arguments,
					"The working directory is gone: give --out a full path.");
	if (length >= (int)sizeof(request->out) - 16)
		return arguments_refuse(arguments, "--out is too long.");
	request->options.out = request->out;
	return 0;
}

/* The arguments as meta.options keeps them: without what looks like a secret. */
static void describe_options(int argc, char **argv, struct record_request *request)
{
	struct json *json = &request->options_json;
	char *vector = calloc(1, REDACTED_MAX);
	size_t length = 0;
	bool whole = vector != NULL;

	for (int i = 1; whole && i < argc; i++) {
		size_t size = strlen(argv[i]) + 1;

		whole = size <= REDACTED_MAX / 2 - length;
		if (whole)
			memcpy(vector + length, argv[i], size);
		length += whole ? size : 0;
	}
	if (vector)
		redact_arguments(vector, &length, REDACTED_MAX);
	json_open_object(json, NULL);
	json_open_array(json, "arguments");
	for (size_t at = 0; vector && at < length; at += strnlen(vector + at, length - at) + 1)
		json_text(json, NULL, vector + at);
	json_close_array(json);
	json_boolean(json, "arguments_cut", !whole);
	json_unsigned(json, "duration_ns", request->options.duration_ns);
	json_unsigned(json, "max_bytes", request->options.max_bytes);
	json_unsigned(json, "samples_per_second", request->options.samples_per_second);
	json_close_object(json);
	request->options.options_json = json->failed ? NULL : json->text;
	free(vector);
}

int record_request_parse(int argc, char **argv, struct record_request *out)
{
	struct arguments arguments = {.argc = argc, .argv = argv};
	int err;

	memset(out, 0, sizeof(*out));
	out->json_fd = STDOUT_FILENO;
	out->options.owner = (uid_t)-1;
	out->options.group = (gid_t)-1;
	out->options.duration_ns = DEFAULT_DURATION_NS;
	out->options.max_bytes = DEFAULT_MAX_BYTES;
	out->options.samples_per_second = DEFAULT_SAMPLES;
	for (int i = 0; i < SOURCE_COUNT; i++)
		out->options.wanted[i] = !event_sources[i]->profile && i != SOURCE_GPU_WORK;
	out->options.pretend_missing = pretended_by_environment();
	err = record_options_read(&arguments, out);
	if (!err)
		err = check_target(&arguments, out);
	if (!err)
		err = record_inside_complete(&arguments, out);
	if (!err)
		err = complete_out(&arguments, out);
	if (!err)
		describe_options(argc, argv, out);
	return err;
}

void record_request_free(struct record_request *request)
{
	json_free(&request->options_json);
}
