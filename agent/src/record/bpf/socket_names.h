/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Names of sockets by who is at their other end: an address and port, and the process where it is on this machine. */
#ifndef STALLTRACE_SOCKET_NAMES_H
#define STALLTRACE_SOCKET_NAMES_H

#include <stdbool.h>
#include "../../../wire.h"
#include "../../trace/writer.h"

struct socket_names;
struct socket_names *socket_names_new(struct trace_writer *writer);
void socket_names_free(struct socket_names *names);

/*
 * Name id: "socket to 10.0.0.2:6379", "socket to 127.0.0.1:6379 (redis-server, pid 311)", of one that a client opened
 * "socket from 10.0.0.7"; "socket" where the other end is not known.
 */
int64_t socket_name(struct socket_names *names, const struct off_cpu_record *record);

/* Whether a client opened it: of those the number of the other port tells nothing, and each has another. */
bool socket_comes_in(const union file_identity *socket);

#endif /* STALLTRACE_SOCKET_NAMES_H */
