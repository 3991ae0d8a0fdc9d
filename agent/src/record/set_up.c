// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* What a recording needs before it can begin, with BPF or without. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "../host/proc.h"
#include "../watchdog.h"
#include "session.h"

#define GPU_PERIOD_MS 200

static int create_parts(struct session *session)
{
	const struct record_options *options = session->options;
	const struct trace_options trace = {
		.path = options->out,
		.begin_monotonic_ns = session->begin_ns,
		.begin_unix_ns = clock_ns(CLOCK_REALTIME),
		.max_bytes = options->max_bytes,
		.owner = options->owner,
		.group = options->group,
	};
	int err = trace_create(&trace, &session->writer, session->result->message,
			       sizeof(session->result->message));

	if (err < 0)
		return err;
	session->tasks = tasks_new(session->writer);
	session->symbols = symboliser_new();
	session->python = session->symbols ? python_readers_new(session->symbols) : NULL;
	session->stacks = session->python ?
				  stacks_new(session->writer, session->symbols, session->python) :
				  NULL;
	session->system = system_sampler_new();
	return session->tasks && session->stacks && session->system ? 0 : -ENOMEM;
}

static void describe_recording(struct session *session)
{
	const struct record_options *options = session->options;
	char detail[256];

	if (options->options_json)
		trace_put_meta(session->writer, "options", options->options_json);
	host_describe(session->writer);
	pinned_nodes_begin(session);
	connections_begin(session);
	if (options->pid_count)
		host_describe_packages(session->writer, options->pids[0]);
	if (gpu_sampler_start(options->nvidia_smi, GPU_PERIOD_MS, &session->gpu, detail,
			      sizeof(detail)) < 0)
		trace_put_capability(session->writer, "gpu_samples", false, detail);
	else
		trace_put_capability(session->writer, "gpu_samples", true, "nvidia-smi");
}

/* Where it is recorded with BPF, what is missing is said by who says that it records. */
static void note_missing_inside(struct session *session)
{
	const struct record_options *options = session->options;
	const struct tier_status *inside = &session->tiers[TIER_INSIDE];
	const char *why = options->inside_notice ? options->inside_missing : NULL;

	/* Nobody can come in though it was told how. */
	if (options->inside_waits && !inside->available)
		why = inside->detail;
	if (!why)
		return;
	trace_put_notice(session->writer, "info", why);
	if (session_mode(session)->from)
		session->callbacks->notice(session->callbacks->context, "info", why);
}

/* In this order: what a recorder does before there is a trace takes long, and is not recorded. */
static int set_up(struct session *session)
{
	const struct record_options *options = session->options;
	int err = session_open_recorders(session);

	if (err < 0)
		return err;
	session->begin_ns = session->now_ns = clock_ns(CLOCK_MONOTONIC);
	watchdog_step(STEP_OF_SET_UP);
	err = create_parts(session);
	if (!err)
		err = session_begin_recorders(session);
	if (err < 0)
		return err;
	watchdog_step(STEP_OF_SET_UP);
	describe_recording(session);
	for (unsigned int i = 0; i < options->pid_count; i++) {
		session_add_target(session, options->pids[i]);
		system_sampler_follow(session->system, options->pids[i]);
	}
	session_write_sources(session);
	note_missing_inside(session);
	session_write_clock(session);
	return 0;
}

int session_set_up(struct session *session)
{
	int err = set_up(session);

	if (err == -ENOMEM && !session->result->message[0])
		snprintf(session->result->message, sizeof(session->result->message),
			 "There is not enough memory to record.");
	return err;
}
