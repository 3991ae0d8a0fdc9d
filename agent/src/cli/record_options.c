// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "record_options.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "../host/proc.h"
#include "arguments.h"
#include "events.h"

#define DEFAULT_DURATION_NS 3600000000000ull
#define LONGEST_DURATION_NS (24 * DEFAULT_DURATION_NS)
#define DEFAULT_MAX_BYTES (4ull << 30)
#define SMALLEST_MAX_BYTES (1ull << 20)
#define DEFAULT_SAMPLES 49
#define MOST_SAMPLES 999
#define MOST_PIDS (sizeof(((struct record_options *)0)->pids) / sizeof(pid_t))
#define MOST_LIBRARIES (sizeof(((struct record_options *)0)->libraries) / sizeof(const char *))
#define REDACTED_MAX 16384

enum option {
	OPTION_PID,
	OPTION_ALL,
	OPTION_DURATION,
	OPTION_MAX_SIZE,
	OPTION_PROFILE,
	OPTION_SAMPLES,
	OPTION_OUT,
	OPTION_LIBRARY,
	OPTION_NO_BPF,
	OPTION_USER,
	OPTION_SUDO,
	OPTION_DETACH,
	OPTION_RUN_DIR,
	OPTION_COMMAND_OUTPUT,
	OPTION_STOP_WITH_STDIN,
	OPTION_FROM_EXEC,
	OPTION_PRETEND_MISSING,
	OPTION_JSON,
	OPTION_JSON_FD,
	OPTION_PROGRESS,
	OPTION_HELP,
	OPTION_COUNT,
};

static const struct option_name names[OPTION_COUNT + 1] = {
	[OPTION_PID] = {"--pid", true},
	[OPTION_ALL] = {"--all", false},
	[OPTION_DURATION] = {"--duration", true},
	[OPTION_MAX_SIZE] = {"--max-size", true},
	[OPTION_PROFILE] = {"--profile", true},
	[OPTION_SAMPLES] = {"--samples", true},
	[OPTION_OUT] = {"--out", true},
	[OPTION_LIBRARY] = {"--library", true},
	[OPTION_NO_BPF] = {"--no-bpf", false},
	[OPTION_USER] = {"--user", true},
	[OPTION_SUDO] = {"--sudo", false},
	[OPTION_DETACH] = {"--detach", false},
	[OPTION_RUN_DIR] = {"--run-dir", true},
	[OPTION_COMMAND_OUTPUT] = {"--command-output", true},
	[OPTION_STOP_WITH_STDIN] = {"--stop-with-stdin", false},
	[OPTION_FROM_EXEC] = {"--from-exec", false},
	[OPTION_PRETEND_MISSING] = {"--pretend-missing", true},
	[OPTION_JSON] = {"--json", false},
	[OPTION_JSON_FD] = {"--json-fd", true},
	[OPTION_PROGRESS] = {"--progress", false},
	[OPTION_HELP] = {"--help", false},
};

static int read_profile(const struct arguments *arguments, struct record_options *options)
{
	const char *at = arguments->value;

	while (*at) {
		size_t length = strcspn(at, ",");
		int source;

		for (source = SOURCE_PAGE_FAULTS; source < SOURCE_COUNT; source++)
			if (strlen(source_name(source)) == length &&
			    !strncmp(at, source_name(source), length))
				break;
		if (source == SOURCE_COUNT)
			return arguments_refuse(arguments,
						"--profile knows faults, page-allocs, syscalls and "
						"off-cpu-stacks, not \"%.*s\".",
						(int)(length < 40 ? length : 40), at);
		options->profile[source] = true;
		at += length;
		at += *at == ',';
	}
	return 0;
}

static int read_pid(const struct arguments *arguments, struct record_options *options)
{
	char path[32];
	uint64_t pid;

	if (parse_whole(arguments->value, 1, INT32_MAX, &pid))
		return arguments_refuse(arguments, "--pid needs a process id, not \"%.40s\".",
					arguments->value);
	if (options->pid_count == MOST_PIDS)
		return arguments_refuse(arguments, "--pid can be given %zu times.", MOST_PIDS);
	snprintf(path, sizeof(path), "/proc/%u", (unsigned int)pid);
	if (access(path, F_OK))
		return arguments_refuse(arguments, "There is no process %u.", (unsigned int)pid);
	if ((pid_t)pid == getpid())
		return arguments_refuse(arguments, "Process %u is this agent.", (unsigned int)pid);
	options->pids[options->pid_count++] = (pid_t)pid;
	return 0;
}

