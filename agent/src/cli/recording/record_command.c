// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "../../clock.h"
#include "../../../generated/schema.h"
#include "../arguments.h"
#include "../commands.h"
#include "detach.h"
#include "recording.h"
#include "../runs/runs.h"
#include "../../watchdog.h"
#include "../stop_signals.h"
#include "stuck.h"
#include "target_rights.h"

#define EXIT_FAILED 1
#define EXIT_NOTHING 3
#define EXIT_NOT_STARTED 125

static void on_released(void *context, const struct source_status status[SOURCE_COUNT],
			const struct capture_mode *mode)
{
	struct recording *recording = context;
	struct record_options *options = &recording->request.options;
	struct started_event event = {
		.pid = recording->job.pid > 0 ? recording->job.pid : options->pids[0],
		.file = options->out,
		.sources = status,
		.mode = mode,
		.inside_line = status[SOURCE_GPU_WORK].available ? options->inside_line : NULL,
		.run_id = recording->run.fd >= 0 ? recording->run.id : NULL,
	};

	/* Who pressed Ctrl-C while it started wants neither the capture nor COMMAND. */
	if (stop_signals_count())
		return;
	event.begin_unix_ns = clock_ns(CLOCK_REALTIME);
	recording->started = true;
	/* COMMAND first: the lines are for those who watch. */
	if (recording->job.pid > 0)
		job_release(&recording->job);
	outlet_started(&recording->outlet, &event);
}

static void on_progress(void *context, const struct record_progress *progress)
{
	outlet_progress(&((struct recording *)context)->outlet, progress);
}

static void on_notice(void *context, const char *level, const char *text)
{
	outlet_notice(&((struct recording *)context)->outlet, level, text);
}

static bool stdin_ended(void)
{
	struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
	char dropped[256];

	return poll(&in, 1, 0) == 1 && read(STDIN_FILENO, dropped, sizeof(dropped)) <= 0;
}

static bool should_stop(void *context)
{
	struct recording *recording = context;

	recording_look_at_job(recording);
	outlet_flush(&recording->outlet);
	if (stop_signals_count())
		return true;
	if (recording->request.stop_with_stdin && stdin_ended())
		return true;
	return recording->exit_told &&
	       clock_ns(CLOCK_BOOTTIME) - recording->job_ended_ns > AFTER_JOB_NS;
}

static const char *next_step(int err)
{
	switch (err) {
	case -EPERM:
	case -EACCES:
		return "Run it as root (sudo), or with --no-bpf.";
	case -ENOSPC:
		return "Free some space, or give another --out.";
	case -EEXIST:
		return "Give another --out.";
	default:
		return "`stalltrace-agent check` says what this machine allows.";
	}
}

/* Of those named, COMMAND or --pid; a zombie has ended. */
static bool job_is_running(const struct recording *recording)
{
	const struct record_options *options = &recording->request.options;
	uint64_t ticks;

	if (recording->job.pid > 0)
		return recording->started && !recording->job.ended;
	for (unsigned int i = 0; i < options->pid_count; i++)
		if (!process_start_ticks(options->pids[i], &ticks))
			return true;
	return false;
}

/* The machine's own samples come with any target, and what its connections have counted before. */
static bool recorded_something(const struct record_result *result)
{
	for (int i = 0; i < TRACE_TABLES; i++)
		if (i != TABLE_SAMPLE && i != TABLE_GAP && i != TABLE_CONNECTION && result->rows[i])
			return true;
	return false;
}

/* COMMAND's code whatever became of the capture; see record_help. */
static int conclude(struct recording *recording, int err, struct record_result *result)
{
	struct finished_event finished = {
		.file = recording->request.options.out,
		.result = result,
		.exit_code = -1,
	};
	bool job = recording->job.pid > 0 && recording->started;

	recording_look_at_job(recording);
	finished.job_running = job_is_running(recording);
	if (job && recording->job.ended)
		finished.exit_code = exit_code_of(recording->job.status);
	if (!err && !recording->started) {
		outlet_error(&recording->outlet, "interrupted",
			     "The capture was ended before it began.", "");
		return 128 + stop_signals_last();
	}
	if (err)
		outlet_error(&recording->outlet, "capture-failed",
			     result->message[0] ? result->message : strerror(-err),
			     result->message[0] ? "" : next_step(err));
	else
		outlet_finished(&recording->outlet, &finished);
	if (job)
		return recording_wait_for_job(recording);
	if (recording->request.command)
		return EXIT_NOT_STARTED;
	if (err || result->end == END_FAILED)
		return EXIT_FAILED;
	return recorded_something(result) ? 0 : EXIT_NOTHING;
}

static int run(struct recording *recording)
{
	struct record_callbacks callbacks = {
		.context = recording,
		.released = on_released,
		.progress = on_progress,
		.notice = on_notice,
		.should_stop = should_stop,
	};
	struct record_result result = {.end = END_FAILED};
	int err;

	stuck_watch(recording);
	err = record_run(&recording->request.options, &callbacks, &result);
	watchdog_stop();
	if (err > 0)
		err = -EIO;
	return conclude(recording, err, &result);
}

