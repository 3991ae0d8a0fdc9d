/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Rows of CUDA calls, whoever saw them. */
#ifndef STALLTRACE_CALL_ROWS_H
#define STALLTRACE_CALL_ROWS_H

#include "../probe/cuda/functions.h"
#include "session.h"

/* Name ids by function, 0 = not made yet. */
struct call_names {
	int64_t ids[MAX_FUNCTIONS];
};

struct call_row {
	const struct call_record *record; /* its function is one that is known */
	const struct task *task;          /* NULL = not known */
	struct call_facts facts;
	bool returned;  /* the return was seen, and with it return_value */
	bool has_sums;  /* off_cpu_ns and faults */
	bool has_queue; /* run_queue_ns */
	int64_t stack_row, correlation;
};

void call_row_add(struct session *session, struct call_names *names, const struct call_row *row);
/* Its function is one that is known. */
void launches_row_add(struct session *session, struct call_names *names,
		      const struct launches_record *record);

#endif /* STALLTRACE_CALL_ROWS_H */
