/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Which sockets a process has open. */
#ifndef STALLTRACE_PROCESS_SOCKETS_H
#define STALLTRACE_PROCESS_SOCKETS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Calls `visit` for each of its descriptors that is a socket, of any kind. Looks at `most` descriptors at the most; returns
 * how many there were to look at, or -errno.
 */
int process_sockets_each(pid_t pid, int most, void (*visit)(void *context, int fd, uint64_t inode),
			 void *context);
/* False where it is certain that this socket is not of TCP. */
bool process_socket_may_be_tcp(pid_t pid, int fd);
/* The inode of a link in /proc/PID/fd; 0 = it is no socket. */
uint64_t process_socket_inode(const char *link);

#endif /* STALLTRACE_PROCESS_SOCKETS_H */
