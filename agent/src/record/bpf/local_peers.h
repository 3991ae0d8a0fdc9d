/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Which process of this machine is at the other end of a TCP connection. */
#ifndef STALLTRACE_LOCAL_PEERS_H
#define STALLTRACE_LOCAL_PEERS_H

#include <stdint.h>
#include <sys/types.h>
#include "../../../wire.h"

struct local_peer {
	uint32_t family; /* of the socket that was asked about, as are the next two */
	uint32_t address;
	uint16_t port;
	pid_t pid; /* 0 = it is on another machine, in another network namespace, gone, or may not be read */
	char comm[64];
};

/*
 * Of the socket of process `pid`: who has its other end, or listens at that address, in that process's network
 * namespace. Looks through /proc/PID/net/tcp and the descriptors of all processes.
 */
void local_peer_find(pid_t pid, const union file_identity *socket, struct local_peer *out);

/* A line of /proc/PID/net/tcp or tcp6. */
struct tcp_line {
	uint32_t local[4], remote[4]; /* in network order; of tcp the first word alone */
	unsigned int local_port, remote_port, state;
	uint64_t inode;
};
/* 0, or -EBADMSG. */
int tcp_parse_line(const char *line, struct tcp_line *out);

#endif /* STALLTRACE_LOCAL_PEERS_H */
