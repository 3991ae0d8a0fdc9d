// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "socket_names.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../../clock.h"
#include "local_peers.h"

/* Powers of two; a clash forgets the older one. */
#define SOCKETS 1024
#define ENDPOINTS 256

/* A server may end and another one take its port. */
#define RENEW_NS (10 * NS_PER_SECOND)
#define WORTH_NS 1000000ull
/*
 * A look goes through the connections of the machine, and the descriptors of its processes: it takes from 5 ms to
 * some 0.3 s. The next one waits so many times as long, so that looks take 5 % of a CPU at the most.
 */
#define PAUSE_TIMES 20

/* From here on the kernel gives out ports by itself, unless it is told otherwise: ip_local_port_range. */
#define FIRST_GIVEN_PORT 32768

/* Who listens there. */
struct endpoint {
	struct local_peer peer; /* as of the last look; pid 0 = not known, or elsewhere */
	uint64_t looked_ns;     /* 0 = free */
	int64_t name;
};

/* What was told of a socket without a look, so that it isn't put together at each wait. */
struct told_socket {
	union file_identity socket;
	int64_t name;
};

struct socket_names {
	struct trace_writer *writer;
	int64_t plain;         /* name id, TRACE_NULL = not made yet */
	uint64_t next_look_ns; /* CLOCK_MONOTONIC */
	struct endpoint endpoints[ENDPOINTS];
	struct told_socket told[SOCKETS];
};

struct socket_names *socket_names_new(struct trace_writer *writer)
{
	struct socket_names *names = calloc(1, sizeof(*names));

	if (!names)
		return NULL;
	names->writer = writer;
	names->plain = TRACE_NULL;
	return names;
}

void socket_names_free(struct socket_names *names)
{
	free(names);
}

bool socket_comes_in(const union file_identity *socket)
{
	return socket->peer_port >= FIRST_GIVEN_PORT && socket->own_port < FIRST_GIVEN_PORT;
}

static int64_t describe(struct socket_names *names, const union file_identity *socket,
			const struct local_peer *peer)
{
	char address[INET_ADDRSTRLEN] = "an IPv6 address", text[128];
	struct in_addr number = {.s_addr = socket->peer_address};
	int length;

	if (socket->family == SOCKET_INET)
		inet_ntop(AF_INET, &number, address, sizeof(address));
	else if (socket->family == SOCKET_INET6_LOOPBACK)
		snprintf(address, sizeof(address), "[::1]");
	if (socket_comes_in(socket))
		length = snprintf(text, sizeof(text), "socket from %s", address);
	else
		length = snprintf(text, sizeof(text), "socket to %s%s%u", address,
				  socket->family == SOCKET_INET6 ? ", port " : ":",
				  socket->peer_port);
	if (peer && peer->pid)
		snprintf(text + length, sizeof(text) - (size_t)length, " (%s, pid %d)", peer->comm,
			 peer->pid);
	return trace_name(names->writer, "", text);
}

/* Whether it looked. */
static bool look(struct socket_names *names, pid_t pid, const union file_identity *socket,
		 struct local_peer *peer)
{
	uint64_t begin_ns = clock_ns(CLOCK_MONOTONIC), end_ns;

	if (begin_ns < names->next_look_ns)
		return false;
	local_peer_find(pid, socket, peer);
	end_ns = clock_ns(CLOCK_MONOTONIC);
	names->next_look_ns = end_ns + PAUSE_TIMES * (end_ns - begin_ns);
	return true;
}

static int64_t without_look(struct socket_names *names, const union file_identity *socket)
{
	unsigned int at = socket->socket_inode * 31 + socket->peer_port;
	struct told_socket *told = &names->told[at & (SOCKETS - 1)];

	if (memcmp(&told->socket, socket, sizeof(*socket)) != 0)
		*told = (struct told_socket){.socket = *socket,
					     .name = describe(names, socket, NULL)};
	return told->name;
}

int64_t socket_name(struct socket_names *names, const struct off_cpu_record *record)
{
	const union file_identity *socket = &record->file;
	uint64_t now_ns = record->start_ns + record->duration_ns;
	unsigned int at = socket->peer_address * 31 + socket->peer_port + socket->family;
	struct endpoint *endpoint = &names->endpoints[at & (ENDPOINTS - 1)];
	const struct local_peer *known = &endpoint->peer;

	if (socket->family == SOCKET_OTHER) {
		if (names->plain == TRACE_NULL)
			names->plain = trace_name(names->writer, "", "socket");
		return names->plain;
	}
	if (socket_comes_in(socket))
		return without_look(names, socket);
	if (endpoint->looked_ns && now_ns < endpoint->looked_ns + RENEW_NS &&
	    known->family == socket->family && known->address == socket->peer_address &&
	    known->port == socket->peer_port)
		return endpoint->name;
	if (record->duration_ns < WORTH_NS ||
	    !look(names, (pid_t)record->tgid, socket, &endpoint->peer))
		return without_look(names, socket);
	endpoint->looked_ns = now_ns;
	endpoint->name = describe(names, socket, known);
	return endpoint->name;
}
