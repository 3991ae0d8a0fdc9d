// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "watch_lines.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "../recording/events.h"
#include "../text/json_read.h"
#include "../runs/runs.h"

/* Two of the longest lines. */
#define CHUNK_BYTES (2 * EVENT_MAX_BYTES)

static void open_events(struct watched_lines *lines)
{
	struct stat stat;

	lines->events = openat(lines->folder, "events.ndjson",
			       O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (lines->events >= 0 && (fstat(lines->events, &stat) || !S_ISREG(stat.st_mode))) {
		close(lines->events);
		lines->events = -1;
	}
}

void watched_lines_open(struct watched_lines *lines, int folder)
{
	lines->folder = folder;
	lines->events = -1;
	lines->offset = lines->line = 0;
	lines->finished = false;
	open_events(lines);
}

/* A line with its newline, which is replaced for a moment. What is no object was not ours. */
static void give(struct watched_lines *lines, char *line, size_t length)
{
	bool object;

	line[length - 1] = '\0';
	object = length <= EVENT_MAX_BYTES && strlen(line) == length - 1 && json_is_object(line);
	lines->finished |= object && event_line_is(line, "finished");
	line[length - 1] = '\n';
	if (object)
		lines->give(lines->context, line, length);
}

/* The whole lines of a part of the file; how many bytes they have. */
static size_t give_chunk(struct watched_lines *lines, char *chunk, size_t length)
{
	size_t done = 0;
	char *end;

	while ((end = memchr(chunk + done, '\n', length - done))) {
		size_t line = (size_t)(end - chunk) + 1 - done;

		give(lines, chunk + done, line);
		done += line;
	}
	/* Longer than any of ours: passed over up to its end. */
	return !done && length == CHUNK_BYTES ? length : done;
}

/* Lines of events.ndjson, those alone that begin before `until`. */
static void give_events(struct watched_lines *lines, uint64_t until)
{
	char *chunk;

	if (lines->events < 0)
		open_events(lines);
	if (lines->events < 0 || lines->offset >= until)
		return;
	chunk = malloc(CHUNK_BYTES);
	while (chunk && lines->offset < until) {
		uint64_t rest = until - lines->offset;
		ssize_t got = pread(lines->events, chunk, rest < CHUNK_BYTES ? rest : CHUNK_BYTES,
				    (off_t)lines->offset);
		size_t done = got > 0 ? give_chunk(lines, chunk, (size_t)got) : 0;

		if (!done)
			break;
		lines->offset += done;
	}
	free(chunk);
}

static void give_last(struct watched_lines *lines, const char *beat)
{
	size_t length;
	const char *last = json_find_object(beat, "last", &length);
	char *line = last ? malloc(length + 2) : NULL;

	if (!line)
		return;
	memcpy(line, last, length);
	memcpy(line + length, "\n", 2);
	give(lines, line, length + 1);
	free(line);
}

/* The newest line, where events.ndjson has it not, in its place among the others. */
static void give_beat(struct watched_lines *lines)
{
	char *beat = run_folder_read(lines->folder, "heartbeat.json");
	uint64_t line, events_bytes;

	if (beat && !json_find_unsigned(beat, "line", &line) && line > lines->line &&
	    !json_find_unsigned(beat, "events_bytes", &events_bytes)) {
		lines->line = line;
		give_events(lines, events_bytes);
		/* Beyond it: a later line was given already, and a progress may be missing. */
		if (lines->offset <= events_bytes && !json_find_true(beat, "in_events"))
			give_last(lines, beat);
	}
	free(beat);
}

void watched_lines_look(struct watched_lines *lines)
{
	give_beat(lines);
	give_events(lines, UINT64_MAX);
}

void watched_lines_close(struct watched_lines *lines)
{
	if (lines->events >= 0)
		close(lines->events);
	if (lines->folder >= 0)
		close(lines->folder);
	lines->events = lines->folder = -1;
}
