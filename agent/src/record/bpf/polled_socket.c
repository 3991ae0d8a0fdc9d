// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "polled_socket.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "local_peers.h"
#include "socket_names.h"

/* A client that asks one server has some dozens of connections to it; who watches more serves others. */
#define MAX_WATCHED 256
/* A machine may have a million connections. */
#define MAX_LINES 20000

#define STATE_ESTABLISHED 0x01
#define STATE_LISTEN 0x0a

struct watched {
	uint64_t inodes[MAX_WATCHED];
	unsigned int count;
};

/* The inode of a socket; 0 = it is none. */
static uint64_t socket_inode(pid_t pid, int fd)
{
	char path[64], link[64];
	unsigned long long inode;
	ssize_t length;

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", pid, fd);
	length = readlink(path, link, sizeof(link) - 1);
	if (length < 0)
		return 0;
	link[length] = '\0';
	return sscanf(link, "socket:[%llu]", &inode) == 1 ? inode : 0;
}

static int read_watched(pid_t pid, int fd, struct watched *out)
{
	char path[64], *line = NULL;
	size_t room = 0;
	int error = 0, watched;
	FILE *file;

	out->count = 0;
	snprintf(path, sizeof(path), "/proc/%d/fdinfo/%d", pid, fd);
	file = fopen(path, "re");
	if (!file)
		return -ENOENT;
	while (!error && getline(&line, &room, file) >= 0) {
		uint64_t inode;

		if (sscanf(line, "tfd: %d", &watched) != 1)
			continue;
		inode = socket_inode(pid, watched);
		if (!inode)
			continue;
		if (out->count == MAX_WATCHED)
			error = -E2BIG;
		else
			out->inodes[out->count++] = inode;
	}
	free(line);
	fclose(file);
	return error;
}

static bool watches(const struct watched *watched, uint64_t inode)
{
	for (unsigned int at = 0; at < watched->count; at++)
		if (watched->inodes[at] == inode)
			return true;
	return false;
}

static union file_identity identify(const struct tcp_line *line, bool is_v6)
{
	const uint32_t *words = line->remote;
	bool is_mapped = is_v6 && !words[0] && !words[1] && words[2] == htonl(0xffff);
	bool is_loopback = is_v6 && !words[0] && !words[1] && !words[2] && words[3] == htonl(1);
	union file_identity out = {
		.socket_inode = (uint32_t)line->inode,
		.own_port = (uint16_t)line->local_port,
		.peer_port = (uint16_t)line->remote_port,
	};

	if (is_v6 && !is_mapped) {
		out.family = is_loopback ? SOCKET_INET6_LOOPBACK : SOCKET_INET6;
		return out;
	}
	out.family = SOCKET_INET;
	out.peer_address = words[is_mapped ? 3 : 0];
	return out;
}

static bool is_same_peer(const union file_identity *a, const union file_identity *b)
{
	return a->family == b->family && a->peer_address == b->peer_address &&
	       a->peer_port == b->peer_port;
}

/* Adds what the table has of them to `out`. -ENOENT where they lead to several peers, or it waits for clients. */
static int read_table(pid_t pid, const char *table, const struct watched *watched, bool *found,
		      union file_identity *out)
{
	char path[64], *line = NULL;
	size_t room = 0;
	int error = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/net/%s", pid, table);
	file = fopen(path, "re");
	if (!file)
		return 0;
	for (int count = 0; !error && count < MAX_LINES && getline(&line, &room, file) >= 0;
	     count++) {
		union file_identity socket;
		struct tcp_line parsed;

		if (tcp_parse_line(line, &parsed) || !parsed.inode ||
		    !watches(watched, parsed.inode))
			continue;
		if (parsed.state != STATE_ESTABLISHED) {
			error = parsed.state == STATE_LISTEN ? -ENOENT : 0;
			continue;
		}
		socket = identify(&parsed, !strcmp(table, "tcp6"));
		if (socket_comes_in(&socket) || (*found && !is_same_peer(&socket, out)))
			error = -ENOENT;
		*out = socket;
		*found = true;
	}
	free(line);
	fclose(file);
	return error;
}

int polled_socket(pid_t pid, int fd, union file_identity *out)
{
	struct watched watched;
	bool found = false;
	int error = read_watched(pid, fd, &watched);

	if (!error && !watched.count)
		return -ENOENT;
	if (!error)
		error = read_table(pid, "tcp", &watched, &found, out);
	if (!error)
		error = read_table(pid, "tcp6", &watched, &found, out);
	return error || found ? error : -ENOENT;
}
