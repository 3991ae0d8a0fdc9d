/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What a wait for an epoll instance was for: it names no connection itself. */
#ifndef STALLTRACE_POLLED_SOCKET_H
#define STALLTRACE_POLLED_SOCKET_H

#include <sys/types.h>
#include "../../../wire.h"

/*
 * Of the epoll instance that process `pid` has as descriptor `fd`: a connection, where all that it watches lead to one
 * address and port. 0, or -ENOENT where it watches none, several, or waits for clients; -E2BIG where it
 * watches too many to tell. Reads /proc/PID/fdinfo and the tables of /proc/PID/net.
 */
int polled_socket(pid_t pid, int fd, union file_identity *out);

#endif /* STALLTRACE_POLLED_SOCKET_H */
