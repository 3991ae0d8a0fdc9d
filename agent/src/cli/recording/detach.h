/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
#ifndef STALLTRACE_DETACH_H
#define STALLTRACE_DETACH_H

#include <stdbool.h>
#include "../runs/run_directory.h"

struct detached_run {
	const struct run_directory *run;
	const char *run_base; /* --run-dir, or NULL */
	const char *file;
	bool json;
	int json_fd;
};

/*
 * Goes to the background: a session of its own, no terminal, stdin and stdout empty, stderr the run's
 * log, no other descriptor. In the background process 0, and *report_fd is for its first `started` or
 * `error` line; in the caller, once that came and was passed on, 1 with its exit code. -errno where
 * nothing was forked.
 */
int detach(const struct detached_run *detached, int *report_fd, int *exit_code);

#endif /* STALLTRACE_DETACH_H */
