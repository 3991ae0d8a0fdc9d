// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * What came and went through the job's TCP connections: read once a second from counters that the kernel keeps anyway. A
 * connection is looked for in the list of all of the machine once, and asked about by its two ends from then on.
 */
#include "connections.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../host/tcp/process_sockets.h"
#include "../watchdog.h"
#include "connection_rows.h"
#include "connections_state.h"
#include "session.h"

/* Between two looks, and this many times as long as a look takes. */
#define PERIOD_NS NS_PER_SECOND
#define PAUSE 100
#define BATCH 64

void connections_note(struct session *session, enum connection_note which, const char *text,
		      const char *why)
{
	char said[512];

	if (session->connections->noted & (1u << which))
		return;
	session->connections->noted |= 1u << which;
	snprintf(said, sizeof(said), "%s%s%s.", text, why ? ": " : "", why ? why : "");
	session_notice(session, "info", "%s", said);
	trace_put_provenance(session->writer, "connection", "", "partial", PERIOD_NS, said);
}

/* A socket may be connected long after it was made: it is looked for more and more seldom. */
static bool is_due(struct connection *entry)
{
	if (entry->state == SOCKET_NEW)
		entry->state = process_socket_may_be_tcp(entry->pid, entry->fd) ?
				       SOCKET_UNCONNECTED :
				       SOCKET_OF_OTHERS;
	if (entry->state != SOCKET_UNCONNECTED)
		return false;
	entry->looks++;
	return (entry->looks & (entry->looks - 1)) == 0;
}

static void note_unread(struct session *session, unsigned int space, int err)
{
	if (err == -E2BIG)
		connections_note(
			session, NOTE_CUT,
			"The machine has more connections than are looked at: of some of the job's nothing is known",
			NULL);
	else if (session->connections->spaces.entries[space].is_own)
		connections_note(session, NOTE_NO_DIAG,
				 "What the kernel counts of TCP connections can't be read",
				 strerror(-err));
	else
		connections_note(
			session, NOTE_NO_SPACE,
			"What came and went through connections in another network namespace can't be read",
			strerror(-err));
}

/* The one that says what the connections of that namespace did; NULL = there is none. */
static struct tcp_diag *diag_of(struct session *session, unsigned int space)
{
	struct connection_spaces *spaces = &session->connections->spaces;
	int err = connection_space_open(spaces, space);

	if (!err)
		return &spaces->entries[space].diag;
	if (err != -ENOENT && err != -ESRCH)
		note_unread(session, space, err);
	return NULL;
}

struct listing {
	struct connections *connections;
	unsigned int space;
};

static void take_listed(void *context, const struct tcp_reading *reading)
{
	const struct listing *listing = context;
	struct connection *entry =
		reading->inode ? connection_list_find(listing->connections->now, reading->inode) :
				 NULL;

	if (!entry || entry->space != listing->space || entry->state != SOCKET_UNCONNECTED)
		return;
	entry->state = reading->listens ? SOCKET_LISTENS : SOCKET_CONNECTED;
	entry->last = *reading;
	entry->last.told = false;
}

/* Looks for those that are due in the list of all connections. */
static void find_connections(struct session *session, unsigned int space)
{
	struct connections *connections = session->connections;
	struct connection_list *now = connections->now;
	struct listing listing = {connections, space};
	struct tcp_diag *diag;
	bool due = false;
	int err;

	for (size_t at = 0; at < now->count; at++)
		due |= now->entries[at].space == space && is_due(&now->entries[at]);
	diag = due ? diag_of(session, space) : NULL;
	if (!diag)
		return;
	err = tcp_diag_list(diag, take_listed, &listing);
	if (err) {
		note_unread(session, space, err);
		return;
	}
	for (size_t at = 0; at < now->count; at++)
		if (now->entries[at].space == space && now->entries[at].state == SOCKET_UNCONNECTED)
			now->entries[at].absent_ns = connections->at_ns;
}

static void take_reading(struct session *session, struct connection *entry,
			 const struct tcp_reading *reading)
{
	if (!reading->told) {
		/* It is over; the socket may be connected anew. */
		entry->state = SOCKET_UNCONNECTED;
		entry->looks = 0;
		entry->absent_ns = session->connections->at_ns;
		entry->last.told = false;
		return;
	}
	connection_put_row(session->writer, session->connections->at_ns, entry, reading);
}

static int read_batch(struct session *session, unsigned int space, size_t *next)
{
	struct connection_list *now = session->connections->now;
	struct tcp_reading readings[BATCH];
	struct connection *entries[BATCH];
	struct tcp_diag *diag;
	size_t count = 0;
	int err;

	for (; *next < now->count && count < BATCH; ++*next) {
		struct connection *entry = &now->entries[*next];

		if (entry->space != space || entry->state != SOCKET_CONNECTED)
			continue;
		entries[count] = entry;
		readings[count++] = entry->last;
	}
	diag = count ? diag_of(session, space) : NULL;
	if (!diag)
		return -ENOENT;
	err = tcp_diag_read(diag, readings, count);
	for (size_t at = 0; !err && at < count; at++)
		take_reading(session, entries[at], &readings[at]);
	if (err)
		note_unread(session, space, err);
	return err;
}

static void look(struct session *session, uint64_t at_ns)
{
	struct connections *connections = session->connections;

	watchdog_step(STEP_OF_WORK);
	connections->before_ns = connections->at_ns;
	connections->at_ns = at_ns;
	connections_gather(session);
	for (unsigned int space = 0; space < MOST_SPACES; space++) {
		size_t next = 0;

		find_connections(session, space);
		while (next < connections->now->count && !read_batch(session, space, &next))
			;
	}
	connection_spaces_leave(&connections->spaces);
}

void connections_begin(struct session *session)
{
	bool is_all = session->options->target == TARGET_ALL;

	trace_put_provenance(
		session->writer, "connection", "", is_all ? "absent" : "sampled",
		is_all ? TRACE_NULL : (int64_t)PERIOD_NS,
		is_all ?
			"With --all no connections are read." :
			"Read once a second: of connections that began and ended between two looks nothing is known.");
	if (is_all)
		return;
	session->connections = calloc(1, sizeof(*session->connections));
	if (!session->connections)
		return;
	session->connections->now = &session->connections->lists[0];
	session->connections->before = &session->connections->lists[1];
	connection_spaces_begin(&session->connections->spaces);
}

void connections_read(struct session *session)
{
	struct connections *connections = session->connections;
	uint64_t begin_ns, pause_ns;

	if (!connections || session->now_ns < connections->next_ns)
		return;
	begin_ns = clock_ns(CLOCK_MONOTONIC);
	look(session, begin_ns);
	pause_ns = PAUSE * (clock_ns(CLOCK_MONOTONIC) - begin_ns);
	connections->next_ns = begin_ns + (pause_ns > PERIOD_NS ? pause_ns : PERIOD_NS);
}

void connections_read_last(struct session *session, uint64_t end_ns)
{
	if (session->connections)
		look(session, end_ns);
}

void connections_free(struct session *session)
{
	if (session->connections)
		connection_spaces_close(&session->connections->spaces);
	free(session->connections);
	session->connections = NULL;
}
