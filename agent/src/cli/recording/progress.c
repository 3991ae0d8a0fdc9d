// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "progress.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "../../clock.h"

/* Where stderr is a file, a line now and then is enough. */
#define LINE_EVERY_NS (10 * NS_PER_SECOND)
#define LAST_LINES_WITHIN_MS 5000

void outlet_init(struct outlet *outlet, struct run_directory *run)
{
	memset(outlet, 0, sizeof(*outlet));
	line_queue_init(&outlet->lines, -1);
	outlet->report_fd = -1;
	outlet->run = run;
	outlet->terminal = isatty(STDERR_FILENO);
}

void outlet_send_line(struct outlet *outlet, const char *event, const char *line, size_t length)
{
	if (length >= EVENT_MAX_BYTES)
		return;
	outlet->error_sent |= !strcmp(event, "error");
	run_directory_event(outlet->run, event, line, length);
	if (outlet->report_fd >= 0 && (!strcmp(event, "started") || !strcmp(event, "error"))) {
		if (!write_all(outlet->report_fd, line, length))
			write_all(outlet->report_fd, "\n", 1);
		close(outlet->report_fd);
		outlet->report_fd = -1;
	}
	line_queue_add(&outlet->lines, line, length, strcmp(event, "progress") != 0);
}

void outlet_flush(struct outlet *outlet)
{
	line_queue_flush(&outlet->lines, 0);
}

/* Sends outlet->json, written by event_*. */
static void outlet_send(struct outlet *outlet, const char *event)
{
	if (!outlet->json.failed && outlet->json.text)
		outlet_send_line(outlet, event, outlet->json.text, outlet->json.length);
}

void outlet_free(struct outlet *outlet)
{
	if (outlet->report_fd >= 0)
		close(outlet->report_fd);
	outlet->report_fd = -1;
	line_queue_flush(&outlet->lines, LAST_LINES_WITHIN_MS);
	line_queue_free(&outlet->lines);
	json_free(&outlet->json);
}

static void end_line(struct outlet *outlet)
{
	if (outlet->line_open && stderr_takes_text())
		write_all(STDERR_FILENO, "\r\033[K", 4);
	outlet->line_open = false;
}

#define SAY(outlet, ...)                  \
	do {                              \
		if ((outlet)->human) {    \
			end_line(outlet); \
			say(__VA_ARGS__); \
		}                         \
	} while (0)

void outlet_started(struct outlet *outlet, const struct started_event *started)
{
	const char *from = started->mode->from;

	event_started(&outlet->json, started);
	outlet_send(outlet, "started");
	SAY(outlet, "stalltrace-agent: recording to %s%s%s.", started->file, from ? ", from " : "",
	    from ? from : "");
	/* Where it records from something else, a notice has said why. */
	for (int i = 0; i < SOURCE_COUNT && !from; i++)
		if (started->sources[i].wanted && !started->sources[i].available)
			SAY(outlet, "stalltrace-agent: without %s: %s",
			    event_sources[i]->probe.name, started->sources[i].detail);
}

static uint64_t total_rows(const uint64_t rows[TRACE_TABLES])
{
	uint64_t sum = 0;

	for (int i = 0; i < TRACE_TABLES; i++)
		sum += rows[i];
	return sum;
}

static uint64_t total_lost(const struct loss *losses, unsigned int count)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < count; i++)
		sum += losses[i].count;
	return sum;
}

static const char *percent_text(double percent, char out[16])
{
	if (percent < 0)
		return "–";
	snprintf(out, 16, "%.0f %%", percent);
	return out;
}

static void show_progress(struct outlet *outlet, const struct record_progress *progress)
{
	uint64_t seconds = progress->elapsed_ns / NS_PER_SECOND;
	char line[512], cpu[16], gpu[16];
	int length;

	length = snprintf(
		line, sizeof(line),
		"%02" PRIu64 ":%02" PRIu64 ":%02" PRIu64 "  %" PRIu64 " rows · %.1f MiB · %" PRIu64
		" lost · CPU %s · GPU %s · agent %.1f %% · %u processes, %u threads",
		seconds / 3600, seconds / 60 % 60, seconds % 60, total_rows(progress->rows),
		(double)progress->file_bytes / (1 << 20),
		total_lost(progress->losses, progress->loss_count),
		percent_text(progress->cpu_percent, cpu), percent_text(progress->gpu_percent, gpu),
		progress->agent_cpu_percent, progress->processes, progress->threads);
	if (length < 0 || length >= (int)sizeof(line))
		return;
	if (outlet->terminal) {
		outlet->line_open = stderr_takes_text();
		if (outlet->line_open) {
			write_all(STDERR_FILENO, "\r", 1);
			write_all(STDERR_FILENO, line, length);
			write_all(STDERR_FILENO, "\033[K", 3);
		}
	} else if (progress->elapsed_ns - outlet->last_line_ns >= LINE_EVERY_NS) {
		outlet->last_line_ns = progress->elapsed_ns;
		say("%s", line);
	}
}

void outlet_progress(struct outlet *outlet, const struct record_progress *progress)
{
	event_progress(&outlet->json, progress);
	outlet_send(outlet, "progress");
	if (outlet->human)
		show_progress(outlet, progress);
}

void outlet_notice(struct outlet *outlet, const char *level, const char *text)
{
	event_notice(&outlet->json, level, text);
	outlet_send(outlet, "notice");
	SAY(outlet, "stalltrace-agent: %s", text);
}

void outlet_target_exited(struct outlet *outlet, pid_t pid, int status)
{
	event_target_exited(&outlet->json, pid, status);
	outlet_send(outlet, "target-exited");
	if (WIFSIGNALED(status))
		SAY(outlet, "stalltrace-agent: COMMAND (process %d) was ended by signal %d.", pid,
		    WTERMSIG(status));
	else if (WEXITSTATUS(status))
		SAY(outlet, "stalltrace-agent: COMMAND (process %d) ended with exit code %d.", pid,
		    WEXITSTATUS(status));
}

void outlet_finished(struct outlet *outlet, const struct finished_event *finished)
{
	const struct record_result *result = finished->result;
	uint64_t lost = total_lost(result->losses, result->loss_count);

	event_finished(&outlet->json, finished);
	outlet_send(outlet, "finished");
	if (result->message[0])
		SAY(outlet, "stalltrace-agent: %s", result->message);
	SAY(outlet,
	    "stalltrace-agent: %.1f s in %s: %" PRIu64 " rows, %.1f MiB, %" PRIu64
	    " lost; the agent used %.2f s of CPU time.",
	    (double)result->length_ns / 1e9, finished->file, total_rows(result->rows),
	    (double)result->file_bytes / (1 << 20), lost, (double)result->agent_cpu_ns / 1e9);
}

void outlet_error(struct outlet *outlet, const char *code, const char *message, const char *next)
{
	event_error(&outlet->json, code, message, next);
	outlet_send(outlet, "error");
	end_line(outlet);
	say("stalltrace-agent: %s%s%s", message, next && *next ? " " : "", next ? next : "");
}
