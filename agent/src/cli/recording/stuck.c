// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Runs in the watchdog's thread while the one that records hangs anywhere, perhaps with a lock held: only
 * system calls, and nothing of SQLite, whose log keeps what was committed.
 */
#include "stuck.h"

#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "../../record/record.h"
#include "../../watchdog.h"
#include "../stop_signals.h"

#define EXIT_NOT_STARTED 125
#define SAY_WITHIN_S 2

/* Where standard error waits for the file system that hangs: SIGALRM ends us, which a handler could not. */
static void end_in(unsigned int seconds)
{
	sigset_t alarm_signal;

	signal(SIGALRM, SIG_DFL);
	sigemptyset(&alarm_signal);
	sigaddset(&alarm_signal, SIGALRM);
	pthread_sigmask(SIG_UNBLOCK, &alarm_signal, NULL);
	alarm(seconds);
}

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
	end_in(SAY_WITHIN_S);
	if (poll(&out, 1, 0) == 1 && (out.revents & POLLOUT))
		written = write(STDERR_FILENO, line, strlen(line));
	end_in(0);
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

/* A pipe says POLLHUP, a socket of which the other end writes no more POLLRDHUP. */
static bool stdin_ended(void)
{
	struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN | POLLRDHUP};

	return poll(&in, 1, 0) == 1 && (in.revents & (POLLHUP | POLLRDHUP | POLLERR | POLLNVAL));
}

/* Whether COMMAND's end should have ended the recording by now. */
static bool job_is_over(const struct recording *recording)
{
	static uint64_t ended_ns;
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	if (recording->job.pid <= 0 || !recording->started || code_of_job(&recording->job) < 0)
		return false;
	if (!ended_ns)
		ended_ns = now;
	return now - ended_ns > AFTER_JOB_NS;
}

static unsigned int told(void *context)
{
	const struct recording *recording = context;
	unsigned int count = stop_signals_count();

	if (!count &&
	    ((recording->request.stop_with_stdin && stdin_ended()) || job_is_over(recording)))
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

/* What to end with; -1 = COMMAND goes on, and its code is ours, whatever becomes of the capture. */
static int code_of_end(const struct recording *recording, enum watchdog_reason reason)
{
	bool job = recording->job.pid > 0 && recording->started;
	int code = job ? code_of_job(&recording->job) : -1;

	if (code >= 0)
		return code;
	if (reason == WATCHDOG_TOLD_TWICE)
		return 128 + stop_signals_last();
	if (job)
		return -1;
	return recording->request.command ? EXIT_NOT_STARTED : EXIT_STUCK;
}

static void end(void *context, enum watchdog_reason reason)
{
	const struct recording *recording = context;
	int code;

	/* First: who waits in the kernel outlives our exit, and its BPF programs with it. */
	record_silence();
	tell_once(
		recording,
		reason == WATCHDOG_TOLD_TWICE ?
			"Ended at once, as told twice" :
			"The capture did not end in time: it waits for something that others hold back");
	code = code_of_end(recording, reason);
	if (code >= 0)
		_exit(code);
}

void stuck_watch(struct recording *recording)
{
	struct watchdog_calls calls = {.context = recording, .told = told, .end = end};

	watchdog_start(&calls);
}
