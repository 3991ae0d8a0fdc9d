// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "process_sockets.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

static const char socket_link[] = "socket:[";

uint64_t process_socket_inode(const char *link)
{
	const size_t length = sizeof(socket_link) - 1;

	return strncmp(link, socket_link, length) ? 0 : strtoull(link + length, NULL, 10);
}

int process_sockets_each(pid_t pid, int most, void (*visit)(void *context, int fd, uint64_t inode),
			 void *context)
{
	char path[64], link[64];
	struct dirent *entry;
	DIR *directory;
	int count = 0;

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	directory = opendir(path);
	if (!directory)
		return -errno;
	while ((entry = readdir(directory))) {
		ssize_t length;
		uint64_t inode;

		if (entry->d_name[0] == '.')
			continue;
		if (++count > most)
			break;
		length = readlinkat(dirfd(directory), entry->d_name, link, sizeof(link) - 1);
		if (length < 0)
			continue;
		link[length] = '\0';
		inode = process_socket_inode(link);
		if (inode)
			visit(context, atoi(entry->d_name), inode);
	}
	closedir(directory);
	return count;
}

/* The kernel tells the name of its protocol as an extended attribute; where it doesn't, it may be any. */
bool process_socket_may_be_tcp(pid_t pid, int fd)
{
	char path[64], protocol[32];
	ssize_t length;

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", pid, fd);
	length = getxattr(path, "system.sockprotoname", protocol, sizeof(protocol));
	return length < 0 || (length >= 3 && !memcmp(protocol, "TCP", 3));
}
