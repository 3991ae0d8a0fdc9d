// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Runs in the watchdog's thread while the one that records hangs anywhere, perhaps with a lock held: only
 * system calls, and nothing of SQLite, whose log keeps what was committed.
 */
#include "stuck.h"

#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "../record/record.h"
#include "../watchdog.h"
#include "stop_signals.h"

#define EXIT_NOT_STARTED 125

/* Nobody may read there: then it is left unsaid. Room for PIPE_BUF is what POLLOUT promises. */
static void tell(const char *format, ...)
{
	struct pollfd out = {.fd = STDERR_FILENO, .events = POLLOUT};
	char line[PIPE_BUF];
	va_list list;
	ssize_t written = 0;

	va_start(list, format);
	vsnprintf(line, sizeof(line), format, list);
	va_end(list);
	for (char *at = line; at[0] && at[1]; at++)
		if ((unsigned char)*at < 0x20 || *at == 0x7f)
			*at = ' ';
	if (poll(&out, 1, 0) == 1 && (out.revents & POLLOUT))
		written = write(STDERR_FILENO, line, strlen(line));
	(void)written;
}

/* The job's exit code as a shell has it, -1 while it goes on; it stays to be waited for. */
static int code_of_job(const struct job *job)
{
	siginfo_t info = {0};

	if (job->ended)
		return exit_code_of(job->status);
	if (waitid(P_PID, (id_t)job->pid, &info, WEXITED | WNOHANG | WNOWAIT) || !info.si_pid)
		return -1;
	return info.si_code == CLD_EXITED ? info.si_status : 128 + info.si_status;
}

static unsigned int told(void *context)
{
	const struct recording *recording = context;
	struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
	unsigned int count = stop_signals_count();

	if (!count && recording->request.stop_with_stdin && poll(&in, 1, 0) == 1 &&
	    (in.revents & (POLLHUP | POLLERR | POLLNVAL)))
		count = 1;
	return count;
}

static void tell_once(const struct recording *recording, const char *why)
{
	static bool said;
	const char *file = recording->request.options.out;

	if (said)
		return;
	said = true;
	tell("stalltrace-agent: %s. %.3500s holds what was recorded until shortly before%s.\n", why,
	     file,
	     recording->job.pid > 0 && recording->started && code_of_job(&recording->job) < 0 ?
		     "; COMMAND goes on" :
		     "; its end may be in a “-wal” beside it, which belongs to it");
}

static void end(void *context, enum watchdog_reason reason)
{
	struct recording *recording = context;
	bool job = recording->job.pid > 0 && recording->started;
	int code = EXIT_STUCK;

	if (reason == WATCHDOG_TOLD_TWICE) {
		tell_once(recording, "Ended at once, as told twice");
		_exit(128 + stop_signals_last());
	}
	tell_once(recording,
		  "The capture did not end in time: it waits for something that others hold back");
	record_silence();
	if (job) {
		/* Its code is ours, whatever becomes of the capture. */
		code = code_of_job(&recording->job);
		if (code < 0)
			return;
	} else if (recording->request.command) {
		code = EXIT_NOT_STARTED;
	}
	_exit(code);
}

void stuck_watch(struct recording *recording)
{
	struct watchdog_calls calls = {.context = recording, .told = told, .end = end};

	watchdog_start(&calls, recording->request.options.duration_ns);
}
