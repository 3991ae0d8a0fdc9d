// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * `record --sudo -- COMMAND`: this process stays the user's. It starts COMMAND, stopped, with the
 * user's whole environment, and has sudo run the half that records. That half writes NDJSON to a pipe
 * (sudo closes other descriptors): its `started` lets COMMAND go. It ends when its standard input
 * does, since a user can't signal root's processes.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "../../clock.h"
#include "recording.h"
#include "../stop_signals.h"

#define EXIT_NOT_STARTED 125
#define MOST_ADDED 14

struct privileged_half {
	pid_t pid;
	int lines; /* its standard output */
	int hold;  /* its standard input: closed to end it */
	char line[EVENT_MAX_BYTES + 1];
	size_t length;
	bool too_long;
};

static int find_self(char *out, size_t size)
{
	ssize_t length = readlink("/proc/self/exe", out, size - 1);

	if (length < 0)
		return -errno;
	out[length] = '\0';
	return 0;
}

/* Options that are this half's alone, and how many words each is. */
static size_t own_words(const char *word)
{
	static const char *const alone[] = {"--sudo", "--detach", "--json", "--progress",
					    "--stop-with-stdin"};
	static const char *const with_value[] = {"--json-fd", "--out", "--user", "--run-dir",
						 "--command-output"};

	for (size_t i = 0; i < sizeof(alone) / sizeof(alone[0]); i++)
		if (!strcmp(word, alone[i]))
			return 1;
	for (size_t i = 0; i < sizeof(with_value) / sizeof(with_value[0]); i++) {
		size_t length = strlen(with_value[i]);

		if (!strncmp(word, with_value[i], length) && (!word[length] || word[length] == '='))
			return word[length] ? 1 : 2;
	}
	return 0;
}

/* sudo [-n] SELF record …, ending with NULL. Without a terminal sudo must not wait for a password. */
static char **sudo_arguments(int argc, char *self, bool ask, size_t *count)
{
	char **out = calloc((size_t)argc + MOST_ADDED, sizeof(*out));
	size_t at = 0;

	if (!out)
		return NULL;
	out[at++] = "sudo";
	if (!ask)
		out[at++] = "-n";
	out[at++] = "--";
	out[at++] = self;
	out[at++] = "record";
	*count = at;
	return out;
}

int become_sudo(int argc, char **argv)
{
	char self[PATH_MAX];
	size_t at = 0;
	char **words;

	if (find_self(self, sizeof(self)))
		return 1;
	words = sudo_arguments(argc, self, isatty(STDIN_FILENO), &at);
	if (!words)
		return 1;
	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], "--sudo"))
			words[at++] = argv[i];
	execvp("sudo", words);
	say("stalltrace-agent: sudo can't be started: %s.", strerror(errno));
	free(words);
	return 1;
}

static int start_half(struct recording *recording, int argc, char **argv,
		      struct privileged_half *half)
{
	char self[PATH_MAX], pid[16];
	int lines[2] = {-1, -1}, hold[2] = {-1, -1};
	size_t at = 0;
	char **words;

	snprintf(pid, sizeof(pid), "%d", recording->job.pid);
	if (find_self(self, sizeof(self)) || pipe2(lines, O_CLOEXEC) || pipe2(hold, O_CLOEXEC))
		return -errno;
	words = sudo_arguments(argc, self, !recording->request.detach && isatty(STDIN_FILENO), &at);
	if (!words)
		return -ENOMEM;
	for (int i = 1; i < argc && strcmp(argv[i], "--");) {
		size_t own = own_words(argv[i]);

		if (!own)
			words[at++] = argv[i];
		i += own ? (int)own : 1;
	}
	words[at++] = "--out";
	words[at++] = recording->request.out;
	words[at++] = "--pid";
	words[at++] = pid;
	words[at++] = "--from-exec";
	if (recording->request.inside) {
		words[at++] = "--inside-socket";
		words[at++] = recording->request.inside_socket;
	} else if (recording->request.options.inside_notice) {
		words[at++] = "--inside-missing";
		words[at++] = recording->request.inside_missing;
	}
	words[at++] = "--stop-with-stdin";
	words[at++] = "--json";
	if (recording->outlet.human)
		words[at++] = "--progress";
	half->pid = fork();
	if (!half->pid) {
		dup2(hold[0], STDIN_FILENO);
		dup2(lines[1], STDOUT_FILENO);
		execvp("sudo", words);
		say("stalltrace-agent: sudo can't be started: %s.", strerror(errno));
		_exit(127);
	}
	free(words);
	close(hold[0]);
	close(lines[1]);
	half->lines = lines[0];
	half->hold = hold[1];
	return half->pid < 0 ? -EAGAIN : 0;
}

