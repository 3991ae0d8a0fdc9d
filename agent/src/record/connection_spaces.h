/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The network namespaces that a job's processes are in. Mostly there is one, and it is ours. */
#ifndef STALLTRACE_CONNECTION_SPACES_H
#define STALLTRACE_CONNECTION_SPACES_H

#include "../host/tcp/tcp_diag.h"

#define MOST_SPACES 8

struct connection_space {
	char name[32]; /* "net:[4026531840]"; "" = free */
	bool is_own;
	bool is_used; /* since the last connection_spaces_leave */
	pid_t pid;    /* a process in it */
	struct tcp_diag diag;
	int err; /* why it can't be asked; 0 = it was not tried, or can be */
};

struct connection_spaces {
	char own[32];
	struct connection_space entries[MOST_SPACES];
};

void connection_spaces_begin(struct connection_spaces *spaces);
/* The number of that in which the process is. 0 or -errno: -ENOENT = the process has ended, -ENOSPC = there are too many. */
int connection_space_of(struct connection_spaces *spaces, pid_t pid, unsigned int *number);
/*
 * Opens it where it isn't. 0 or -errno, the same each time, since it is not tried again; but where the process has ended
 * meanwhile (-ENOENT, -ESRCH), it is.
 */
int connection_space_open(struct connection_spaces *spaces, unsigned int number);
/* Lets go of those that no process was found in: we would keep them alive. */
void connection_spaces_leave(struct connection_spaces *spaces);
void connection_spaces_close(struct connection_spaces *spaces);

#endif /* STALLTRACE_CONNECTION_SPACES_H */
