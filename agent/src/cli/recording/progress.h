/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Where a recording's events go: NDJSON, the run's folder, whoever waits for the start, the terminal. */
#ifndef STALLTRACE_PROGRESS_H
#define STALLTRACE_PROGRESS_H

#include <stdbool.h>
#include "events.h"
#include "../watch/line_queue.h"
#include "../runs/run_directory.h"

struct outlet {
	struct line_queue lines; /* standard output, or --json-fd */
	int report_fd;           /* -1 = none; gets the first `started` or `error` and is closed */
	struct run_directory *run;
	bool human;    /* sentences on stderr */
	bool terminal; /* stderr is one: the progress line is rewritten in place */
	bool line_open;
	bool error_sent;
	uint64_t last_line_ns;
	struct json json; /* of the event being written */
};

void outlet_init(struct outlet *outlet, struct run_directory *run);
/* What a slow reader left is sent as far as it takes it; often. */
void outlet_flush(struct outlet *outlet);
/* Sends a line that is there already, as from the privileged half. */
void outlet_send_line(struct outlet *outlet, const char *event, const char *line, size_t length);
void outlet_free(struct outlet *outlet);

/* The event and, for people, its sentence. */
void outlet_started(struct outlet *outlet, const struct started_event *started);
void outlet_progress(struct outlet *outlet, const struct record_progress *progress);
void outlet_notice(struct outlet *outlet, const char *level, const char *text);
void outlet_target_exited(struct outlet *outlet, pid_t pid, int status);
void outlet_finished(struct outlet *outlet, const struct finished_event *finished);
void outlet_error(struct outlet *outlet, const char *code, const char *message, const char *next);

#endif /* STALLTRACE_PROGRESS_H */
