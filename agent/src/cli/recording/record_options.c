// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "record_options.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "../../../inside/ring.h"
#include "../../trace/writer.h"
#include "events.h"

#define LONGEST_DURATION_NS (24 * 3600000000000ull)
#define MOST_SAMPLES 999
#define MOST_PIDS (sizeof(((struct record_options *)0)->pids) / sizeof(pid_t))
#define MOST_LIBRARIES (sizeof(((struct record_options *)0)->libraries) / sizeof(const char *))

enum option {
	OPTION_PID,
	OPTION_ALL,
	OPTION_DURATION,
	OPTION_MAX_SIZE,
	OPTION_PROFILE,
	OPTION_SAMPLES,
	OPTION_OUT,
	OPTION_LIBRARY,
	OPTION_NVIDIA_SMI,
	OPTION_NO_BPF,
	OPTION_INSIDE,
	OPTION_NO_INSIDE,
	OPTION_REMOTE_PYTHON,
	OPTION_INSIDE_SOCKET,
	OPTION_INSIDE_MISSING,
	OPTION_NO_CUPTI,
	OPTION_GPU_RECORDS,
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
	[OPTION_NVIDIA_SMI] = {"--nvidia-smi", true},
	[OPTION_NO_BPF] = {"--no-bpf", false},
	[OPTION_INSIDE] = {"--inside", false},
	[OPTION_NO_INSIDE] = {"--no-inside", false},
	[OPTION_REMOTE_PYTHON] = {"--remote-python", false},
	[OPTION_INSIDE_SOCKET] = {"--inside-socket", true},
	[OPTION_INSIDE_MISSING] = {"--inside-missing", true},
	[OPTION_NO_CUPTI] = {"--no-cupti", false},
	[OPTION_GPU_RECORDS] = {"--gpu-records", true},
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

/* "a, b and c": all words that --profile knows. */
static void list_profiles(char *out, size_t size)
{
	int left = 0;

	for (int i = 0; i < SOURCE_COUNT; i++)
		left += event_sources[i]->profile != NULL;
	out[0] = '\0';
	for (int i = 0; i < SOURCE_COUNT; i++) {
		size_t length = strlen(out);

		if (!event_sources[i]->profile)
			continue;
		left--;
		snprintf(out + length, size - length, "%s%s", event_sources[i]->profile,
			 left > 1  ? ", " :
			 left == 1 ? " and " :
				     "");
	}
}

static int find_profile(const char *name, size_t length)
{
	int source = 0;

	while (source < SOURCE_COUNT && !(event_sources[source]->profile &&
					  strlen(event_sources[source]->profile) == length &&
					  !strncmp(name, event_sources[source]->profile, length)))
		source++;
	return source;
}

static int read_profile(const struct arguments *arguments, struct record_options *options)
{
	const char *at = arguments->value;
	char known[256];

	while (*at) {
		size_t length = strcspn(at, ",");
		int source = find_profile(at, length);

		if (source == SOURCE_COUNT) {
			list_profiles(known, sizeof(known));
			return arguments_refuse(arguments, "--profile knows %s, not \"%.*s\".",
						known, (int)(length < 40 ? length : 40), at);
		}
		options->wanted[source] = true;
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
		    options->max_bytes < TRACE_SMALLEST_MAX_BYTES)
			return arguments_refuse(
				arguments,
				"--max-size needs a size of at least 4M, such as 500M or 2G.");
		return 0;
	case OPTION_SAMPLES:
		if (parse_whole(value, 0, MOST_SAMPLES, &number))
			return arguments_refuse(arguments, "--samples needs a rate from 0 to %d.",
						MOST_SAMPLES);
		options->samples_per_second = (unsigned int)number;
		options->wanted[SOURCE_SAMPLES] = number > 0;
		return 0;
	default:
		if (parse_whole(value, 1, 1023, &number) || fcntl((int)number, F_GETFD) < 0)
			return arguments_refuse(arguments, "--json-fd needs an open descriptor.");
		request->json = true;
		request->json_fd = (int)number;
		return 0;
	}
}

