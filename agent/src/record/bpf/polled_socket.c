// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "polled_socket.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include "local_peers.h"
#include "socket_names.h"

/* A client that asks one server has some dozens of connections to it; who watches more serves others. */
#define MAX_WATCHED 256
/* A machine may have a million connections. */
#define MAX_LINES 20000

#define STATE_LISTEN 0x0a

struct watched {
	uint64_t inodes[MAX_WATCHED];
	unsigned int count;
};

/* The device of the file system that all sockets are in; 0 = not known. */
static unsigned int socket_device(void)
{
	struct stat status = {0};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return 0;
	if (fstat(fd, &status))
		status.st_dev = 0;
	close(fd);
	return minor(status.st_dev);
}

static int read_watched(pid_t pid, int fd, struct watched *out)
{
	char path[64], *line = NULL;
	unsigned int device = socket_device(), on;
	size_t room = 0;
	int error = 0;
	FILE *file;

	out->count = 0;
	snprintf(path, sizeof(path), "/proc/%d/fdinfo/%d", pid, fd);
	file = fopen(path, "re");
	if (!file)
		return -ENOENT;
	while (!error && getline(&line, &room, file) >= 0) {
		unsigned long inode;

		/* Of files, not of the numbers by which they were added: those may be others' by now. Since Linux 4.13. */
		if (sscanf(line, "tfd: %*d events: %*x data: %*x pos:%*d ino:%lx sdev:%x", &inode,
			   &on) != 2 ||
		    on != device)
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

/* What a table of the kernel's connections has of those that are watched. */
struct found {
	bool any;
	struct tcp_line first;
	bool is_v6;
};

static bool is_same_peer(const struct tcp_line *a, const struct tcp_line *b)
{
	return !memcmp(a->remote, b->remote, sizeof(a->remote)) && a->remote_port == b->remote_port;
}

/*
 * -ENOENT where they lead to several peers, or it waits for clients: one that is being opened or closed counts as
 * well. -E2BIG where the table is longer than is looked at.
 */
static int read_table(pid_t pid, const char *table, const struct watched *watched,
		      struct found *found)
{
	char path[64], *line = NULL;
	size_t room = 0;
	int error = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/net/%s", pid, table);
	file = fopen(path, "re");
	if (!file)
		return 0;
	for (int count = 0; !error && getline(&line, &room, file) >= 0; count++) {
		struct tcp_line parsed;

		if (count == MAX_LINES)
			error = -E2BIG;
		else if (tcp_parse_line(line, &parsed) || !parsed.inode ||
			 !watches(watched, parsed.inode))
			continue;
		else if (parsed.state == STATE_LISTEN ||
			 (found->any && !is_same_peer(&parsed, &found->first)))
			error = -ENOENT;
		else
			*found = (struct found){
				.any = true, .first = parsed, .is_v6 = !strcmp(table, "tcp6")};
	}
	free(line);
	fclose(file);
	return error;
}

int polled_socket(pid_t pid, int fd, union file_identity *out)
{
	/* What comes over UDP ends the wait too. */
	static const char *const others[] = {"udp", "udp6"};
	struct watched watched;
	struct found found = {0}, other = {0};
	int error = read_watched(pid, fd, &watched);

	if (!error && !watched.count)
		return -ENOENT;
	if (!error)
		error = read_table(pid, "tcp", &watched, &found);
	if (!error)
		error = read_table(pid, "tcp6", &watched, &found);
	for (int table = 0; !error && table < 2; table++)
		error = read_table(pid, others[table], &watched, &other);
	if (error || !found.any || other.any)
		return error ? error : -ENOENT;
	*out = identify(&found.first, found.is_v6);
	return socket_comes_in(out) ? -ENOENT : 0;
}
