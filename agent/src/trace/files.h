/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The trace's files on disk. The writer may be root in a directory where others write, and SQLite
 * opens its files by name at any time: all opening goes through the directory as it was at the
 * begin, follows no link, and takes no file with a second name. One writer at a time in a process.
 */
#ifndef STALLTRACE_TRACE_FILES_H
#define STALLTRACE_TRACE_FILES_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Kept free for the end: the checkpoint writes what is in the write-ahead log a second time. */
#define RESERVE_BYTES (24u << 20)

/*
 * A recording ends before its disk is full: others need it too. What stays free is 5 % of the disk, at
 * most 2 GB; at least half the reserve, which is what the log may grow the file by at once, or, without
 * a reserve, as much as it would be; and never more than half of what was free at the begin, so that a
 * nearly full disk still gives a recording. The reserve comes on top.
 */
#define FLOOR_PERCENT 5
#define FLOOR_MAX_BYTES (2000ull * 1000 * 1000)

struct trace_files {
	char path[PATH_MAX];      /* canonical */
	char directory[PATH_MAX]; /* of it */
	const char *name;         /* in path */
	int directory_fd;
	/* Open until SQLite has closed: closing any descriptor of a file drops all its locks. */
	int file_fd;
	int reserve_fd; /* a file without a name, gone with the process; -1 = none */
	uint64_t reserve_bytes;
	uint64_t floor_bytes;
};

/* Creates the empty file. -errno with a sentence in message; then nothing is left behind. */
int files_create(struct trace_files *files, const char *path, uid_t owner, gid_t group,
		 char *message, size_t message_size);
/* Opens a file that is there, to write: a regular one of one name, no link. 0 or -errno. */
int files_open(struct trace_files *files, const char *path);
/* Takes room for the end, less on a small disk, none on a tiny one; and finds out the floor. */
void files_reserve(struct trace_files *files);
void files_free_reserve(struct trace_files *files);
/* Whether less is free than has to stay so. */
int files_reached_floor(const struct trace_files *files);
/* Of the file and its write-ahead log. */
uint64_t files_bytes(const struct trace_files *files);
/* 0 or -errno. */
int files_sync(const struct trace_files *files);
/* Whether the file still has a write-ahead log. */
int files_have_log(const struct trace_files *files);
void files_remove(struct trace_files *files);
void files_close(struct trace_files *files);

#endif /* STALLTRACE_TRACE_FILES_H */
