// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "events.h"

#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "../../clock.h"
#include "../../../generated/schema.h"

static const char *const end_names[] = {
	[END_TARGET_EXITED] = "target-exited",
	[END_DURATION] = "duration",
	[END_STOPPED] = "stopped",
	[END_MAX_SIZE] = "max-size",
	[END_DISK_FULL] = "disk-full",
	[END_MEMORY_FULL] = "memory-full",
	[END_FAILED] = "failed",
};

static const struct {
	const char *name;
	unsigned int columns;
} tables[] = {TRACE_TABLE_LIST};
_Static_assert(sizeof(tables) / sizeof(tables[0]) == TRACE_TABLES, "schema");

static const char *end_name(enum record_end end)
{
	return end <= END_FAILED ? end_names[end] : "failed";
}

int exit_code_of(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static bool takes_text(int fd)
{
	struct pollfd ready = {.fd = fd, .events = POLLOUT};

	return poll(&ready, 1, 100) == 1;
}

bool stderr_takes_text(void)
{
	return takes_text(STDERR_FILENO);
}

static void say_list(int fd, const char *format, va_list list)
{
	char line[2 * PATH_MAX];
	size_t length;

	vsnprintf(line, sizeof(line) - 1, format, list);
	length = strlen(line);
	for (size_t i = 0; i < length; i++)
		if ((unsigned char)line[i] < 0x20 || line[i] == 0x7f)
			line[i] = ' ';
	line[length++] = '\n';
	if (takes_text(fd))
		write_all(fd, line, length);
}

void say(const char *format, ...)
{
	va_list list;

	va_start(list, format);
	say_list(STDERR_FILENO, format, list);
	va_end(list);
}

void say_to(int fd, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	say_list(fd, format, list);
	va_end(list);
}

static void begin_event(struct json *json, const char *name)
{
	json_reset(json);
	json_open_object(json, NULL);
	json_integer(json, "v", 1);
	json_text(json, "event", name);
	json_unsigned(json, "time_unix_ns", clock_ns(CLOCK_REALTIME));
}

void event_started(struct json *json, const struct started_event *started)
{
	begin_event(json, "started");
	if (started->pid)
		json_integer(json, "pid", started->pid);
	else
		json_null(json, "pid");
	json_integer(json, "agent_pid", getpid());
	json_text(json, "run_id", started->run_id);
	json_text(json, "file", started->file);
	json_unsigned(json, "begin_unix_ns", started->begin_unix_ns);
	json_text(json, "mode", started->mode->id);
	json_text(json, "inside_line", started->inside_line);
	json_open_array(json, "sources");
	for (int i = 0; i < SOURCE_COUNT; i++) {
		json_open_object(json, NULL);
		json_text(json, "name", event_sources[i]->probe.name);
		json_boolean(json, "wanted", started->sources[i].wanted);
		json_boolean(json, "available", started->sources[i].available);
		json_text(json, "detail", started->sources[i].detail);
		json_close_object(json);
	}
	json_close_array(json);
	json_close_object(json);
}

static void put_rows(struct json *json, const uint64_t rows[TRACE_TABLES])
{
	json_open_object(json, "rows");
	for (int i = 0; i < TRACE_TABLES; i++)
		if (rows[i])
			json_unsigned(json, tables[i].name, rows[i]);
	json_close_object(json);
}

static void put_drops(struct json *json, const struct loss *losses, unsigned int count)
{
	json_open_object(json, "drops");
	for (unsigned int i = 0; i < count; i++)
		if (losses[i].count)
			json_unsigned(json, losses[i].name, losses[i].count);
	json_close_object(json);
}

static void put_percent(struct json *json, const char *key, double percent)
{
	if (percent < 0)
		json_null(json, key);
	else
		json_number(json, key, percent);
}

static void put_slow_call(struct json *json, const struct slow_call *call)
{
	json_open_object(json, NULL);
	json_text(json, "name", call->name);
	json_integer(json, "pid", call->pid);
	json_unsigned(json, "duration_ns", call->duration_ns);
	if (call->bytes >= 0)
		json_integer(json, "bytes", call->bytes);
	else
		json_null(json, "bytes");
	json_integer(json, "direction", call->direction);
	json_close_object(json);
}

void event_progress(struct json *json, const struct record_progress *progress)
{
	unsigned int slowest = progress->slowest_count < 5 ? progress->slowest_count : 5;

	begin_event(json, "progress");
	json_unsigned(json, "elapsed_ns", progress->elapsed_ns);
	json_unsigned(json, "events", progress->events);
	json_unsigned(json, "bytes", progress->file_bytes);
	put_rows(json, progress->rows);
	put_drops(json, progress->losses, progress->loss_count);
	put_percent(json, "cpu_percent", progress->cpu_percent);
	put_percent(json, "gpu_percent", progress->gpu_percent);
	put_percent(json, "agent_cpu_percent", progress->agent_cpu_percent);
	json_unsigned(json, "processes", progress->processes);
	json_unsigned(json, "inside", progress->inside_processes);
	json_unsigned(json, "threads", progress->threads);
	json_open_array(json, "slowest");
	for (unsigned int i = 0; i < slowest; i++)
		put_slow_call(json, &progress->slowest[i]);
	json_close_array(json);
	json_close_object(json);
}

void event_notice(struct json *json, const char *level, const char *text)
{
	char cut[4096];

	snprintf(cut, sizeof(cut), "%s", text);
	begin_event(json, "notice");
	json_text(json, "level", level);
	json_text(json, "text", cut);
	json_close_object(json);
}

void event_target_exited(struct json *json, pid_t pid, int status)
{
	begin_event(json, "target-exited");
	json_integer(json, "pid", pid);
	json_integer(json, "exit_code", exit_code_of(status));
	if (WIFSIGNALED(status))
		json_integer(json, "signal", WTERMSIG(status));
	else
		json_null(json, "signal");
	json_close_object(json);
}

void event_finished(struct json *json, const struct finished_event *finished)
{
	const struct record_result *result = finished->result;

	begin_event(json, "finished");
	json_text(json, "end", end_name(result->end));
	json_text(json, "message", result->message);
	json_text(json, "file", finished->file);
	json_unsigned(json, "bytes", result->file_bytes);
	json_unsigned(json, "length_ns", result->length_ns);
	json_unsigned(json, "events", result->events);
	put_rows(json, result->rows);
	put_drops(json, result->losses, result->loss_count);
	json_open_object(json, "costs");
	json_unsigned(json, "start_up_ns", result->start_up_ns);
	json_unsigned(json, "agent_cpu_ns", result->agent_cpu_ns);
	json_unsigned(json, "bpf_run_ns", result->bpf_run_ns);
	json_unsigned(json, "bpf_runs", result->bpf_runs);
	json_close_object(json);
	json_boolean(json, "job_running", finished->job_running);
	if (finished->exit_code < 0)
		json_null(json, "exit_code");
	else
		json_integer(json, "exit_code", finished->exit_code);
	json_close_object(json);
}

void event_error(struct json *json, const char *code, const char *message, const char *next)
{
	begin_event(json, "error");
	json_text(json, "code", code);
	json_text(json, "message", message);
	json_text(json, "next", next);
	json_close_object(json);
}

void event_detached(struct json *json, const char *run_id, const char *run_directory, pid_t pid,
		    const char *file)
{
	begin_event(json, "detached");
	json_text(json, "run_id", run_id);
	json_text(json, "run_directory", run_directory);
	json_integer(json, "pid", pid);
	json_text(json, "file", file);
	json_close_object(json);
}

void event_alive(struct json *json, const char *run_id, const char *state, bool process_alive,
		 int64_t heartbeat_age_ns)
{
	begin_event(json, "alive");
	json_text(json, "run_id", run_id);
	json_text(json, "state", state);
	json_boolean(json, "process_alive", process_alive);
	if (heartbeat_age_ns < 0)
		json_null(json, "heartbeat_age_ns");
	else
		json_integer(json, "heartbeat_age_ns", heartbeat_age_ns);
	json_close_object(json);
}

bool event_line_is(const char *line, const char *event)
{
	static const char begin[] = "{\"v\":1,\"event\":\"";
	size_t length = strlen(event);

	return !strncmp(line, begin, sizeof(begin) - 1) &&
	       !strncmp(line + sizeof(begin) - 1, event, length) &&
	       line[sizeof(begin) - 1 + length] == '"';
}
