/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The sockets of a job, from one look at its processes to the next. */
#ifndef STALLTRACE_CONNECTION_LIST_H
#define STALLTRACE_CONNECTION_LIST_H

#include "../host/tcp/tcp_diag.h"

/* With those that several processes have. */
#define MOST_SOCKETS 8192

enum socket_state {
	SOCKET_NEW,         /* nobody has asked about it yet */
	SOCKET_OF_OTHERS,   /* not of TCP */
	SOCKET_UNCONNECTED, /* as far as is known */
	SOCKET_CONNECTED,
	SOCKET_LISTENS,
};

struct connection {
	uint64_t inode;
	int64_t process; /* row id: the oldest of those that have it */
	pid_t pid;       /* one that has it now, and as what */
	int fd;
	unsigned int space; /* its network namespace, by its number */
	enum socket_state state;
	unsigned int looks;                /* how often it was found without a connection */
	uint64_t absent_ns;                /* when it had none for certain; 0 = not known */
	struct tcp_reading last;           /* .told: of its last row */
	int64_t own_address, peer_address; /* name ids of that row */
};

struct connection_list {
	struct connection entries[MOST_SOCKETS];
	size_t count;
};

/*
 * Brings what was found just now, in any order and some of it several times, into the order of inodes, once each, with what
 * `before` knew of it.
 */
void connection_list_settle(struct connection_list *found, const struct connection_list *before);
/* NULL = there is none. */
struct connection *connection_list_find(struct connection_list *list, uint64_t inode);

#endif /* STALLTRACE_CONNECTION_LIST_H */
