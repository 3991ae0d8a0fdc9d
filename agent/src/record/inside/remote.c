// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * --remote-python: the line that a user would paste is run by the process itself, between two bytecodes. What it is told
 * to run is a file with that line in it, which is its user's alone, and is removed at the end.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "../../watchdog.h"
#include "inside.h"

/* Longer than most calls of libraries, in which no bytecode is run. */
#define LATE_NS (5 * NS_PER_SECOND)

static int write_script(const char *line, pid_t pid, char path[INSIDE_SCRIPT_BYTES])
{
	char process[32];
	struct stat owner;
	size_t length = strlen(line);
	int fd, err = 0;

	snprintf(process, sizeof(process), "/proc/%d", pid);
	if (stat(process, &owner))
		return -errno;
	snprintf(path, INSIDE_SCRIPT_BYTES, "/tmp/stalltrace-XXXXXX.py");
	fd = mkostemps(path, 3, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (write(fd, line, length) != (ssize_t)length || fchmod(fd, 0400) ||
	    (owner.st_uid != geteuid() && fchown(fd, owner.st_uid, (gid_t)-1)))
		err = errno ? -errno : -ENOSPC;
	close(fd);
	if (err)
		unlink(path);
	return err;
}

static void ask(struct inside_recorder *inside, struct process *process)
{
	struct session *session = inside->session;
	struct inside_request *request = &inside->requests[inside->request_count];
	int err = write_script(session->options->inside_script, process->pid, request->path);

	if (err) {
		session_notice(
			session, "warning",
			"Process %d can't be asked to come in: no file can be written to /tmp (%s). Paste the line instead.",
			process->pid, strerror(-err));
		return;
	}
	watchdog_step(STEP_OF_WORK);
	symboliser_read_process(session->symbols, process->id, process->pid);
	err = python_remote_offer(session->symbols, process->id, process->pid, request->path,
				  &request->offer, inside->refusal, sizeof(inside->refusal));
	if (err) {
		unlink(request->path);
		session_notice(
			session, "warning",
			"Process %d can't be asked to come in, because %s. Paste the line into it instead.",
			process->pid, inside->refusal);
		return;
	}
	request->asked_ns = session->now_ns;
	inside->request_count++;
}

/* A --pid in any case; of those below it, who uses CUDA. */
static void consider(void *context, struct process *process)
{
	struct inside_recorder *inside = context;
	const struct record_options *options = inside->session->options;
	bool named = false;

	for (unsigned int i = 0; i < options->pid_count; i++)
		named |= process->pid == options->pids[i];
	if (inside->request_count < MOST_PROCESSES && process->target && !process->ended &&
	    (inside_uses_cuda(process) || (named && options->pid_count == 1)))
		ask(inside, process);
}

void inside_ask(struct inside_recorder *inside)
{
	struct session *session = inside->session;

	if (!session->options->inside_script || inside->asked)
		return;
	inside->asked = true;
	snprintf(inside->refusal, sizeof(inside->refusal),
		 "No process that uses CUDA was there to be asked.");
	tasks_each_living(session->tasks, consider, inside);
	trace_put_capability(session->writer, "remote_python", inside->request_count > 0,
			     inside->request_count ?
				     "asked to load the library by itself (PEP 768)" :
				     inside->refusal);
}

static bool is_done(const struct inside_request *request)
{
	return python_remote_is_taken(&request->offer);
}

void inside_look_at_requests(struct inside_recorder *inside)
{
	uint64_t now_ns = inside->session->now_ns;

	for (unsigned int i = 0; i < inside->request_count; i++) {
		struct inside_request *request = &inside->requests[i];

		if (request->late || now_ns - request->asked_ns < LATE_NS)
			continue;
		request->late = true;
		if (!is_done(request))
			session_notice(
				inside->session, "info",
				"Process %d was asked to come in, and has not run a bytecode since: it will when its main thread returns from what it waits for.",
				request->offer.pid);
	}
}

void inside_withdraw_requests(struct inside_recorder *inside)
{
	for (unsigned int i = 0; i < inside->request_count; i++) {
		python_remote_withdraw(&inside->requests[i].offer);
		unlink(inside->requests[i].path);
	}
	inside->request_count = 0;
}
