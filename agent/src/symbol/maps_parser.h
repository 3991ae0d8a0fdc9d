/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* /proc/PID/maps, whose names the traced processes choose. */
#ifndef STALLTRACE_MAPS_PARSER_H
#define STALLTRACE_MAPS_PARSER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct maps_line {
	uint64_t start, end, offset;
	uint64_t device; /* as st_dev */
	uint64_t inode;  /* 0 = no file */
	bool readable, writable, executable, shared;
	bool deleted;    /* the file has no name any more */
	char path[4096]; /* without " (deleted)"; empty = anonymous */
};

/* One line, with or without its newline. 0 or -EINVAL; a path too long for out is -ENAMETOOLONG. */
int maps_parse_line(const char *line, size_t length, struct maps_line *out);

/*
 * Visits every mapping of the process until visit returns other than 0, which is then returned.
 * Else how many lines made no sense, or -errno where the process can't be read.
 */
int maps_read(pid_t pid, int (*visit)(void *context, const struct maps_line *line), void *context);

#endif /* STALLTRACE_MAPS_PARSER_H */
