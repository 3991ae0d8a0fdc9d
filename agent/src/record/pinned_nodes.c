// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* On which nodes of memory the job's pinned memory lies: read seldom, and only where there are several. */
#include <errno.h>
#include <string.h>
#include "../host/numa.h"
#include "../watchdog.h"
#include "session.h"

/* A job pins its buffers in its first steps, and keeps them. */
#define FIRST_NS (2 * NS_PER_SECOND)
/* Between two looks at a process. */
#define PERIOD_NS (10 * NS_PER_SECOND)
/* Between two looks, at one process after the other; and this many times as long as a look takes. */
#define STEP_NS NS_PER_SECOND
#define PAUSE 100
/* The kernel walks all pages of a process, 12 ms a GiB; what is recorded meanwhile waits in the buffers. */
#define MOST_RESIDENT_BYTES (16ull << 30)
/* At the end, for all processes: then the rest of what was recorded is still to be read. */
#define LAST_LOOK_NS NS_PER_SECOND

struct pinned_of {
	struct session *session;
	pid_t pid;
};

struct looks {
	struct session *session;
	uint64_t before_ns;  /* whoever was read by then is due */
	struct process *due; /* the one that was read longest ago */
};

static uint64_t pinned_between(void *context, uint64_t begin, uint64_t end)
{
	const struct pinned_of *of = context;

	return session_pinned_bytes(of->session, of->pid, begin, end);
}

/* The first time only: others are likely to be alike. */
static void note_unread(struct session *session, pid_t pid, const char *why)
{
	if (!session->pinned_unread)
		session_notice(
			session, "warning",
			"The NUMA nodes on which the pinned memory of process %d lies are not known: %s. The same may hold for other processes.",
			pid, why);
	session->pinned_unread = true;
}

static void read_process(struct session *session, struct process *process)
{
	struct pinned_of of = {session, process->pid};
	uint64_t bytes[NUMA_MOST_NODES] = {0};
	struct proc_stat stat;
	char text[512];
	int err;

	if (proc_read_stat(process->pid, 0, &stat))
		return;
	if (stat.rss_bytes > MOST_RESIDENT_BYTES) {
		note_unread(session, process->pid, "it has more than 16 GiB in memory");
		return;
	}
	watchdog_step(STEP_OF_WORK);
	err = numa_read_pinned("", process->pid, pinned_between, &of, bytes);
	if (err) {
		/* It may have ended meanwhile. */
		if (err != -ENOENT && err != -ESRCH)
			note_unread(session, process->pid, strerror(-err));
		return;
	}
	numa_text(bytes, text, sizeof(text));
	if (text[0])
		tasks_set_pinned_nodes(session->tasks, process, text);
}

static void find_due(void *context, struct process *process)
{
	struct looks *looks = context;
	struct pinned_of of = {looks->session, process->pid};
	uint64_t read_ns = process->pinned_read_ns;

	if (!process->target || (read_ns && read_ns >= looks->before_ns) ||
	    (looks->due && looks->due->pinned_read_ns <= read_ns) ||
	    !pinned_between(&of, 0, UINT64_MAX))
		return;
	looks->due = process;
}

/* Whether one was due. */
static bool read_next(struct session *session, uint64_t before_ns)
{
	struct looks looks = {.session = session, .before_ns = before_ns};

	tasks_each_living(session->tasks, find_due, &looks);
	if (!looks.due)
		return false;
	looks.due->pinned_read_ns = session->now_ns;
	read_process(session, looks.due);
	return true;
}

void pinned_nodes_begin(struct session *session)
{
	session->pinned_next_ns = numa_has_several_nodes("") ? session->begin_ns + FIRST_NS :
							       UINT64_MAX;
}

void pinned_nodes_read(struct session *session)
{
	uint64_t begin_ns, pause_ns;

	if (session->now_ns < session->pinned_next_ns)
		return;
	begin_ns = clock_ns(CLOCK_MONOTONIC);
	read_next(session, session->now_ns < PERIOD_NS ? 0 : session->now_ns - PERIOD_NS);
	pause_ns = PAUSE * (clock_ns(CLOCK_MONOTONIC) - begin_ns);
	session->pinned_next_ns = session->now_ns + (pause_ns > STEP_NS ? pause_ns : STEP_NS);
}

void pinned_nodes_read_last(struct session *session)
{
	uint64_t begin_ns = clock_ns(CLOCK_MONOTONIC);

	if (session->pinned_next_ns == UINT64_MAX)
		return;
	while (clock_ns(CLOCK_MONOTONIC) - begin_ns < LAST_LOOK_NS &&
	       read_next(session, session->now_ns))
		;
}
