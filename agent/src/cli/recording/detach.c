// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "detach.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "events.h"
#include "../text/json.h"
#include "../text/json_read.h"

struct background_report {
	int32_t pid;
};

static void close_from(unsigned int first, unsigned int last)
{
	if (first > last)
		return;
#ifdef SYS_close_range
	if (!syscall(SYS_close_range, first, last, 0))
		return;
#endif
	for (unsigned int fd = first; fd <= last && fd < 65536; fd++)
		close((int)fd);
}

/* All but the standard ones and those we keep, so that an SSH channel or a lock of the caller's ends. */
static void close_inherited(const int *keep, size_t count)
{
	unsigned int from = 3;

	for (;;) {
		int next = -1;

		for (size_t i = 0; i < count; i++)
			if (keep[i] >= (int)from && (next < 0 || keep[i] < next))
				next = keep[i];
		if (next < 0)
			break;
		close_from(from, (unsigned int)next - 1);
		from = (unsigned int)next + 1;
	}
	close_from(from, ~0u);
}

static int enter_background(const struct detached_run *detached, int report)
{
	struct background_report self = {.pid = getpid()};
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	int log = run_directory_open_log(detached->run);
	int keep[] = {report, detached->run->fd, detached->run->base_fd, detached->run->events_fd};

	if (null < 0 || log < 0)
		return -EIO;
	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	dup2(log, STDERR_FILENO);
	close_inherited(keep, sizeof(keep) / sizeof(keep[0]));
	return write(report, &self, sizeof(self)) == sizeof(self) ? 0 : -EIO;
}

static void print_detached(const struct detached_run *detached, pid_t pid)
{
	struct json json = {0};

	if (detached->json) {
		event_detached(&json, detached->run->id, detached->run->path, pid, detached->file);
		json_print_line(&json, detached->json_fd);
		json_free(&json);
		return;
	}
	say("stalltrace-agent: recording to %s in the background, as run %s (process %d).",
	    detached->file, detached->run->id, pid);
	say("stalltrace-agent: `stalltrace-agent stop --run %s%s%s` ends it.", detached->run->id,
	    detached->run_base ? " --run-dir " : "", detached->run_base ? detached->run_base : "");
}

static void say_error(const char *line)
{
	char message[1024] = "The capture could not begin.", next[512] = "";

	json_find_text(line, "message", message, sizeof(message));
	json_find_text(line, "next", next, sizeof(next));
	say("stalltrace-agent: %s %s", message, next);
}

static size_t read_to_end(int fd, char *out, size_t size)
{
	size_t length = 0;

	while (length < size) {
		ssize_t got = read(fd, out + length, size - length);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		length += got;
	}
	return length;
}

/* What the background process reports: its pid, then its first line. */
static int pass_on(const struct detached_run *detached, int report)
{
	struct background_report self = {0};
	struct json json = {0};
	char *line = calloc(1, EVENT_MAX_BYTES + 1);
	size_t length = 0;
	int code = 1;

	if (line && read_to_end(report, (char *)&self, sizeof(self)) == sizeof(self))
		length = read_to_end(report, line, EVENT_MAX_BYTES);
	if (!length) {
		char message[PATH_MAX + 64];

		snprintf(message, sizeof(message),
			 "The background process ended at once; %s/log may say why.",
			 detached->run->path);
		event_error(&json, "background-died", message, "");
		if (detached->json)
			json_print_line(&json, detached->json_fd);
		say("stalltrace-agent: %s", message);
		json_free(&json);
	} else {
		code = event_line_is(line, "started") ? 0 : 1;
		if (detached->json)
			write_all(detached->json_fd, line, length);
		else if (code)
			say_error(line);
		if (!code)
			print_detached(detached, self.pid);
	}
	free(line);
	return code;
}

int detach(const struct detached_run *detached, int *report_fd, int *exit_code)
{
	int report[2], status;
	pid_t pid;

	if (pipe2(report, O_CLOEXEC))
		return -errno;
	pid = fork();
	if (pid < 0) {
		close(report[0]);
		close(report[1]);
		return -EAGAIN;
	}
	if (pid) {
		close(report[1]);
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
		*exit_code = pass_on(detached, report[0]);
		close(report[0]);
		return 1;
	}
	/* The session's leader ends at once: what is left can never get a terminal. */
	close(report[0]);
	if (setsid() < 0)
		_exit(1);
	pid = fork();
	if (pid)
		_exit(pid < 0);
	if (enter_background(detached, report[1]))
		_exit(1);
	*report_fd = report[1];
	return 0;
}