static void take_line(struct recording *recording, struct privileged_half *half)
{
	static const char *const events[] = {"started",  "progress", "notice",
					     "finished", "error",    "target-exited"};
	const char *event = "other";

	half->line[half->length] = '\0';
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		if (event_line_is(half->line, events[i]))
			event = events[i];
	if (!strcmp(event, "started") && !recording->started) {
		recording->started = true;
		job_release(&recording->job);
	}
	outlet_send_line(&recording->outlet, event, half->line, half->length);
}

/* false once the half has ended. */
static bool read_lines(struct recording *recording, struct privileged_half *half)
{
	char bytes[8192];
	ssize_t got = read(half->lines, bytes, sizeof(bytes));

	if (got < 0 && errno == EINTR)
		return true;
	for (ssize_t i = 0; i < got; i++) {
		if (bytes[i] != '\n') {
			half->too_long |= half->length == EVENT_MAX_BYTES;
			if (!half->too_long)
				half->line[half->length++] = bytes[i];
			continue;
		}
		if (!half->too_long)
			take_line(recording, half);
		half->length = 0;
		half->too_long = false;
	}
	return got > 0;
}

/* Whether it was told twice, a second ago: the half may be stuck, and is root's, not ours to signal. */
static bool told_twice(uint64_t *since_ns)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	if (stop_signals_count() < 2)
		return false;
	if (!*since_ns)
		*since_ns = now;
	return now - *since_ns >= NS_PER_SECOND;
}

/* false where the half is left to itself. */
static bool follow(struct recording *recording, struct privileged_half *half)
{
	struct pollfd lines = {.fd = half->lines, .events = POLLIN};
	uint64_t told_twice_ns = 0;
	bool going = true;

	while (going) {
		int ready = poll(&lines, 1, 50);

		recording_look_at_job(recording);
		outlet_flush(&recording->outlet);
		if (stop_signals_count() && half->hold >= 0) {
			close(half->hold);
			half->hold = -1;
		}
		if (told_twice(&told_twice_ns))
			return false;
		if (ready > 0)
			going = read_lines(recording, half);
	}
	if (half->hold >= 0)
		close(half->hold);
	close(half->lines);
	while (waitpid(half->pid, NULL, 0) < 0 && errno == EINTR)
		;
	return true;
}

int record_through_sudo(struct recording *recording, int argc, char **argv)
{
	struct privileged_half *half = calloc(1, sizeof(*half));
	int err = half ? start_half(recording, argc, argv, half) : -ENOMEM;

	if (err) {
		outlet_error(&recording->outlet, "sudo", strerror(-err), "");
		free(half);
		return EXIT_NOT_STARTED;
	}
	if (!follow(recording, half)) {
		say("stalltrace-agent: ended at once, as told twice; %s is being completed by the half that is root's.",
		    recording->request.out);
		free(half);
		return 128 + stop_signals_last();
	}
	free(half);
	if (recording->started)
		return recording_wait_for_job(recording);
	if (!recording->outlet.error_sent)
		outlet_error(&recording->outlet, "sudo",
			     "The half of the agent that needs root did not start.",
			     "Allow it in sudoers, or run the agent as root.");
	return EXIT_NOT_STARTED;
}