static int read_gpu_records(const struct arguments *arguments, struct record_options *options)
{
	static const char *const words[] = {
		[INSIDE_GPU_ALL] = "all",
		[INSIDE_GPU_COPIES] = "copies",
		[INSIDE_GPU_NONE] = "none",
	};
	const unsigned int count = sizeof(words) / sizeof(words[0]);

	for (options->gpu_records = 0; options->gpu_records < count; options->gpu_records++)
		if (!strcmp(arguments->value, words[options->gpu_records]))
			return 0;
	return arguments_refuse(arguments,
				"--gpu-records knows all, copies and none, not \"%.40s\".",
				arguments->value);
}

static int add_library(const struct arguments *arguments, struct record_options *options)
{
	if (options->library_count == MOST_LIBRARIES)
		return arguments_refuse(arguments, "--library can be given %zu times.",
					MOST_LIBRARIES);
	options->libraries[options->library_count++] = arguments->value;
	return 0;
}

/* Where the value of an option that is kept as it is given goes; NULL for the others. */
static const char **text_of(enum option option, struct record_request *request)
{
	switch (option) {
	case OPTION_OUT:
		return &request->options.out;
	case OPTION_NVIDIA_SMI:
		return &request->options.nvidia_smi;
	case OPTION_USER:
		return &request->user;
	case OPTION_RUN_DIR:
		return &request->run_base;
	case OPTION_COMMAND_OUTPUT:
		return &request->command_output;
	case OPTION_INSIDE_SOCKET:
		return &request->inside_name;
	case OPTION_INSIDE_MISSING:
		return &request->inside_reason;
	case OPTION_PRETEND_MISSING:
		return &request->options.pretend_missing;
	default:
		return NULL;
	}
}

static bool *flag_of(enum option option, struct record_request *request)
{
	switch (option) {
	case OPTION_NO_BPF:
		return &request->options.no_bpf;
	case OPTION_INSIDE:
		return &request->options.inside_asked;
	case OPTION_NO_CUPTI:
		return &request->options.no_cupti;
	case OPTION_NO_INSIDE:
		return &request->no_inside;
	case OPTION_REMOTE_PYTHON:
		return &request->remote_python;
	case OPTION_SUDO:
		return &request->sudo;
	case OPTION_DETACH:
		return &request->detach;
	case OPTION_STOP_WITH_STDIN:
		return &request->stop_with_stdin;
	case OPTION_FROM_EXEC:
		return &request->from_exec;
	case OPTION_PROGRESS:
		return &request->progress;
	case OPTION_JSON:
		return &request->json;
	default:
		return NULL;
	}
}

static int read_option(const struct arguments *arguments, enum option option,
		       struct record_request *request)
{
	const char **text = text_of(option, request);
	bool *flag = flag_of(option, request);

	if (text)
		*text = arguments->value;
	if (flag)
		*flag = true;
	switch (option) {
	case OPTION_ALL:
		request->options.target = TARGET_ALL;
		return 0;
	case OPTION_PID:
		return read_pid(arguments, &request->options);
	case OPTION_PROFILE:
		return read_profile(arguments, &request->options);
	case OPTION_LIBRARY:
		return add_library(arguments, &request->options);
	case OPTION_GPU_RECORDS:
		return read_gpu_records(arguments, &request->options);
	case OPTION_DURATION:
	case OPTION_MAX_SIZE:
	case OPTION_SAMPLES:
	case OPTION_JSON_FD:
		return read_number(arguments, option, request);
	default:
		return 0;
	}
}

int record_options_read(struct arguments *arguments, struct record_request *request)
{
	int option;

	while ((option = arguments_next(arguments, names)) >= 0) {
		if (option == OPTION_HELP) {
			record_help_print();
			return ARGUMENTS_END;
		}
		if (read_option(arguments, option, request))
			return ARGUMENTS_BAD;
	}
	if (option == ARGUMENTS_BAD)
		return ARGUMENTS_BAD;
	if (option == ARGUMENTS_COMMAND) {
		if (arguments->next == arguments->argc)
			return arguments_refuse(arguments, "After -- comes a command.");
		request->command = arguments->argv + arguments->next;
		request->options.command = request->command[0];
	}
	return 0;
}
