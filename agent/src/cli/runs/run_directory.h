/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Where a run says how it is: a folder of random name in a folder only its owner can enter.
 *   run.json        who it is: pid, its start, boot, file; written once
 *   heartbeat.json  the newest line and which it is, replaced with each line
 *   finished.json   the last line, once the capture has ended
 *   events.ndjson   all lines but most of the progress
 *   log             the agent's standard error, where it is detached
 */
#ifndef STALLTRACE_RUN_DIRECTORY_H
#define STALLTRACE_RUN_DIRECTORY_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

#define RUN_ID_LENGTH 16

struct run_directory {
	int fd; /* -1 = there is none */
	int base_fd;
	int events_fd;
	char id[RUN_ID_LENGTH + 1];
	char path[PATH_MAX];
	uint64_t events_bytes;
	uint64_t lines;            /* so far */
	uint64_t kept_progress_ns; /* CLOCK_BOOTTIME of the last one in events.ndjson */
};

void run_directory_none(struct run_directory *out);

/*
 * The folder that holds the runs, opened: one of ours, 0700, no link. base NULL = the usual place;
 * make: made where there is none. Its descriptor, or -errno and one sentence.
 */
int run_base_open(const char *base, int make, char path[PATH_MAX], char *message, size_t size);

int run_directory_create(const char *base, struct run_directory *out, char *message, size_t size);
/* run.json; after the last fork, since it names this process. */
int run_directory_describe(struct run_directory *run, const char *file, const char *options_json);
/* One event's line, without its newline. Failures are those of a full disk: nothing is to be done. */
void run_directory_event(struct run_directory *run, const char *event, const char *line,
			 size_t length);
int run_directory_open_log(const struct run_directory *run);
/* Takes the folder away again: nobody needs to ask for a run that was watched. */
void run_directory_remove(struct run_directory *run);
void run_directory_close(struct run_directory *run);

/* Removes our files from the run's folder, then it; anything else in it stays, and so does it. */
int run_folder_remove(int base_fd, const char *id);

int read_boot_id(char out[40]);
/* Start of the process in clock ticks since boot: with the pid and the boot, its identity. */
int process_start_ticks(int pid, uint64_t *out);

#endif /* STALLTRACE_RUN_DIRECTORY_H */
