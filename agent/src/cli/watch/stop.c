// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "../../clock.h"
#include "../arguments.h"
#include "../commands.h"
#include "../recording/events.h"
#include "../runs/runs.h"
#include "../stop_signals.h"

#define END_WITHIN_NS (30 * NS_PER_SECOND)
#define LOOK_EVERY_MS 100

static const char help[] =
	"Usage: stalltrace-agent stop [--run ID] [--run-dir DIR] [--json]\n"
	"\n"
	"Ends a capture and waits up to 30 s until its file is complete. Its job goes on.\n"
	"\n"
	"  --run ID       which; not needed where only one runs\n"
	"  --run-dir DIR  as given to record\n"
	"\n"
	"Exit code: 0 ended or had ended, 1 it can't be or takes longer, 3 there is no such run.\n";

struct request {
	const char *id, *base;
	bool json;
};

static int read_request(int argc, char **argv, struct request *request)
{
	const struct option_target targets[] = {
		{"--run", .value = &request->id},
		{"--run-dir", .value = &request->base},
		{"--json", .given = &request->json},
		{0},
	};

	return arguments_read(argc, argv, help, targets);
}

/*
 * The descriptor holds the process; only then is it looked whether it is the run's, so that no process
 * that got its pid meanwhile is ever signalled. Kernels before 5.3 have no such descriptor.
 */
static int signal_run(const struct run *run, int *process)
{
	union sigval asks = {.sival_int = STOP_ASKS};
	siginfo_t info = {.si_signo = SIGTERM, .si_code = SI_QUEUE};
	uint64_t ticks;
	int err;

	info.si_pid = getpid();
	info.si_uid = getuid();
	info.si_value = asks;
	*process = (int)syscall(SYS_pidfd_open, run->pid, 0);
	if (*process < 0 && errno != ENOSYS)
		return -errno;
	err = process_start_ticks(run->pid, &ticks);
	if (err || ticks != run->start_ticks)
		return -ESRCH;
	if (*process >= 0)
		err = syscall(SYS_pidfd_send_signal, *process, SIGTERM, &info, 0) ? -errno : 0;
	else
		err = sigqueue(run->pid, SIGTERM, asks) ? -errno : 0;
	return err;
}

static int wait_for_end(const struct runs *runs, struct run *run, int process)
{
	uint64_t until = clock_ns(CLOCK_BOOTTIME) + END_WITHIN_NS;

	while (clock_ns(CLOCK_BOOTTIME) < until) {
		struct pollfd ended = {.fd = process, .events = POLLIN};

		if (runs_read_again(runs, run) || run->state != RUN_RUNNING)
			return 0;
		poll(&ended, 1, LOOK_EVERY_MS);
	}
	return -ETIME;
}

static int report(const struct request *request, const struct run *run, int code,
		  const char *message)
{
	struct json json = {0};

	if (!request->json) {
		say("stalltrace-agent stop: %s", message);
		return code;
	}
	json_open_object(&json, NULL);
	json_integer(&json, "v", 1);
	json_boolean(&json, "ended", !code);
	json_text(&json, "message", message);
	if (run) {
		json_open_array(&json, "runs");
		run_put(&json, run);
		json_close_array(&json);
	}
	json_close_object(&json);
	json_print_line(&json, STDOUT_FILENO);
	json_free(&json);
	return code;
}

static int stop_run(const struct request *request, const struct runs *runs, struct run *run)
{
	char message[PATH_MAX + 128];
	bool ran = run->state == RUN_RUNNING;
	int process = -1, err = 0;

	if (ran) {
		err = signal_run(run, &process);
		/* Gone already is ended, too. */
		if (!err || err == -ESRCH)
			err = wait_for_end(runs, run, process);
		if (process >= 0)
			close(process);
	}
	if (err == -ETIME)
		snprintf(message, sizeof(message), "Run %s is still finishing its file after 30 s.",
			 run->id);
	else if (err)
		snprintf(message, sizeof(message), "Run %s can't be signalled: %s.", run->id,
			 strerror(-err));
	else if (run->state == RUN_FINISHED)
		snprintf(message, sizeof(message), "Run %s has %sended; %s is complete.", run->id,
			 ran ? "" : "already ", run->file);
	else if (run->state == RUN_UNREADABLE)
		snprintf(message, sizeof(message),
			 "Run %s can't be read: if it has just begun, ask again.", run->id);
	else
		snprintf(message, sizeof(message),
			 "Run %s %s; %s holds what it had recorded until then.", run->id,
			 run->state == RUN_REBOOTED ? "ended with the machine's restart" : "died",
			 run->file);
	return report(request, run, err || run->state == RUN_UNREADABLE ? 1 : 0, message);
}

int command_stop(int argc, char **argv)
{
	char message[PATH_MAX + 256] = "The runs can't be read.";
	struct request request = {0};
	struct runs runs;
	struct run *run;
	int code = read_request(argc, argv, &request);

	if (code != ARGUMENTS_END)
		return code;
	if (runs_read(request.base, request.id, &runs, message, sizeof(message))) {
		code = report(&request, NULL, 1, message);
	} else {
		run = runs_find(&runs, request.id, message, sizeof(message));
		code = run ? stop_run(&request, &runs, run) : report(&request, NULL, 3, message);
	}
	runs_free(&runs);
	return code;
}
