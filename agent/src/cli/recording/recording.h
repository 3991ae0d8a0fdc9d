/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What a running `record` holds: shared by the half that records and the one that only starts. */
#ifndef STALLTRACE_RECORDING_H
#define STALLTRACE_RECORDING_H

#include <stdbool.h>
#include "../../clock.h"
#include "../runs/identity.h"
#include "job.h"
#include "progress.h"
#include "record_options.h"
#include "../runs/run_directory.h"

/* What COMMAND leaves behind is not waited for longer than its last events take. */
#define AFTER_JOB_NS (2 * NS_PER_SECOND)

struct recording {
	struct record_request request;
	struct identity identity;
	struct run_directory run;
	struct outlet outlet;
	struct job job;       /* pid 0 = no COMMAND */
	_Atomic bool started; /* released was called: COMMAND may run */
	bool exit_told;
	bool exec_failure_told;
	uint64_t job_ended_ns; /* CLOCK_BOOTTIME */
};

/* Looks after COMMAND: tells its end and an exec that failed, once each. */
void recording_look_at_job(struct recording *recording);
/*
 * Until COMMAND has ended, or a signal came that did not end the capture: the first one after its end
 * by itself, else the second. The exit code of the agent.
 */
int recording_wait_for_job(struct recording *recording);

/* `--sudo`: this process starts COMMAND and sudo the half that records. The exit code. */
int record_through_sudo(struct recording *recording, int argc, char **argv);
/* Without COMMAND: becomes sudo. Returns only where that failed. */
int become_sudo(int argc, char **argv);

#endif /* STALLTRACE_RECORDING_H */
