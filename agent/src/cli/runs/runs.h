/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The runs of this user that left a folder, and what became of them. */
#ifndef STALLTRACE_RUNS_H
#define STALLTRACE_RUNS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "../text/json.h"
#include "run_directory.h"

enum run_state {
	RUN_RUNNING,
	RUN_FINISHED,   /* the capture; its process may still wait for COMMAND */
	RUN_DIED,       /* its process is gone and left no last line */
	RUN_REBOOTED,   /* the machine was started anew since */
	RUN_UNREADABLE, /* has no whole run.json (yet) */
};

struct run {
	char id[RUN_ID_LENGTH + 1];
	char path[PATH_MAX];
	enum run_state state;
	pid_t pid;
	uint64_t start_ticks;
	bool process_alive;
	int64_t age_s; /* since its folder changed; a young unreadable one may be starting */
	int64_t heartbeat_age_ns; /* < 0 = none of this boot */
	char file[PATH_MAX];
	/* Checked texts, "null" where there is none; allocated. */
	char *about, *last, *finished;
};

struct runs {
	struct run *run;
	size_t count;
	size_t left_out; /* of those that changed longest ago; one that runs changes all the time */
	int base_fd;     /* -1 = there is no folder, so there are no runs */
	char base[PATH_MAX];
};

/*
 * The run of that id; id NULL: all, up to 1,000, what changed last first. 0, or -errno and one
 * sentence. No folder is no failure.
 */
int runs_read(const char *base, const char *id, struct runs *out, char *message, size_t size);
/* Newly read: after a signal, say. */
int runs_read_again(const struct runs *runs, struct run *run);
/* A JSON object of the run's folder, or "null". Allocated; NULL without memory. */
char *run_folder_read(int folder, const char *name);
/* Whether its folder may go: never that of a process which lives or may. */
bool run_is_over(const struct run *run);
/* Removes the folders of runs that were over a week ago: nobody asked, nobody will. */
void runs_forget_old(const char *base);
void runs_free(struct runs *runs);

/* The run of that id; id NULL: the only one that runs. NULL with a sentence in message. */
struct run *runs_find(struct runs *runs, const char *id, char *message, size_t size);

const char *run_state_name(enum run_state state);
void run_put(struct json *json, const struct run *run);

#endif /* STALLTRACE_RUNS_H */
