// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Which threads are followed: those of the tree, found as they come. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../../host/file_text.h"
#include "../../clock.h"
#include "../../reserve.h"
#include "poller.h"

/* A new task is looked for by its number; with more of them than this, all of /proc is read. */
#define MAX_NEW_PIDS 512
#define FULL_SCAN_NS NS_PER_SECOND
#define MAX_THREADS 65536
#define START_TIME_ERROR_NS (10 * NS_PER_MS) /* a clock tick: start times are cut to it */

struct polled_thread *poller_find_thread(const struct poller *poller, pid_t tid)
{
	for (size_t i = 0; i < poller->count; i++) {
		if (poller->threads[i]->files.tid == tid)
			return poller->threads[i];
	}
	return NULL;
}

/* Room for one more in the list, or NULL. */
static struct polled_thread *add_slot(struct poller *poller)
{
	struct polled_thread *thread;

	if (reserve((void **)&poller->threads, &poller->capacity, poller->count + 1,
		    sizeof(*poller->threads), MAX_THREADS))
		return NULL;
	thread = calloc(1, sizeof(*thread));
	if (thread)
		poller->threads[poller->count++] = thread;
	return thread;
}

static struct task *see_task(struct poller *poller, pid_t pid, const struct proc_stat *stat)
{
	const struct task_identity identity = {
		.tid = stat->pid,
		.tgid = pid,
		.parent_tgid = stat->parent,
		.namespace_tid = proc_namespace_tid(pid, stat->pid),
		.namespace_tgid = proc_namespace_tid(pid, pid),
		.start_ns = proc_ticks_to_monotonic(stat->start_ticks),
		.comm = stat->comm,
		.target = true,
		.kernel = stat->kernel_thread,
	};

	return tasks_see(poller->polling.tasks, &identity);
}

/* Begins to follow a thread of the process. A new one: began in the last period. */
static void follow(struct poller *poller, pid_t pid, pid_t tid, bool is_new, uint64_t now_ns)
{
	uint64_t began_ns = now_ns, born_ns;
	struct polled_thread *thread;
	struct proc_stat stat;
	struct task *task;

	if (poller_find_thread(poller, tid) || proc_read_stat(pid, tid, &stat) ||
	    stat.state == 'Z' || stat.state == 'X')
		return;
	task = see_task(poller, pid, &stat);
	thread = task ? add_slot(poller) : NULL;
	if (!thread) {
		poller->lost_threads++;
		return;
	}
	thread->task = task;
	born_ns = proc_ticks_to_monotonic(stat.start_ticks);
	/* Born before the recording, however late it is found: its sums so far are not ours. */
	is_new = is_new && born_ns + START_TIME_ERROR_NS >= poller->begin_ns;
	if (is_new && born_ns < now_ns)
		began_ns = born_ns > poller->begin_ns ? born_ns : poller->begin_ns;
	if (polled_thread_open(&poller->polling, thread, &stat, pid, is_new, began_ns)) {
		polled_thread_close(&poller->polling, thread, began_ns, true);
		free(thread);
		poller->count--;
		return;
	}
	if (tid == pid)
		tasks_describe(poller->polling.tasks, task->process);
	if (!is_new)
		return;
	session_put_process_event(poller->session, PROCESS_FORK, began_ns,
				  tasks_row(poller->polling.tasks, tid == pid ? stat.parent : pid),
				  task->id);
	if (tid == pid && !task->process->forked)
		session_put_process_event(poller->session, PROCESS_EXEC, now_ns, task->id,
					  TRACE_NULL);
}

struct following {
	struct poller *poller;
	pid_t pid;
	bool is_new;
	uint64_t now_ns;
};

static void follow_thread(void *context, pid_t tid)
{
	const struct following *following = context;

	follow(following->poller, following->pid, tid, following->is_new, following->now_ns);
}

static void follow_process(void *context, pid_t pid)
{
	struct following following = *(const struct following *)context;

	following.pid = pid;
	follow(following.poller, pid, pid, following.is_new, following.now_ns);
	proc_each_thread(pid, follow_thread, &following);
}

/* The newest pid of our namespace is the last word of /proc/loadavg. */
static bool read_last_pid(pid_t *out)
{
	char text[128], *space;
	long length = file_text_read("/proc/loadavg", text, sizeof(text));

	if (length <= 0)
		return false;
	space = strrchr(text, ' ');
	*out = space ? (pid_t)strtol(space + 1, NULL, 10) : 0;
	return *out > 0;
}

static bool is_followed_process(const struct poller *poller, pid_t pid)
{
	const struct process *process = tasks_find_process(poller->polling.tasks, pid);

	return process && process->target && !process->ended;
}

/* A number that was given out since the last round: a thread or child of ours? */
static void try_pid(struct poller *poller, pid_t tid, uint64_t now_ns)
{
	struct following following = {.poller = poller, .is_new = true, .now_ns = now_ns};
	const char *group;
	struct proc_stat stat;
	char status[4096];
	pid_t pid;

	if (poller_find_thread(poller, tid) ||
	    proc_read(tid, 0, "status", status, sizeof(status)) <= 0)
		return;
	group = proc_status_field(status, "Tgid");
	pid = group ? (pid_t)strtol(group, NULL, 10) : 0;
	if (pid != tid) {
		if (is_followed_process(poller, pid))
			follow(poller, pid, tid, true, now_ns);
		return;
	}
	if (!proc_read_stat(tid, 0, &stat) && is_followed_process(poller, stat.parent))
		follow_process(&following, tid);
}

static void scan_process(void *context, pid_t pid)
{
	const struct following *following = context;
	struct proc_stat stat;

	if (is_followed_process(following->poller, pid) ||
	    (!proc_read_stat(pid, 0, &stat) && is_followed_process(following->poller, stat.parent)))
		follow_process(context, pid);
}

/* Two passes: a child may stand before its parent in /proc. */
static void scan_all(struct poller *poller, uint64_t now_ns)
{
	struct following following = {.poller = poller, .is_new = true, .now_ns = now_ns};

	proc_each_process(scan_process, &following);
	proc_each_process(scan_process, &following);
	poller->scanned_ns = now_ns;
}

/*
 * Numbers are given out in order, so the new tasks' are those between the newest then and now. Once
 * a second, and where that can't be told, everything is read.
 */
void poller_find_new_tasks(struct poller *poller, uint64_t now_ns)
{
	pid_t newest = 0, before = poller->last_pid;
	bool known = read_last_pid(&newest);
	bool few = known && poller->last_pid_known && newest >= before &&
		   newest - before <= MAX_NEW_PIDS;

	poller->last_pid = newest;
	poller->last_pid_known = known;
	if (!few || (newest != before && now_ns - poller->scanned_ns >= FULL_SCAN_NS)) {
		scan_all(poller, now_ns);
		return;
	}
	for (pid_t pid = before + 1; pid <= newest; pid++)
		try_pid(poller, pid, now_ns);
}

void poller_follow_tree(struct poller *poller, pid_t pid, uint64_t now_ns)
{
	struct following following = {.poller = poller, .now_ns = now_ns};

	poller->last_pid_known = read_last_pid(&poller->last_pid);
	proc_each_of_tree(pid, follow_process, &following);
}
