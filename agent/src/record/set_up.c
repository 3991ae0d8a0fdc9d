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
#define STACK_THRESHOLD_NS 50000ull
/* Of a thread in 100 ms: 5,000 launches a second are kept one by one. */
#define LAUNCHES_PER_BUCKET 500

/* Loads and attaches what the kernel lets us; -errno where nothing of it can be had. */
static int start_programs(struct session *session)
{
	const struct record_options *options = session->options;
	struct programs_options wanted = {
		.all_tasks = options->target == TARGET_ALL,
		.python = true,
		.samples_per_second = options->samples_per_second,
		.stack_threshold_ns = STACK_THRESHOLD_NS,
		.launches_per_bucket = LAUNCHES_PER_BUCKET,
		.pretend_missing = options->pretend_missing,
	};
	char *detail = session->result->message;
	int err;

	for (unsigned int i = 0; i < SOURCE_COUNT; i++)
		wanted.wanted[i] = i < SOURCE_PAGE_FAULTS || options->profile[i];
	wanted.wanted[SOURCE_SAMPLES] = options->samples_per_second > 0;
	if (options->no_bpf) {
		snprintf(detail, sizeof(session->result->message), "Asked for with --no-bpf.");
		return -ENOTSUP;
	}
	err = programs_load(&wanted, &session->programs, session->status, detail,
			    sizeof(session->result->message));
	if (err < 0)
		return err;
	err = programs_attach(session->programs, session->status);
	if (err < 0)
		return err;
	for (unsigned int i = 0; i < cuda_function_count; i++)
		programs_set_function(session->programs, i, &cuda_functions[i].spec);
	session->uprobes = uprobes_new(session->programs, options->pretend_missing);
	return session->uprobes ? 0 : -ENOMEM;
}

/* What was wanted and can't be had without BPF, each with the reason. */
static void mark_all_missing(struct session *session, const char *why)
{
	for (unsigned int i = 0; i < SOURCE_COUNT; i++) {
		struct source_status *status = &session->status[i];

		status->wanted = i < SOURCE_PAGE_FAULTS || session->options->profile[i];
		status->available = false;
		snprintf(status->detail, sizeof(status->detail), "%.255s", why);
	}
}

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
	pid_t first = options->pid_count ? options->pids[0] : 0;
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
	session->ranges = host_ranges_new();
	session->descriptors = descriptors_new(session->writer);
	session->system = system_sampler_new(first);
	if (!session->tasks || !session->stacks || !session->ranges || !session->descriptors ||
	    !session->system) {
		snprintf(session->result->message, sizeof(session->result->message),
			 "There is not enough memory to record.");
		return -ENOMEM;
	}
	return 0;
}

static void add_target(void *context, pid_t pid)
{
	struct session *session = context;

	watchdog_step(STEP_OF_SET_UP);
	if (session->poller) {
		poller_add_target(session->poller, pid);
		return;
	}
	programs_add_target(session->programs, pid);
	session_probe_process(session, pid, 0);
}

static void add_targets(struct session *session)
{
	for (unsigned int i = 0; i < session->options->pid_count; i++) {
		if (session->poller)
			add_target(session, session->options->pids[i]);
		else
			proc_each_of_tree(session->options->pids[i], add_target, session);
	}
}

static void describe_recording(struct session *session)
{
	const struct record_options *options = session->options;
	char detail[256];

	if (options->options_json)
		trace_put_meta(session->writer, "options", options->options_json);
	host_describe(session->writer);
	if (options->pid_count)
		host_describe_packages(session->writer, options->pids[0]);
	if (gpu_sampler_start(options->nvidia_smi, GPU_PERIOD_MS, &session->gpu, detail,
			      sizeof(detail)) < 0)
		trace_put_capability(session->writer, "gpu_samples", false, detail);
	else
		trace_put_capability(session->writer, "gpu_samples", true, "nvidia-smi");
}

/* With BPF, or with /proc alone where that is refused. */
static void choose_way(struct session *session)
{
	char why[sizeof(session->result->message)];
	int err = start_programs(session);

	if (err == 0)
		return;
	snprintf(why, sizeof(why), "%s", session->result->message);
	session->result->message[0] = '\0';
	uprobes_free(session->uprobes);
	programs_free(session->programs);
	session->uprobes = NULL;
	session->programs = NULL;
	mark_all_missing(session, why);
}

int session_set_up(struct session *session)
{
	int err;

	choose_way(session);
	session->begin_ns = session->now_ns = session->quiet_ns = clock_ns(CLOCK_MONOTONIC);
	watchdog_step(STEP_OF_SET_UP);
	err = create_parts(session);
	if (err < 0)
		return err;
	if (session->programs) {
		err = mapping_watch_open(&session->watch);
		if (err < 0)
			session_notice(
				session, "warning",
				"Libraries that are loaded later may be probed late: mappings can't be watched (%s).",
				strerror(-err));
		session_probe_known(session);
	} else {
		session->poller = poller_new(session->writer, session->tasks, session->stacks,
					     POLL_PERIOD_NS);
		if (!session->poller)
			return -ENOMEM;
		session_notice(session, "warning",
			       "Recorded by sampling /proc every 10 ms, without BPF: %s",
			       session->status[SOURCE_SWITCHES].detail);
	}
	watchdog_step(STEP_OF_SET_UP);
	describe_recording(session);
	add_targets(session);
	session_write_sources(session);
	session_write_clock(session);
	return 0;
}
