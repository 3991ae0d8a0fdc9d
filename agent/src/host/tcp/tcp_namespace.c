// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* A netlink socket in the network namespace of another process: it stays in the one that it was made in. */
#include "tcp_diag.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

/* The kernel answers before the question returns: who waits longer gets no answer. */
#define PATIENCE_US 200000

static int open_here(void)
{
	struct timeval patience = {.tv_usec = PATIENCE_US};
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
	int err;

	if (fd < 0)
		return -errno;
	if (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)) < 0) {
		err = -errno;
		close(fd);
		return err;
	}
	return fd;
}

struct entry {
	int namespace_fd, fd;
};

static void *open_there(void *context)
{
	struct entry *entry = context;

	entry->fd = setns(entry->namespace_fd, CLONE_NEWNET) < 0 ? -errno : open_here();
	return NULL;
}

/* By a thread of its own: nobody else of us changes its namespace. */
static int open_of(pid_t pid)
{
	struct entry entry;
	pthread_t thread;
	char path[64];
	int err;

	snprintf(path, sizeof(path), "/proc/%d/ns/net", pid);
	entry.namespace_fd = open(path, O_RDONLY | O_CLOEXEC);
	if (entry.namespace_fd < 0)
		return -errno;
	err = pthread_create(&thread, NULL, open_there, &entry);
	if (!err)
		pthread_join(thread, NULL);
	close(entry.namespace_fd);
	return err ? -err : entry.fd;
}

int tcp_diag_open(struct tcp_diag *diag, pid_t pid)
{
	int fd = pid ? open_of(pid) : open_here();

	*diag = (struct tcp_diag){.fd = fd < 0 ? -1 : fd};
	return fd < 0 ? fd : 0;
}

void tcp_diag_close(struct tcp_diag *diag)
{
	if (diag->fd >= 0)
		close(diag->fd);
	diag->fd = -1;
}