static int read_number(const struct arguments *arguments, enum option option,
		       struct record_request *request)
{
	struct record_options *options = &request->options;
	const char *value = arguments->value;
	uint64_t number;

	switch (option) {
	case OPTION_DURATION:
		if (parse_duration(value, &options->duration_ns) || !options->duration_ns ||
		    options->duration_ns > LONGEST_DURATION_NS)
			return arguments_refuse(
				arguments,
				"--duration needs a time of at most 24h, such as 30s or 2m.");
		return 0;
	case OPTION_MAX_SIZE:
		if (parse_size(value, &options->max_bytes) ||
		    options->max_bytes < SMALLEST_MAX_BYTES)
			return arguments_refuse(
				arguments,
				"--max-size needs a size of at least 1M, such as 500M or 2G.");
		return 0;
	case OPTION_SAMPLES:
		if (parse_whole(value, 0, MOST_SAMPLES, &number))
			return arguments_refuse(arguments, "--samples needs a rate from 0 to %d.",
						MOST_SAMPLES);
		options->samples_per_second = (unsigned int)number;
		return 0;
	default:
		if (parse_whole(value, 1, 1023, &number) || fcntl((int)number, F_GETFD) < 0)
			return arguments_refuse(arguments, "--json-fd needs an open descriptor.");
		request->json = true;
		request->json_fd = (int)number;
		return 0;
	}
}

static int read_option(const struct arguments *arguments, enum option option,
		       struct record_request *request)
{
	struct record_options *options = &request->options;

	switch (option) {
	case OPTION_PID:
		return read_pid(arguments, options);
	case OPTION_PROFILE:
		return read_profile(arguments, options);
	case OPTION_DURATION:
	case OPTION_MAX_SIZE:
	case OPTION_SAMPLES:
	case OPTION_JSON_FD:
		return read_number(arguments, option, request);
	case OPTION_LIBRARY:
		if (options->library_count == MOST_LIBRARIES)
			return arguments_refuse(arguments, "--library can be given %zu times.",
						MOST_LIBRARIES);
		options->libraries[options->library_count++] = arguments->value;
		return 0;
	case OPTION_OUT:
		options->out = arguments->value;
		return 0;
	case OPTION_USER:
		request->user = arguments->value;
		return 0;
	case OPTION_RUN_DIR:
		request->run_base = arguments->value;
		return 0;
	case OPTION_COMMAND_OUTPUT:
		request->command_output = arguments->value;
		return 0;
	case OPTION_PRETEND_MISSING:
		options->pretend_missing = arguments->value;
		return 0;
	case OPTION_ALL:
		options->target = TARGET_ALL;
		return 0;
	default:
		*(option == OPTION_NO_BPF          ? &options->no_bpf :
		  option == OPTION_SUDO            ? &request->sudo :
		  option == OPTION_DETACH          ? &request->detach :
		  option == OPTION_STOP_WITH_STDIN ? &request->stop_with_stdin :
		  option == OPTION_FROM_EXEC       ? &request->from_exec :
		  option == OPTION_PROGRESS        ? &request->progress :
						     &request->json) = true;
		return 0;
	}
}

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
	int option, err;

	memset(out, 0, sizeof(*out));
	out->json_fd = STDOUT_FILENO;
	out->options.owner = (uid_t)-1;
	out->options.group = (gid_t)-1;
	out->options.duration_ns = DEFAULT_DURATION_NS;
	out->options.max_bytes = DEFAULT_MAX_BYTES;
	out->options.samples_per_second = DEFAULT_SAMPLES;
	while ((option = arguments_next(&arguments, names)) >= 0) {
		if (option == OPTION_HELP) {
			fputs(record_help, stdout);
			return ARGUMENTS_END;
		}
		if (read_option(&arguments, option, out))
			return ARGUMENTS_BAD;
	}
	if (option == ARGUMENTS_BAD)
		return ARGUMENTS_BAD;
	if (option == ARGUMENTS_COMMAND) {
		if (arguments.next == argc)
			return arguments_refuse(&arguments, "After -- comes a command.");
		out->command = argv + arguments.next;
	}
	err = check_target(&arguments, out);
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
