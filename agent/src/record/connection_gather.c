// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include <errno.h>
#include <string.h>
#include "../host/tcp/process_sockets.h"
#include "connections_state.h"

/* Looked at each time, a few microseconds each and one for each descriptor. */
#define MOST_PROCESSES 100
#define MOST_DESCRIPTORS 10000

struct gathering {
	struct session *session;
	struct process *process;
	unsigned int space;
	uint64_t absent_ns;
};

static void gather_socket(void *context, int fd, uint64_t inode)
{
	const struct gathering *gathering = context;
	struct connections *connections = gathering->session->connections;
	struct connection_list *now = connections->now;

	if (now->count == MOST_SOCKETS) {
		connections->cut = true;
		return;
	}
	now->entries[now->count++] = (struct connection){
		.inode = inode,
		.process = gathering->process->id,
		.pid = gathering->process->pid,
		.fd = fd,
		.space = gathering->space,
		.absent_ns = gathering->absent_ns,
		.own_address = TRACE_NULL,
		.peer_address = TRACE_NULL,
	};
}

/* Whether all that it had at the look before was seen then: it, or whom it got that from by forks. */
static bool was_looked_at(const struct connections *connections, const struct process *process)
{
	while (process && process->start_ns > connections->before_ns)
		process = process->parent;
	return process && !connections->cut_before && connections->look > 1 &&
	       process->connections_look + 1 == connections->look;
}

/* Of a process that has ended there is nothing to say. */
static void note_unseen(struct session *session, int err)
{
	if (err == -ENOSPC)
		connections_note(
			session, NOTE_NO_SPACE,
			"The job is in more network namespaces than are looked at: of connections in the others nothing is known",
			NULL);
	else if (err != -ENOENT && err != -ESRCH)
		connections_note(session, NOTE_REFUSED,
				 "Which connections some processes of the job have can't be told",
				 strerror(-err));
}

static void gather_process(void *context, struct process *process)
{
	struct session *session = context;
	struct connections *connections = session->connections;
	struct gathering gathering = {.session = session, .process = process};
	int looked, left = MOST_DESCRIPTORS - connections->descriptors;

	if (!process->target)
		return;
	if (connections->processes++ >= MOST_PROCESSES || left <= 0) {
		connections->cut = true;
		return;
	}
	looked = connection_space_of(&connections->spaces, process->pid, &gathering.space);
	if (was_looked_at(connections, process))
		gathering.absent_ns = connections->before_ns;
	if (!looked)
		looked = process_sockets_each(process->pid, left, gather_socket, &gathering);
	if (looked < 0) {
		note_unseen(session, looked);
		return;
	}
	process->connections_look = connections->look;
	connections->descriptors += looked;
	connections->cut |= looked > left;
}

void connections_gather(struct session *session)
{
	struct connections *connections = session->connections;
	struct connection_list *before = connections->now;

	connections->now = connections->before;
	connections->before = before;
	connections->now->count = 0;
	connections->processes = 0;
	connections->descriptors = 0;
	connections->cut_before = connections->cut;
	connections->cut = false;
	connections->look++;
	tasks_each_living(session->tasks, gather_process, session);
	connection_list_settle(connections->now, before);
	if (connections->cut)
		connections_note(
			session, NOTE_CUT,
			"The job has more processes or files open than are looked at each second: of some of its connections nothing is known",
			NULL);
}
