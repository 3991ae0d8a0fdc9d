/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The lines of `record --json`: docs/agent.md describes each. A change raises AGENT_PROTOCOL. */
#ifndef STALLTRACE_EVENTS_H
#define STALLTRACE_EVENTS_H

#include <stdbool.h>
#include <sys/types.h>
#include "../../record/record.h"
#include "../text/json.h"

#define EVENT_MAX_BYTES 65536

/*
 * One sentence on stderr; control characters, a hostile name's escapes say, become spaces. A terminal
 * that stands still (Ctrl-S) loses it instead of holding up the recorder.
 */
bool stderr_takes_text(void);
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
void say_to(int fd, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Each leaves one whole line's object in json, whatever was in it. */
struct started_event {
	pid_t pid; /* of the COMMAND, or the first --pid; 0 = --all */
	const char *file;
	uint64_t begin_unix_ns;
	const struct source_status *sources; /* SOURCE_COUNT */
	const struct capture_mode *mode;
	const char *inside_line; /* what brings a running process in; NULL = nothing */
	const char *run_id;      /* NULL = has no run directory */
};
void event_started(struct json *json, const struct started_event *started);
void event_progress(struct json *json, const struct record_progress *progress);
void event_notice(struct json *json, const char *level, const char *text);
/* status: as waitpid's. */
void event_target_exited(struct json *json, pid_t pid, int status);
struct finished_event {
	const char *file;
	const struct record_result *result;
	bool job_running;
	int exit_code; /* of the COMMAND; < 0 = none, or still running */
};
void event_finished(struct json *json, const struct finished_event *finished);
void event_error(struct json *json, const char *code, const char *message, const char *next);
void event_detached(struct json *json, const char *run_id, const char *run_directory, pid_t pid,
		    const char *file);
/* Of `watch`. heartbeat_age_ns < 0: none. */
void event_alive(struct json *json, const char *run_id, const char *state, bool process_alive,
		 int64_t heartbeat_age_ns);
/* Whether a line written by one of these is that event. */
bool event_line_is(const char *line, const char *event);

/* An exit code as a shell's: 128 + signal. */
int exit_code_of(int status);

#endif /* STALLTRACE_EVENTS_H */
