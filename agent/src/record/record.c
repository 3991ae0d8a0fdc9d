// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* One recording from begin to end. */
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "../watchdog.h"
#include "session.h"

/* Who empties the ring must get a CPU when the job wants them all; it needs little of it. */
#define NICE -10
/* A job can make any number of libraries and programs that are worth one. */
#define MOST_NOTICES 500u

void session_notice(struct session *session, const char *level, const char *format, ...)
{
	char text[1024];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	if (++session->notices > MOST_NOTICES)
		return;
	if (session->notices == MOST_NOTICES) {
		level = "warning";
		snprintf(
			text, sizeof(text),
			"There was more to say than %u notices: what came after them was left out.",
			MOST_NOTICES);
	}
	/* Into the file goes what its reader must know before trusting it. */
	if (level[0] == 'w')
		trace_put_notice(session->writer, level, text);
	session->callbacks->notice(session->callbacks->context, level, text);
}

uint64_t agent_cpu_ns(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * NS_PER_SECOND +
	       (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000ull;
}

static void describe(void *context, struct process *process)
{
	struct session *session = context;

	watchdog_step(STEP_OF_WORK);
	if (process->target)
		tasks_describe(session->tasks, process);
}

/* Stops the recorders and takes what is left in them. When the recording ended. */
static uint64_t stop_recorders(struct session *session)
{
	uint64_t end_ns;

	session_record(session, false);
	end_ns = clock_ns(CLOCK_MONOTONIC);
	connections_read_last(session, end_ns);
	pinned_nodes_read_last(session);
	session_finish_recorders(session, end_ns);
	if (session->gpu)
		gpu_sampler_read(session->gpu, session->writer, session->now_ns);
	system_sampler_read(session->system, session->writer, end_ns);
	return end_ns;
}

static void note_missed_files(struct session *session)
{
	uint64_t missed = symboliser_missed_files(session->symbols);
	char text[160];

	if (!missed)
		return;
	snprintf(text, sizeof(text),
		 "%llu mapped files could not be read: frames in them have an address and no name.",
		 (unsigned long long)missed);
	trace_put_notice(session->writer, "info", text);
}

static void fill_result(struct session *session, uint64_t end_ns)
{
	struct record_result *result = session->result;

	memcpy(result->losses, session->progress.losses, sizeof(result->losses));
	result->loss_count = session->progress.loss_count;
	result->events = session->progress.events;
	result->length_ns = end_ns - session->begin_ns;
	result->file_bytes = trace_bytes(session->writer);
	for (unsigned int i = 0; i < TRACE_TABLES; i++)
		result->rows[i] = trace_rows(session->writer, i);
}

/* Gives frames their names and ends the file. 0 too where it ended because it was full. */
static int finish(struct session *session)
{
	struct record_result *result = session->result;
	uint64_t end_ns, before_ns;
	char message[sizeof(result->message)] = "";
	struct stat file;
	int err;

	before_ns = watchdog_begin(2 * FINISH_WITHIN_NS);
	end_ns = stop_recorders(session);
	watchdog_end(before_ns);
	tasks_each_process(session->tasks, describe, session);
	stacks_finish(session->stacks);
	note_missed_files(session);
	session_write_clock(session);
	fill_result(session, end_ns);
	err = trace_finish(session->writer, end_ns, message, sizeof(message));
	session->writer = NULL;
	if (message[0] && !result->message[0])
		snprintf(result->message, sizeof(result->message), "%s", message);
	if (stat(session->options->out, &file) == 0)
		result->file_bytes = (uint64_t)file.st_size;
	if (err < 0)
		result->end = end_of_failure(err);
	result->agent_cpu_ns = agent_cpu_ns();
	/* Full is an end like any other: the file has all that came before. */
	return result->end == END_MAX_SIZE || result->end == END_DISK_FULL ? 0 : err;
}

static void free_parts(struct session *session)
{
	/* The file is complete: what is left to do is to take hundreds of probes off. */
	watchdog_step(STEP_ON_DISK);
	gpu_sampler_stop(session->gpu);
	system_sampler_free(session->system);
	connections_free(session);
	session_close_recorders(session);
	stacks_free(session->stacks);
	python_readers_free(session->python);
	symboliser_free(session->symbols);
	tasks_free(session->tasks);
}

int record_run(const struct record_options *options, const struct record_callbacks *callbacks,
	       struct record_result *result)
{
	struct session *session = calloc(1, sizeof(*session));
	uint64_t called_ns = clock_ns(CLOCK_MONOTONIC), before_ns;
	bool begun = false;
	int err;

	*result = (struct record_result){.end = END_FAILED};
	if (!session)
		return -ENOMEM;
	session->options = options;
	session->callbacks = callbacks;
	session->result = result;
	/* Without the privilege it records at the priority it has. */
	setpriority(PRIO_PROCESS, 0, NICE);
	if (options->duration_ns)
		watchdog_due(called_ns + options->duration_ns + MOST_SET_UP_NS);
	before_ns = watchdog_begin(STEP_OF_SET_UP);
	err = session_set_up(session);
	watchdog_end(before_ns);
	if (err == 0) {
		begun = true;
		if (options->duration_ns)
			watchdog_due(session->begin_ns + options->duration_ns);
		session_record(session, true);
		result->start_up_ns = clock_ns(CLOCK_MONOTONIC) - called_ns;
		session->start_up_cpu_ns = agent_cpu_ns();
		callbacks->released(callbacks->context, session->status, session_mode(session));
		err = session_loop(session);
	}
	watchdog_due_now();
	if (session->writer) {
		int finished = begun ? finish(session) :
				       trace_finish(session->writer, called_ns, NULL, 0);

		err = err < 0 ? err : finished;
	}
	free_parts(session);
	free(session);
	return err;
}
