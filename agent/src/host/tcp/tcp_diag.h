/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * What the kernel has counted of TCP connections: asked of it through a netlink socket (sock_diag(7)), which needs no
 * privilege and costs a connection nothing until it is asked about.
 */
#ifndef STALLTRACE_TCP_DIAG_H
#define STALLTRACE_TCP_DIAG_H

#include <linux/inet_diag.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Room for an address in text: INET6_ADDRSTRLEN. */
#define TCP_ADDRESS 46

/* A connection as it was told. Counts are TRACE_NULL where this kernel doesn't tell them. */
struct tcp_reading {
	uint64_t inode;
	uint8_t family; /* AF_INET or AF_INET6 */
	bool listens;
	struct inet_diag_sockid id; /* by which it is asked for */
	bool told; /* of tcp_diag_read: it is still there, and what follows is known */
	int64_t bytes_received, bytes_sent, segments_received, segments_sent, retransmits;
	int64_t rtt_ns, min_rtt_ns;
};

/* A way to ask about the connections of one network namespace. */
struct tcp_diag {
	int fd; /* -1 = closed */
	uint32_t sequence;
};

/*
 * Of the network namespace of process `pid`; 0 = our own. Another one is entered by a thread that ends at once. -errno:
 * -EPERM where we may not enter it.
 */
int tcp_diag_open(struct tcp_diag *diag, pid_t pid);
void tcp_diag_close(struct tcp_diag *diag);

/*
 * Calls `visit` for each socket that is connected or listens; without counts. 0, -E2BIG where there are so many that not all
 * were told, or another -errno; where it is not 0, `diag` is closed.
 */
int tcp_diag_list(struct tcp_diag *diag,
		  void (*visit)(void *context, const struct tcp_reading *reading), void *context);
/*
 * Reads the counts of those of which `id`, `family` and `inode` are given. One that has gone, or that another has taken the
 * place of, is not told. 0 or -errno; then `diag` is closed.
 */
int tcp_diag_read(struct tcp_diag *diag, struct tcp_reading *readings, size_t count);

/*
 * What an inet_diag message of `length` bytes says. False where it is cut short. It comes from the kernel, whose newer and
 * older versions tell more and less.
 */
bool tcp_parse_message(const void *message, size_t length, struct tcp_reading *out);
/* `10.0.0.2`, `2001:db8::1`; of an IPv4 address that is written as IPv6 the former. */
void tcp_address_text(uint8_t family, const uint32_t address[4], char out[TCP_ADDRESS]);

#endif /* STALLTRACE_TCP_DIAG_H */
