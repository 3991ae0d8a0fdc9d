// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "local_peers.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "../../host/proc.h"

/* A machine may have a million connections and as many descriptors: what lies behind is not looked at. */
#define MAX_LINES 20000
#define MAX_DESCRIPTORS 200000

#define STATE_LISTEN 0x0a

/* 8 or 32 hexadecimal digits: words as the machine keeps them. Returns what follows, or NULL. */
static const char *parse_address(const char *text, uint32_t out[4])
{
	for (int word = 0; word < 4; word++) {
		char digits[9] = "";

		memset(&out[word], 0, sizeof(out[word]));
		if (*text == ':')
			continue;
		if (strspn(text, "0123456789ABCDEF") < 8)
			return NULL;
		memcpy(digits, text, 8);
		out[word] = (uint32_t)strtoul(digits, NULL, 16);
		text += 8;
	}
	return text;
}

static const char *parse_end(const char *text, uint32_t address[4], unsigned int *port)
{
	char *end;

	text += strspn(text, " ");
	text = parse_address(text, address);
	if (!text || *text != ':')
		return NULL;
	*port = (unsigned int)strtoul(text + 1, &end, 16);
	return end;
}

int tcp_parse_line(const char *line, struct tcp_line *out)
{
	const char *rest = strchr(line, ':');
	unsigned long inode;

	rest = rest ? parse_end(rest + 1, out->local, &out->local_port) : NULL;
	rest = rest ? parse_end(rest, out->remote, &out->remote_port) : NULL;
	if (!rest || sscanf(rest, " %x %*x:%*x %*x:%*x %*x %*u %*u %lu", &out->state, &inode) != 2)
		return -EBADMSG;
	out->inode = inode;
	return 0;
}

static bool is_loopback(const union file_identity *socket)
{
	return socket->family == SOCKET_INET6_LOOPBACK ||
	       (socket->family == SOCKET_INET && (ntohl(socket->peer_address) >> 24) == 127);
}

static bool is_at_peer(const struct tcp_line *line, const union file_identity *socket)
{
	const uint32_t *words = line->local;
	bool is_mapped = !words[0] && !words[1] && words[2] == htonl(0xffff);

	if (line->local_port != socket->peer_port)
		return false;
	if (socket->family == SOCKET_INET6_LOOPBACK)
		return !words[0] && !words[1] && !words[2] && words[3] == htonl(1);
	return words[is_mapped ? 3 : 0] == socket->peer_address;
}

/* 2 = it is the other end itself; 1 = it listens where that would be; 0 = neither. */
static int match(const struct tcp_line *line, const union file_identity *socket)
{
	bool listens = line->state == STATE_LISTEN && line->local_port == socket->peer_port;
	const uint32_t *words = line->local;
	bool is_any = !words[0] && !words[1] && !words[2] && !words[3];

	if (listens)
		return is_loopback(socket) && (is_any || is_at_peer(line, socket));
	return is_at_peer(line, socket) && line->remote_port == socket->own_port ? 2 : 0;
}

/* The inode of the best match; 0 = none. */
static uint64_t find_inode(pid_t pid, const char *table, const union file_identity *socket,
			   int *best)
{
	char path[64], *line = NULL;
	size_t room = 0;
	uint64_t inode = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/net/%s", pid, table);
	file = fopen(path, "re");
	if (!file)
		return 0;
	for (int count = 0; count < MAX_LINES && *best < 2; count++) {
		struct tcp_line parsed;
		int how;

		if (getline(&line, &room, file) < 0)
			break;
		/* Of a connection that was closed there is no inode. */
		how = tcp_parse_line(line, &parsed) || !parsed.inode ? 0 : match(&parsed, socket);
		if (how > *best) {
			*best = how;
			inode = parsed.inode;
		}
	}
	free(line);
	fclose(file);
	return inode;
}

struct search {
	char link[32]; /* "socket:[4711]" */
	pid_t pid;
	unsigned int looked;
};

static void look_at_process(void *context, pid_t pid)
{
	struct search *search = context;
	char path[64], link[64];
	struct dirent *entry;
	DIR *directory;

	if (search->pid || search->looked >= MAX_DESCRIPTORS)
		return;
	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	directory = opendir(path);
	while (directory && !search->pid && (entry = readdir(directory))) {
		ssize_t length =
			readlinkat(dirfd(directory), entry->d_name, link, sizeof(link) - 1);

		search->looked++;
		if (length < 0)
			continue;
		link[length] = '\0';
		if (!strcmp(link, search->link))
			search->pid = pid;
	}
	if (directory)
		closedir(directory);
}

void local_peer_find(pid_t pid, const union file_identity *socket, struct local_peer *out)
{
	struct search search = {0};
	int best = 0;
	uint64_t inode, other;
	struct proc_stat stat;

	*out = (struct local_peer){.family = socket->family,
				   .address = socket->peer_address,
				   .port = socket->peer_port};
	inode = find_inode(pid, "tcp", socket, &best);
	other = find_inode(pid, "tcp6", socket, &best);
	inode = other ? other : inode;
	if (!inode || socket->family == SOCKET_INET6)
		return;
	snprintf(search.link, sizeof(search.link), "socket:[%llu]", (unsigned long long)inode);
	proc_each_process(look_at_process, &search);
	if (!search.pid || proc_read_stat(search.pid, 0, &stat))
		return;
	out->pid = search.pid;
	snprintf(out->comm, sizeof(out->comm), "%s", stat.comm);
	redact_name(out->comm);
}
