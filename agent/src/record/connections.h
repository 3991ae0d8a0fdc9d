/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Rows of `connection`: what the kernel counts of the job's TCP connections. */
#ifndef STALLTRACE_CONNECTIONS_H
#define STALLTRACE_CONNECTIONS_H

#include <stdint.h>

struct session;

/* Says in the file how far they are told. */
void connections_begin(struct session *session);
/* Where it is time: at once, and once a second from then on. */
void connections_read(struct session *session);
/* As of the end of the recording. */
void connections_read_last(struct session *session, uint64_t end_ns);
void connections_free(struct session *session);

#endif /* STALLTRACE_CONNECTIONS_H */
