/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The lines of a run, read from its folder while it is written, each once, whole and in their order. */
#ifndef STALLTRACE_WATCH_LINES_H
#define STALLTRACE_WATCH_LINES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct watched_lines {
	int folder, events; /* stay open: what is in them can be read after they are gone */
	uint64_t offset;    /* of events.ndjson, up to which its lines were given */
	uint64_t line;      /* the newest one's number that was looked at */
	bool finished;      /* the last line of a capture was given */
	void (*give)(void *context, const char *line, size_t length); /* with its newline */
	void *context;
};

/* folder: of the run, taken over. It may have no lines yet. give and context are to be set before. */
void watched_lines_open(struct watched_lines *lines, int folder);
/* Gives what is new. */
void watched_lines_look(struct watched_lines *lines);
void watched_lines_close(struct watched_lines *lines);

#endif /* STALLTRACE_WATCH_LINES_H */
