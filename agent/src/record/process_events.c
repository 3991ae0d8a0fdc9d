// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Rows of process_event, whoever saw what happened. */
#include "session.h"

void session_put_process_event(struct session *session, enum process_action action, uint64_t at_ns,
			       int64_t thread, int64_t subject)
{
	static const char *const names[] = {
		[PROCESS_FORK] = "fork",         [PROCESS_EXEC] = "exec",
		[PROCESS_EXIT] = "exit",         [PROCESS_RENAME] = "rename",
		[PROCESS_OOM_KILL] = "OOM kill",
	};
	int64_t *name = &session->action_names[action], *row;

	if (!*name)
		*name = trace_name(session->writer, "HOST", names[action]);
	row = trace_append(session->writer, TABLE_PROCESS_EVENT);
	row[PROCESS_EVENT_START_NS] = trace_time(session->writer, at_ns);
	row[PROCESS_EVENT_THREAD_ID] = thread;
	row[PROCESS_EVENT_OP_ID] = *name;
	row[PROCESS_EVENT_KIND] = action;
	row[PROCESS_EVENT_SUBJECT_ID] = subject;
}
