// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* On which nodes of memory the job's pinned memory lies: read seldom, and only where there are several. */
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
/* The kernel walks all pages of a process, 12 ms a GiB, and nothing else is recorded meanwhile. */
#define MOST_RESIDENT_BYTES (16ull << 30)

struct pinned_of {
	struct session *session;
	pid_t pid;
};

struct looks {
	struct session *session;
	bool all;
	unsigned int count;
};

static uint64_t pinned_between(void *context, uint64_t begin, uint64_t end)
{
	const struct pinned_of *of = context;

	return session_pinned_bytes(of->session, of->pid, begin, end);
}

static void read_process(struct session *session, struct process *process)
{
	struct pinned_of of = {session, process->pid};
	uint64_t bytes[NUMA_MOST_NODES] = {0};
	struct proc_stat stat;
	char text[512];

	if (proc_read_stat(process->pid, 0, &stat) || stat.rss_bytes > MOST_RESIDENT_BYTES)
		return;
	watchdog_step(STEP_OF_WORK);
	if (numa_read_pinned("", process->pid, pinned_between, &of, bytes))
		return;
	numa_text(bytes, text, sizeof(text));
	if (text[0])
		tasks_set_pinned_nodes(session->tasks, process, text);
}

/* One that is due, unless another has just been read; at the end all. */
static void look_at(void *context, struct process *process)
{
	struct looks *looks = context;
	struct session *session = looks->session;
	struct pinned_of of = {session, process->pid};
	uint64_t read_ns = process->pinned_read_ns;

	if (!process->target || (looks->count && !looks->all) ||
	    (!looks->all && read_ns && session->now_ns - read_ns < PERIOD_NS) ||
	    !pinned_between(&of, 0, UINT64_MAX))
		return;
	process->pinned_read_ns = session->now_ns;
	looks->count++;
	read_process(session, process);
}

void pinned_nodes_begin(struct session *session)
{
	session->pinned_next_ns = numa_has_several_nodes("") ? session->begin_ns + FIRST_NS :
							       UINT64_MAX;
}

void pinned_nodes_read(struct session *session, bool last)
{
	struct looks looks = {.session = session, .all = last};
	uint64_t begin_ns, pause_ns;

	if (session->pinned_next_ns == UINT64_MAX ||
	    (!last && session->now_ns < session->pinned_next_ns))
		return;
	begin_ns = clock_ns(CLOCK_MONOTONIC);
	tasks_each_living(session->tasks, look_at, &looks);
	pause_ns = PAUSE * (clock_ns(CLOCK_MONOTONIC) - begin_ns);
	session->pinned_next_ns = session->now_ns + (pause_ns > STEP_NS ? pause_ns : STEP_NS);
}
