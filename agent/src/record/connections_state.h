/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What connections.c, which reads counts, and connection_gather.c, which finds sockets, share. */
#ifndef STALLTRACE_CONNECTIONS_STATE_H
#define STALLTRACE_CONNECTIONS_STATE_H

#include "connection_list.h"
#include "connection_spaces.h"
#include "session.h"

struct connections {
	struct connection_list lists[2], *now, *before;
	struct connection_spaces spaces;
	unsigned int look; /* its number, from 1 on */
	uint64_t at_ns, before_ns, next_ns;
	unsigned int processes;
	int descriptors;
	bool cut, cut_before; /* in this look, and in the one before, not all was looked at */
	unsigned int noted;   /* bits of enum connection_note */
};

/* What is said once, and stands in the file. */
enum connection_note { NOTE_CUT, NOTE_REFUSED, NOTE_NO_DIAG, NOTE_NO_SPACE };

/* text, and why: NULL = nothing more. */
void connections_note(struct session *session, enum connection_note which, const char *text,
		      const char *why);
/* Brings connections->now up to date with what the job's processes have open. */
void connections_gather(struct session *session);

#endif /* STALLTRACE_CONNECTIONS_STATE_H */
