// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "job.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "../../../inside/ring.h"
#include "inside_file.h"

#define EXIT_NOT_STARTED 125

enum job_stage { STAGE_READY, STAGE_IDENTITY, STAGE_OUTPUT, STAGE_EXEC };

struct job_report {
	int32_t stage;
	int32_t error;
};

static _Noreturn void fail_child(int report, enum job_stage stage, int error)
{
	struct job_report text = {.stage = stage, .error = error};
	ssize_t written = write(report, &text, sizeof(text));

	_exit(written < 0 || stage != STAGE_EXEC ? EXIT_NOT_STARTED : error == ENOENT ? 127 : 126);
}

/* As the user, so that neither a link nor a directory of theirs leads root astray. */
static int redirect(const struct job_options *options)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC), output;

	if ((options->empty_input || options->output_file) &&
	    (null < 0 || dup2(null, STDIN_FILENO) < 0))
		return -errno;
	if (options->output_to_stderr && dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		return -errno;
	if (!options->output_file)
		return 0;
	output = open(options->output_file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (output < 0 || dup2(output, STDOUT_FILENO) < 0 || dup2(output, STDERR_FILENO) < 0)
		return -errno;
	return 0;
}

static void close_at_exec(unsigned int first)
{
	if (!syscall(SYS_close_range, first, ~0u, CLOSE_RANGE_CLOEXEC))
		return;
	for (int fd = (int)first; fd < 65536; fd++)
		fcntl(fd, F_SETFD, FD_CLOEXEC);
}

/* The user may be kept from the folder that the agent lies in: then the job runs without. 0 or an errno. */
static int enter_inside(const struct job_options *options)
{
	int err;

	if (!options->inside_library)
		return 0;
	err = inside_file_provide(options->inside_library);
	if (err)
		return -err;
	if (setenv(INSIDE_LIBRARY_VARIABLE, options->inside_library, 1) ||
	    setenv(INSIDE_SOCKET_VARIABLE, options->inside_socket, 1))
		return errno;
	return 0;
}

/* Signals, nice, limits, umask and directory are those the agent was started with: nothing to undo. */
static _Noreturn void run_child(const struct job_options *options, int gate, int report)
{
	struct job_report ready = {.stage = STAGE_READY};
	char go;
	ssize_t got;
	int err;

	setpgid(0, 0);
	/* What root's shell has open is not the user's to read; sudo would not pass it on either. */
	if (options->identity->change)
		close_at_exec(STDERR_FILENO + 1);
	err = identity_become(options->identity);
	if (err)
		fail_child(report, STAGE_IDENTITY, -err);
	err = redirect(options);
	if (err)
		fail_child(report, STAGE_OUTPUT, -err);
	ready.error = enter_inside(options);
	if (write(report, &ready, sizeof(ready)) != sizeof(ready))
		_exit(EXIT_NOT_STARTED);
	do {
		got = read(gate, &go, 1);
	} while (got < 0 && errno == EINTR);
	if (got != 1)
		_exit(EXIT_NOT_STARTED);
	execvp(options->command[0], options->command);
	fail_child(report, STAGE_EXEC, errno);
}

static int reap(pid_t pid)
{
	int status = 0;

	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

static int say_why(const struct job_options *options, const struct job_report *report,
		   char *message, size_t size)
{
	if (report->stage == STAGE_OUTPUT)
		snprintf(
			message, size,
			"%s can't be made for COMMAND's output (%s): name another with --command-output.",
			options->output_file ? options->output_file : "Standard output",
			strerror(report->error));
	else
		snprintf(message, size,
			 "COMMAND can't be run as user %u (%s), and is not run as root instead.",
			 options->identity->uid, strerror(report->error));
	return report->error ? -report->error : -EIO;
}

int job_start(const struct job_options *options, struct job *job, char *message, size_t size)
{
	struct job_report first = {0};
	int gate[2], report[2];
	ssize_t got;

	memset(job, 0, sizeof(*job));
	job->gate = job->report = -1;
	if (pipe2(gate, O_CLOEXEC))
		return -errno;
	if (pipe2(report, O_CLOEXEC)) {
		close(gate[0]);
		close(gate[1]);
		return -errno;
	}
	job->pid = fork();
	if (!job->pid) {
		close(gate[1]);
		close(report[0]);
		run_child(options, gate[0], report[1]);
	}
	close(gate[0]);
	close(report[1]);
	job->gate = gate[1];
	job->report = report[0];
	if (job->pid < 0) {
		snprintf(message, size, "No process can be started: %s.", strerror(errno));
		job_close(job);
		return -EAGAIN;
	}
	setpgid(job->pid, job->pid);
	do {
		got = read(job->report, &first, sizeof(first));
	} while (got < 0 && errno == EINTR);
	if (got == sizeof(first) && first.stage == STAGE_READY) {
		fcntl(job->report, F_SETFL, O_NONBLOCK);
		job->inside_error = first.error;
		return 0;
	}
	job_close(job);
	return say_why(options, &first, message, size);
}

void job_release(struct job *job)
{
	ssize_t written;

	/* The child may be gone: its end is seen by job_look. SIGPIPE is ignored by now. */
	do {
		written = write(job->gate, "", 1);
	} while (written < 0 && errno == EINTR);
	close(job->gate);
	job->gate = -1;
	job->released = true;
}

/*
 * A job in the background stops when it reads the terminal. Where we are in the foreground ourselves,
 * it gets the terminal, as it would have had without us; Ctrl-C is then its own.
 */
static void give_terminal(struct job *job)
{
	if (!isatty(STDIN_FILENO) || tcgetpgrp(STDIN_FILENO) != getpgrp())
		return;
	if (tcsetpgrp(STDIN_FILENO, job->pid))
		return;
	job->has_terminal = true;
	job->stopped = false;
	kill(-job->pid, SIGCONT);
}

static void take_terminal(struct job *job)
{
	sigset_t output, before;

	if (!job->has_terminal)
		return;
	job->has_terminal = false;
	/* From the background this would stop us. */
	sigemptyset(&output);
	sigaddset(&output, SIGTTOU);
	sigprocmask(SIG_BLOCK, &output, &before);
	tcsetpgrp(STDIN_FILENO, getpgrp());
	sigprocmask(SIG_SETMASK, &before, NULL);
}

static void read_exec_report(struct job *job)
{
	struct job_report report;
	ssize_t got = read(job->report, &report, sizeof(report));

	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (got == sizeof(report) && report.stage == STAGE_EXEC)
		job->exec_error = report.error;
	close(job->report);
	job->report = -1;
}

void job_look(struct job *job)
{
	int status;
	pid_t changed;

	if (job->pid <= 0 || job->ended)
		return;
	if (job->released && job->report >= 0)
		read_exec_report(job);
	changed = waitpid(job->pid, &status, WNOHANG | WUNTRACED | WCONTINUED);
	if (changed == job->pid && WIFSTOPPED(status)) {
		job->stopped = WSTOPSIG(status) == SIGTTIN || WSTOPSIG(status) == SIGTTOU;
	} else if (changed == job->pid && WIFCONTINUED(status)) {
		job->stopped = false;
	} else if (changed == job->pid) {
		job->status = status;
		job->ended = true;
		if (job->released && job->report >= 0)
			read_exec_report(job);
		take_terminal(job);
	}
	if (job->stopped && !job->has_terminal)
		give_terminal(job);
}

void job_close(struct job *job)
{
	if (job->gate >= 0)
		close(job->gate);
	if (job->report >= 0)
		close(job->report);
	job->gate = job->report = -1;
	if (job->pid > 0 && !job->released && !job->ended) {
		job->status = reap(job->pid);
		job->ended = true;
	}
	take_terminal(job);
}
