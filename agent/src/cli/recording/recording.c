// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "recording.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include "../../clock.h"
#include "../stop_signals.h"

static void tell_exec_failure(struct recording *recording)
{
	char message[512];

	recording->exec_failure_told = true;
	snprintf(message, sizeof(message), "COMMAND \"%.200s\" can't be started: %s.",
		 recording->request.command[0], strerror(recording->job.exec_error));
	outlet_error(&recording->outlet, "command-not-started", message,
		     "Check its name and rights.");
}

void recording_look_at_job(struct recording *recording)
{
	struct job *job = &recording->job;

	if (job->pid <= 0)
		return;
	job_look(job);
	if (job->exec_error && !recording->exec_failure_told)
		tell_exec_failure(recording);
	if (!job->ended || recording->exit_told)
		return;
	recording->exit_told = true;
	recording->job_ended_ns = clock_ns(CLOCK_BOOTTIME);
	if (recording->started && !job->exec_error)
		outlet_target_exited(&recording->outlet, job->pid, job->status);
}

int recording_wait_for_job(struct recording *recording)
{
	static const struct timespec pause = {.tv_nsec = 50000000};
	struct job *job = &recording->job;
	unsigned int signals = stop_signals_count() ? 1 : 0;
	bool told = false;

	for (;;) {
		recording_look_at_job(recording);
		outlet_flush(&recording->outlet);
		if (job->ended)
			return exit_code_of(job->status);
		if (stop_signals_count() > signals)
			break;
		if (!told && !recording->request.detach)
			say("stalltrace-agent: the capture has ended; COMMAND (process %d) goes on. Another Ctrl-C leaves it to itself.",
			    job->pid);
		told = true;
		nanosleep(&pause, NULL);
	}
	say("stalltrace-agent: COMMAND goes on as process %d.", job->pid);
	return 128 + stop_signals_last();
}
