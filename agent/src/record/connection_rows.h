/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
#ifndef STALLTRACE_CONNECTION_ROWS_H
#define STALLTRACE_CONNECTION_ROWS_H

#include "../trace/writer.h"
#include "connection_list.h"

/* A row of what was read, where anything came or went since the last one. at_ns: CLOCK_MONOTONIC. */
void connection_put_row(struct trace_writer *writer, uint64_t at_ns, struct connection *entry,
			const struct tcp_reading *reading);

#endif /* STALLTRACE_CONNECTION_ROWS_H */
