// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "../arguments.h"
#include "../commands.h"
#include "../recording/events.h"
#include "../runs/runs.h"

static const char help[] =
	"Usage: stalltrace-agent status [--run ID] [--run-dir DIR] [--remove] [--json]\n"
	"\n"
	"Captures of this user that run, and those in the background that ended.\n"
	"\n"
	"  --run ID       this one alone\n"
	"  --run-dir DIR  as given to record\n"
	"  --remove       forget those that have ended; their trace files stay\n"
	"\n"
	"Exit code: 0, 1 where the runs can't be read, 3 where there is no run of that id.\n";

struct request {
	const char *id, *base;
	bool remove, json;
};

static int read_request(int argc, char **argv, struct request *request)
{
	const struct option_target targets[] = {
		{"--run", .value = &request->id},
		{"--run-dir", .value = &request->base},
		{"--remove", .given = &request->remove},
		{"--json", .given = &request->json},
		{0},
	};

	return arguments_read(argc, argv, help, targets);
}

static bool forget(const struct runs *runs, const struct run *run)
{
	int err;

	if (!run_is_over(run))
		return false;
	err = run_folder_remove(runs->base_fd, run->id);
	if (err)
		say("stalltrace-agent status: %s stays: %s.", run->path, strerror(-err));
	return !err;
}

static void say_run(const struct run *run)
{
	char age[48] = "";

	if (run->state == RUN_RUNNING && run->heartbeat_age_ns >= 0)
		snprintf(age, sizeof(age), ", last heard of %.1f s ago",
			 (double)run->heartbeat_age_ns / 1e9);
	say_to(STDOUT_FILENO, "%s  %-9s process %d%s  %s", run->id, run_state_name(run->state),
	       run->pid, age, run->file);
}

static int print_runs(const struct request *request, const struct runs *runs)
{
	struct json json = {0};
	int err = 0;

	json_open_object(&json, NULL);
	json_integer(&json, "v", 1);
	json_text(&json, "run_base", runs->base);
	json_open_array(&json, "runs");
	for (size_t i = 0; i < runs->count; i++) {
		const struct run *run = &runs->run[i];

		run_put(&json, run);
		if (!request->json)
			say_run(run);
	}
	json_close_array(&json);
	json_open_array(&json, "removed");
	for (size_t i = 0; request->remove && i < runs->count; i++)
		if (forget(runs, &runs->run[i]))
			json_text(&json, NULL, runs->run[i].id);
	json_close_array(&json);
	json_integer(&json, "left_out", (int64_t)runs->left_out);
	json_close_object(&json);
	if (request->json)
		err = json_print_line(&json, STDOUT_FILENO);
	else if (!runs->count)
		printf("No captures.\n");
	json_free(&json);
	if (runs->left_out > 0)
		say("stalltrace-agent status: %zu more are left out, those that changed longest ago: "
		    "forget what has ended with --remove, then ask again.",
		    runs->left_out);
	return err ? 1 : request->id && !runs->count ? 3 : 0;
}

int command_status(int argc, char **argv)
{
	struct request request = {0};
	char message[PATH_MAX + 256] = "The runs can't be read.";
	struct runs runs;
	int code = read_request(argc, argv, &request);

	if (code != ARGUMENTS_END)
		return code;
	if (runs_read(request.base, request.id, &runs, message, sizeof(message))) {
		struct json json = {0};

		event_error(&json, "run-directory", message, "");
		if (request.json)
			json_print_line(&json, STDOUT_FILENO);
		json_free(&json);
		say("stalltrace-agent status: %s", message);
		code = 1;
	} else {
		code = print_runs(&request, &runs);
	}
	runs_free(&runs);
	return code;
}
