// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "../../clock.h"
#include "../arguments.h"
#include "../commands.h"
#include "../recording/events.h"
#include "../runs/runs.h"
#include "watch_lines.h"

/* The recorder says something every 500 ms. Looking costs little: no inotify, of which hosts run out. */
#define LOOK_EVERY_MS 100
#define ALIVE_EVERY_NS NS_PER_SECOND
#define EXIT_NO_RUN 3

static const char help[] =
	"Usage: stalltrace-agent watch --run ID [--run-dir DIR]\n"
	"\n"
	"Prints the JSON lines of a run so far, then each new one, and once a second a line `alive`.\n"
	"Ends with the run's process or with standard input; the capture goes on whatever becomes of it.\n"
	"\n"
	"  --run ID       which\n"
	"  --run-dir DIR  as given to record\n"
	"\n"
	"Exit code: 0, 1 where the runs can't be read, 3 where there is no such run.\n";

struct watch {
	struct runs runs;
	struct run *run;
	struct watched_lines lines;
	bool unread;     /* nobody takes the lines any more */
	bool by_process; /* its folder is gone: only the process can be asked */
};

static void print_line(void *context, const char *line, size_t length)
{
	struct watch *watch = context;

	if (!watch->unread && write_patiently(STDOUT_FILENO, line, length))
		watch->unread = true;
}

/* Where the folder is gone or can't be read, as that of a run watched from its own terminal. */
static bool process_goes_on(const struct run *run)
{
	uint64_t ticks;

	return run->pid > 0 && !process_start_ticks(run->pid, &ticks) && ticks == run->start_ticks;
}

/* Whether the run is over, and so all its lines are written. */
static bool look_at_run(struct watch *watch)
{
	watch->by_process = runs_read_again(&watch->runs, watch->run) != 0;
	if (!watch->by_process)
		return run_is_over(watch->run);
	watch->run->process_alive = process_goes_on(watch->run);
	return !watch->run->process_alive;
}

/* After its lines were read: the last of them may be the one that says it finished. */
static void judge_by_process(struct watch *watch)
{
	struct run *run = watch->run;

	run->state = watch->lines.finished ? RUN_FINISHED :
		     run->process_alive    ? RUN_RUNNING :
		     run->pid              ? RUN_DIED :
					     RUN_UNREADABLE;
	run->heartbeat_age_ns = -1;
}

static void print_alive(struct watch *watch)
{
	const struct run *run = watch->run;
	struct json json = {0};

	event_alive(&json, run->id, run_state_name(run->state), run->process_alive,
		    run->heartbeat_age_ns);
	json_end_line(&json);
	if (!json.failed)
		print_line(watch, json.text, json.length);
	json_free(&json);
}

/* Until the next look; false once standard input has ended or nobody reads any more. */
static bool wait_for_next(const struct watch *watch)
{
	struct pollfd ends[] = {{.fd = STDIN_FILENO, .events = POLLIN}, {.fd = STDOUT_FILENO}};
	char dropped[4096];
	ssize_t got;

	if (watch->unread)
		return false;
	if (poll(ends, 2, LOOK_EVERY_MS) <= 0)
		return true;
	if (ends[1].revents & (POLLERR | POLLHUP))
		return false;
	if (!ends[0].revents)
		return true;
	got = read(STDIN_FILENO, dropped, sizeof(dropped));
	/* Whoever sends much makes it look no more often. */
	poll(NULL, 0, LOOK_EVERY_MS);
	return got > 0 || (got < 0 && (errno == EINTR || errno == EAGAIN));
}

static void follow(struct watch *watch)
{
	uint64_t next_alive = 0;
	bool over;

	do {
		uint64_t now = clock_ns(CLOCK_BOOTTIME);
		bool due = now >= next_alive;

		over = due && look_at_run(watch);
		watched_lines_look(&watch->lines);
		if (due) {
			if (watch->by_process)
				judge_by_process(watch);
			print_alive(watch);
			next_alive = now + ALIVE_EVERY_NS;
		}
	} while (!over && wait_for_next(watch));
}

static int refuse(const char *code, const char *message)
{
	struct json json = {0};

	event_error(&json, code, message, "");
	json_print_line(&json, STDOUT_FILENO);
	json_free(&json);
	say("stalltrace-agent watch: %s", message);
	return strcmp(code, "no-such-run") ? 1 : EXIT_NO_RUN;
}

static int watch_run(struct watch *watch, const char *id, const char *base)
{
	char message[PATH_MAX + 256] = "The runs can't be read.";
	int folder;

	if (runs_read(base, id, &watch->runs, message, sizeof(message)))
		return refuse("run-directory", message);
	watch->run = runs_find(&watch->runs, id, message, sizeof(message));
	if (!watch->run)
		return refuse("no-such-run", message);
	folder = openat(watch->runs.base_fd, watch->run->id,
			O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (folder < 0)
		return refuse("no-such-run", "The run's folder is gone.");
	watch->lines.give = print_line;
	watch->lines.context = watch;
	watched_lines_open(&watch->lines, folder);
	follow(watch);
	watched_lines_close(&watch->lines);
	return 0;
}

static int read_request(int argc, char **argv, const char **id, const char **base)
{
	bool json = false;
	const struct option_target targets[] = {
		{"--run", .value = id},
		{"--run-dir", .value = base},
		{"--json", .given = &json},
		{0},
	};
	struct arguments arguments = {.argc = argc, .argv = argv};
	int code = arguments_read(argc, argv, help, targets);

	if (code == ARGUMENTS_END && !*id) {
		arguments_refuse(&arguments, "--run is missing: `status` names the runs.");
		return EXIT_USAGE;
	}
	return code;
}

int command_watch(int argc, char **argv)
{
	const char *id = NULL, *base = NULL;
	struct watch watch = {.runs.base_fd = -1};
	int code = read_request(argc, argv, &id, &base);

	if (code != ARGUMENTS_END)
		return code;
	signal(SIGPIPE, SIG_IGN);
	code = watch_run(&watch, id, base);
	runs_free(&watch.runs);
	return code;
}
