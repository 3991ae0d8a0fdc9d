// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Whether COMMAND gets the library inside, or a process that runs can: by default, wherever that can work. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include "../../../inside/ring.h"
#include "../../probe/kernel/kernel_support.h"
#include "inside_file.h"
#include "inside_line.h"
#include "record_options.h"

/* Of a socket's name, so that no other one of this kind can be asked at. */
#define NAME_BEGIN "stalltrace-inside-"

/* 0: recorded without it. Who has asked for it by name gets no recording without. */
static int __attribute__((format(printf, 4, 5)))
go_without(const struct arguments *arguments, struct record_request *request, bool notice,
	   const char *format, ...)
{
	va_list list;

	va_start(list, format);
	vsnprintf(request->inside_missing, sizeof(request->inside_missing), format, list);
	va_end(list);
	request->options.inside_missing = request->inside_missing;
	request->options.inside_notice = notice;
	if (request->options.inside_asked)
		return arguments_refuse(arguments, "--inside can't be used: %s",
					request->inside_missing);
	return 0;
}

/* A name that nobody can guess. */
static bool name_socket(char *out, size_t size)
{
	uint64_t random[2];

	if (getrandom(random, sizeof(random), 0) != sizeof(random))
		return false;
	snprintf(out, size, NAME_BEGIN "%016llx%016llx", (unsigned long long)random[0],
		 (unsigned long long)random[1]);
	return true;
}

/* The half that records listens where the half that started COMMAND has said. */
static int use_name(const struct arguments *arguments, struct record_request *request)
{
	request->options.wanted[SOURCE_GPU_WORK] = true;
	if (strncmp(request->inside_name, NAME_BEGIN, strlen(NAME_BEGIN)) ||
	    strlen(request->inside_name) >= sizeof(request->inside_socket))
		return arguments_refuse(arguments, "--inside-socket needs a name of the agent's.");
	strcpy(request->inside_socket, request->inside_name);
	request->options.inside_socket = request->inside_socket;
	return 0;
}

/* What runs already is waited for: it comes in by a line that somebody pastes into it. */
static int wait_for_processes(const struct arguments *arguments, struct record_request *request)
{
	struct record_options *options = &request->options;
	char why[PATH_MAX + 160];
	int err = inside_file_path(request->inside_library, sizeof(request->inside_library));

	if (pretends_missing(options->pretend_missing, event_sources[SOURCE_GPU_WORK]->probe.name))
		return go_without(arguments, request, false, "Taken away for a test.");
	/* Each takes memory of the agent's: on a machine with many users it is to be wanted. */
	if (options->target == TARGET_ALL && !options->inside_asked)
		return go_without(
			arguments, request, false,
			"Of the whole machine, processes come in by a pasted line where --inside was given.");
	if (err)
		return go_without(arguments, request, true, "/proc can't be read: %s.",
				  strerror(-err));
	if (inside_line(request->inside_library, 0, request->inside_line,
			sizeof(request->inside_line)) ||
	    inside_line(request->inside_library, INSIDE_LINE_QUIET, request->inside_script,
			sizeof(request->inside_script)))
		return go_without(
			arguments, request, true,
			"The path of the library is too long for a line that can be pasted: put the agent into another folder.");
	for (unsigned int i = 0; i < options->pid_count; i++)
		if (inside_line_works(request->inside_library, options->pids[i], why, sizeof(why)))
			return go_without(arguments, request, true, "%s", why);
	if (!options->pid_count)
		inside_file_provide(request->inside_library);
	options->inside_line = request->inside_line;
	options->inside_waits = true;
	if (request->remote_python)
		options->inside_script = request->inside_script;
	options->wanted[SOURCE_GPU_WORK] = true;
	return 0;
}

int record_inside_complete(const struct arguments *arguments, struct record_request *request)
{
	const char *other = getenv(INSIDE_LIBRARY_VARIABLE);
	int err;

	if ((request->inside_name || request->inside_reason) && !request->from_exec)
		return arguments_refuse(
			arguments, "--inside-socket and --inside-missing are for --from-exec.");
	if (request->inside_name)
		return use_name(arguments, request);
	if (request->inside_reason) {
		request->options.wanted[SOURCE_GPU_WORK] = true;
		return go_without(arguments, request, true, "%.300s", request->inside_reason);
	}
	if (request->remote_python && (request->no_inside || !request->options.pid_count))
		return arguments_refuse(
			arguments, "--remote-python is for a --pid that is recorded from inside.");
	if (request->no_inside && request->options.inside_asked)
		return arguments_refuse(arguments, "--inside and --no-inside exclude each other.");
	if (request->no_inside)
		return go_without(arguments, request, false, "Not wanted: --no-inside.");
	if (!request->command)
		return wait_for_processes(arguments, request);
	request->options.wanted[SOURCE_GPU_WORK] = true;
	if (pretends_missing(request->options.pretend_missing,
			     event_sources[SOURCE_GPU_WORK]->probe.name))
		return go_without(arguments, request, false, "Taken away for a test.");
	if (other)
		return go_without(
			arguments, request, true,
			"COMMAND brings a profiler of its own, which is left alone: " INSIDE_LIBRARY_VARIABLE
			" is %.200s. Unset it to have CUDA calls and what the GPU did recorded from inside.",
			other);
	err = inside_file_path(request->inside_library, sizeof(request->inside_library));
	if (err)
		return go_without(arguments, request, true, "/proc can't be read: %s.",
				  strerror(-err));
	/* COMMAND's user may still be able to put it there. */
	inside_file_provide(request->inside_library);
	if (!name_socket(request->inside_socket, sizeof(request->inside_socket)))
		return go_without(arguments, request, true, "There are no random numbers.");
	request->inside = true;
	request->options.inside_socket = request->inside_socket;
	return 0;
}