static int start_job(struct recording *recording)
{
	struct record_request *request = &recording->request;
	char message[PATH_MAX + 256] = "COMMAND can't be started.", output[PATH_MAX + 8];
	struct job_options options = {
		.command = request->command,
		.identity = &recording->identity,
		.empty_input = request->stop_with_stdin,
		.output_to_stderr = request->json && request->json_fd == STDOUT_FILENO,
	};
	int err;

	if (!request->command)
		return 0;
	if (request->inside) {
		options.inside_library = request->inside_library;
		options.inside_socket = request->inside_socket;
	}
	snprintf(output, sizeof(output), "%s.output", request->out);
	if (request->detach)
		options.output_file = request->command_output ? request->command_output : output;
	err = job_start(&options, &recording->job, message, sizeof(message));
	if (err)
		outlet_error(&recording->outlet, "command-not-started", message, "");
	else
		request->options.pids[request->options.pid_count++] = recording->job.pid;
	if (!err && recording->job.inside_error) {
		snprintf(
			message, sizeof(message),
			"COMMAND runs without the library inside, and what the GPU did is not recorded: %s can't be put there or is not its user's to read (%s). Put the agent into a folder that is, and start it once.",
			request->inside_library, strerror(recording->job.inside_error));
		outlet_notice(&recording->outlet, "warning", message);
	}
	return err;
}

static int find_identity(struct recording *recording)
{
	struct record_options *options = &recording->request.options;
	char message[256];
	int err = identity_find(recording->request.user, &recording->identity, message,
				sizeof(message));

	if (err) {
		outlet_error(&recording->outlet, "identity", message, "");
		return err;
	}
	if (recording->identity.change) {
		options->owner = recording->identity.uid;
		options->group = recording->identity.gid;
	}
	return 0;
}

static int check_targets(struct recording *recording)
{
	char message[256];
	int err = target_rights(&recording->request.options, message, sizeof(message));

	if (err)
		outlet_error(&recording->outlet, "not-permitted", message,
			     "Run the agent as that user, or as root (sudo).");
	return err;
}

static int open_run(struct recording *recording)
{
	char message[PATH_MAX + 256];
	int err;

	/* The unprivileged half has one already. */
	if (recording->request.from_exec)
		return 0;
	runs_forget_old(recording->request.run_base);
	err = run_directory_create(recording->request.run_base, &recording->run, message,
				   sizeof(message));
	if (!err)
		return 0;
	run_directory_none(&recording->run);
	/* Watched from here, it needs none: only `status` and `stop` will not know it. */
	if (!recording->request.detach && !recording->request.run_base) {
		outlet_notice(&recording->outlet, "warning", message);
		return 0;
	}
	outlet_error(&recording->outlet, "run-directory", message, "");
	return err;
}

/* -1: go on, here or in the background; else the exit code. */
static int go_to_background(struct recording *recording)
{
	struct record_request *request = &recording->request;
	struct detached_run detached = {
		.run = &recording->run,
		.run_base = request->run_base,
		.file = request->out,
		.json = request->json,
		.json_fd = request->json_fd,
	};
	int code = EXIT_FAILED, err;

	if (!request->detach)
		return -1;
	err = detach(&detached, &recording->outlet.report_fd, &code);
	if (err < 0)
		outlet_error(&recording->outlet, "detach", strerror(-err), "");
	if (err)
		return code;
	line_queue_init(&recording->outlet.lines, -1);
	recording->outlet.human = true;
	recording->outlet.terminal = false;
	return -1;
}

static int record(struct recording *recording, int argc, char **argv)
{
	struct record_request *request = &recording->request;
	int refused = request->command ? EXIT_NOT_STARTED : EXIT_FAILED, code;

	if (check_targets(recording) || find_identity(recording) || open_run(recording))
		return refused;
	code = go_to_background(recording);
	if (code >= 0)
		return code;
	code = refused;
	if (!start_job(recording)) {
		stop_signals_install(request->detach);
		if (run_directory_describe(&recording->run, request->out,
					   request->options.options_json))
			outlet_notice(
				&recording->outlet, "warning",
				"The run's folder can't be written: `status` will not know it.");
		code = request->sudo ? record_through_sudo(recording, argc, argv) : run(recording);
		job_close(&recording->job);
	}
	/* Somebody asks later for a run in the background, for no other. */
	if (!request->detach || !recording->started)
		run_directory_remove(&recording->run);
	return code;
}

int command_record(int argc, char **argv)
{
	struct recording *recording = calloc(1, sizeof(*recording));
	struct record_request *request;
	int code;

	if (!recording)
		return EXIT_FAILED;
	request = &recording->request;
	code = record_request_parse(argc, argv, request);
	if (code) {
		code = code == ARGUMENTS_END ? 0 : EXIT_USAGE;
		goto cleanup;
	}
	run_directory_none(&recording->run);
	outlet_init(&recording->outlet, &recording->run);
	recording->outlet.human = !request->json || request->progress;
	if (request->json) {
		line_queue_init(&recording->outlet.lines, request->json_fd);
		if (request->json_fd > STDERR_FILENO)
			fcntl(request->json_fd, F_SETFD, FD_CLOEXEC);
	}
	code = request->sudo && !request->command ? become_sudo(argc, argv) :
						    record(recording, argc, argv);
cleanup:
	outlet_free(&recording->outlet);
	run_directory_close(&recording->run);
	record_request_free(request);
	free(recording);
	return code;
}
