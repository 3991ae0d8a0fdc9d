// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Which threads are followed: those of the tree, found as they come and go. */
#include "poller.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
#include "../../wire.h"
#include "cgroup.h"
#include "polled_thread.h"

/* A new task is looked for by its number; with more of them than this, all of /proc is read. */
#define MAX_NEW_PIDS 512
#define FULL_SCAN_NS 1000000000ull
#define THROTTLING_NS 100000000ull
/* A round may take this part of a period; else the period grows. */
#define PERIOD_SHARE 5
#define MAX_THREADS 65536
#define START_TIME_ERROR_NS 10000000ull /* a clock tick: start times are cut to it */

struct poller {
	struct polling polling;
	struct polled_thread **threads;
	size_t count, capacity;
	uint64_t period_ns, longest_period_ns, asked_period_ns;
	uint64_t begin_ns, round_ns, next_round_ns, scanned_ns;
	uint64_t round_cost_ns; /* CPU time of a round, smoothed */
	uint64_t rounds, slow_rounds;
	uint64_t lost_threads; /* for lack of memory or room */
	pid_t last_pid;        /* the newest in our PID namespace */
	bool last_pid_known;
	struct cgroup_cpu cgroup;
	struct cgroup_throttling throttling;
	bool has_cgroup;
	uint64_t throttling_ns;
	int64_t action_names[PROCESS_RENAME + 1];
};

struct poller *poller_new(struct trace_writer *writer, struct tasks *tasks, struct stacks *stacks,
			  uint64_t period_ns)
{
	struct poller *poller = calloc(1, sizeof(*poller));
	struct proc_schedstat own;
	struct rlimit files;

	if (!poller)
		return NULL;
	poller->polling = (struct polling){.writer = writer, .tasks = tasks, .stacks = stacks};
	poller->period_ns = poller->longest_period_ns = poller->asked_period_ns = period_ns;
	/* Without CONFIG_SCHED_INFO there is no such file, with delayacct off it is all zeros. */
	poller->polling.no_schedstat = proc_read_schedstat(getpid(), 0, &own) || own.slices == 0;
	/* Two descriptors a thread. */
	if (!getrlimit(RLIMIT_NOFILE, &files)) {
		files.rlim_cur = files.rlim_max;
		setrlimit(RLIMIT_NOFILE, &files);
	}
	return poller;
}

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (uint64_t)time.tv_sec * 1000000000ull + (uint64_t)time.tv_nsec;
}

static struct polled_thread *find_thread(const struct poller *poller, pid_t tid)
{
	for (size_t i = 0; i < poller->count; i++) {
		if (poller->threads[i]->tid == tid)
			return poller->threads[i];
	}
	return NULL;
}

static void put_event(struct poller *poller, int action, uint64_t at_ns, int64_t thread,
		      int64_t subject)
{
	static const char *const names[] = {
		[PROCESS_FORK] = "fork",
		[PROCESS_EXEC] = "exec",
		[PROCESS_EXIT] = "exit",
		[PROCESS_RENAME] = "rename",
	};
	struct trace_writer *writer = poller->polling.writer;
	int64_t *name = &poller->action_names[action], *row;

	if (!*name)
		*name = trace_name(writer, "HOST", names[action]);
	row = trace_append(writer, TABLE_PROCESS_EVENT);
	row[PROCESS_EVENT_START_NS] = trace_time(writer, at_ns);
	row[PROCESS_EVENT_THREAD_ID] = thread;
	row[PROCESS_EVENT_OP_ID] = *name;
	row[PROCESS_EVENT_KIND] = action;
	row[PROCESS_EVENT_SUBJECT_ID] = subject;
}

/* Room for one more in the list, or NULL. */
static struct polled_thread *add_slot(struct poller *poller)
{
	struct polled_thread *thread;

	if (poller->count == poller->capacity) {
		size_t capacity = poller->capacity ? 2 * poller->capacity : 64;
		void *grown = capacity > MAX_THREADS ? NULL :
						       reallocarray(poller->threads, capacity,
								    sizeof(*poller->threads));

		if (!grown)
			return NULL;
		poller->threads = grown;
		poller->capacity = capacity;
	}
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

/* The process, for its role: whose child it is, and whether it runs its parent's program. */
static void describe_process(struct poller *poller, struct task *task, const struct proc_stat *stat)
{
	struct process *process = task->process;
	struct process *parent = tasks_find_process(poller->polling.tasks, stat->parent);

	if (parent && parent->target) {
		process->parent = parent;
		process->forked = proc_forked_without_exec(process->pid, stat->parent);
		if (process->forked)
			parent->forked_children++;
	}
	tasks_describe(poller->polling.tasks, process);
}

/* Begins to follow a thread of the process. A new one: began in the last period. */
static void follow(struct poller *poller, pid_t pid, pid_t tid, bool is_new, uint64_t now_ns)
{
	uint64_t began_ns = now_ns, born_ns;
	struct polled_thread *thread;
	struct proc_stat stat;
	struct task *task;

	if (find_thread(poller, tid) || proc_read_stat(pid, tid, &stat) || stat.state == 'Z' ||
	    stat.state == 'X')
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
		describe_process(poller, task, &stat);
	if (is_new) {
		pid_t maker = tid == pid ? stat.parent : pid;

		put_event(poller, PROCESS_FORK, began_ns, tasks_row(poller->polling.tasks, maker),
			  task->id);
	}
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
	long length = proc_read_path("/proc/loadavg", text, sizeof(text));

	if (length <= 0)
		return false;
	space = strrchr(text, ' ');
	*out = space ? (pid_t)strtol(space + 1, NULL, 10) : 0;
	return *out > 0;
}

void poller_add_target(struct poller *poller, pid_t pid)
{
	struct following following = {.poller = poller, .now_ns = clock_ns(CLOCK_MONOTONIC)};

	if (!poller->begin_ns)
		poller->begin_ns = following.now_ns;
	poller->last_pid_known = read_last_pid(&poller->last_pid);
	proc_each_of_tree(pid, follow_process, &following);
	if (!poller->has_cgroup && !cgroup_cpu_of_process(pid, &poller->cgroup))
		poller->has_cgroup = !cgroup_read_throttling(&poller->cgroup, &poller->throttling);
	poller->throttling_ns = following.now_ns;
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

	if (find_thread(poller, tid) || proc_read(tid, 0, "status", status, sizeof(status)) <= 0)
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
static void find_new_tasks(struct poller *poller, uint64_t now_ns)
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

static void tell_changes(struct poller *poller, struct polled_thread *thread, uint64_t now_ns)
{
	struct process *process = thread->task->process;

	if (!thread->renamed && !thread->called_exec)
		return;
	if (thread->called_exec && process->forked && process->parent) {
		process->parent->forked_children--;
		process->from_exec = true;
	}
	put_event(poller, thread->called_exec ? PROCESS_EXEC : PROCESS_RENAME, now_ns,
		  thread->task->id, TRACE_NULL);
	tasks_rename(poller->polling.tasks, thread->task, thread->comm, thread->called_exec);
}

static void look_at_all(struct poller *poller, uint64_t now_ns)
{
	size_t kept = 0;

	for (size_t i = 0; i < poller->count; i++) {
		struct polled_thread *thread = poller->threads[i];
		int err = polled_thread_look(&poller->polling, thread, now_ns);

		if (!err)
			tell_changes(poller, thread, now_ns);
		if (!err && !thread->ended) {
			poller->threads[kept++] = thread;
			continue;
		}
		polled_thread_close(&poller->polling, thread, now_ns, true);
		put_event(poller, PROCESS_EXIT, now_ns, thread->task->id, TRACE_NULL);
		tasks_end(poller->polling.tasks, thread->task, now_ns);
		free(thread);
	}
	poller->count = kept;
}

/* Time that the quota took from the target's group. */
static void read_throttling(struct poller *poller, uint64_t now_ns)
{
	struct trace_writer *writer = poller->polling.writer;
	struct cgroup_throttling now;
	uint64_t since_ns = poller->throttling_ns;
	int64_t *row, source, operation;

	if (!poller->has_cgroup || now_ns - since_ns < THROTTLING_NS ||
	    cgroup_read_throttling(&poller->cgroup, &now))
		return;
	poller->throttling_ns = now_ns;
	if (now.throttled_ns > poller->throttling.throttled_ns) {
		source = trace_name(writer, "", "HOST");
		operation = trace_name(writer, "HOST", "throttled by CPU quota");
		row = trace_append(writer, TABLE_AGGREGATE);
		row[AGGREGATE_START_NS] = trace_time(writer, since_ns);
		row[AGGREGATE_DURATION_NS] = (int64_t)(now_ns - since_ns);
		row[AGGREGATE_SOURCE_ID] = source;
		row[AGGREGATE_OP_ID] = operation;
		row[AGGREGATE_COUNT] = (int64_t)(now.periods - poller->throttling.periods);
		row[AGGREGATE_STORED] = 0;
		row[AGGREGATE_TOTAL_NS] =
			(int64_t)(now.throttled_ns - poller->throttling.throttled_ns);
	}
	poller->throttling = now;
}

/* Whole multiples of the period that was asked for, so that a round takes a fifth of it at most. */
static void adapt_period(struct poller *poller, uint64_t cost_ns)
{
	uint64_t needed_ns;

	poller->round_cost_ns = poller->rounds ? (7 * poller->round_cost_ns + cost_ns) / 8 :
						 cost_ns;
	needed_ns = poller->round_cost_ns * PERIOD_SHARE;
	poller->period_ns = (needed_ns / poller->asked_period_ns + 1) * poller->asked_period_ns;
	if (poller->period_ns > poller->longest_period_ns)
		poller->longest_period_ns = poller->period_ns;
	poller->slow_rounds += poller->period_ns > poller->asked_period_ns;
	poller->rounds++;
}

int poller_round(struct poller *poller, uint64_t now_ns)
{
	uint64_t begin_cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);

	if (now_ns < poller->next_round_ns)
		return (int)poller->count;
	look_at_all(poller, now_ns);
	find_new_tasks(poller, now_ns);
	read_throttling(poller, now_ns);
	adapt_period(poller, clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin_cpu_ns);
	/* A millisecond early is better than a whole round late. */
	poller->next_round_ns = now_ns + poller->period_ns - 1000000;
	poller->round_ns = now_ns;
	return (int)poller->count;
}

static void put_sampled(const struct poller *poller, const char *table, const char *column,
			const char *note)
{
	trace_put_provenance(poller->polling.writer, table, column, "sampled",
			     (int64_t)poller->longest_period_ns, note);
}

static void put_absent(const struct poller *poller, const char *column, const char *note)
{
	trace_put_provenance(poller->polling.writer, "off_cpu", column, "absent", TRACE_NULL, note);
}

static void write_provenance(const struct poller *poller)
{
	const struct polling *polling = &poller->polling;
	char note[512];

	snprintf(
		note, sizeof(note),
		"Without BPF: /proc was read every %llu ms%s. CPU time and run-queue time are the kernel's own sums; where they lie inside a period is not known, and waits shorter than a period can be one row.%s",
		(unsigned long long)(poller->asked_period_ns / 1000000),
		poller->slow_rounds ? ", less often while there were many threads" : "",
		polling->no_schedstat ?
			" This kernel keeps no schedstat: CPU time is counted in clock ticks." :
			"");
	put_sampled(poller, "off_cpu", "", note);
	put_sampled(
		poller, "on_cpu", "",
		"Without BPF: only threads of the traced tree, from their CPU time. Who ran instead of them can't be seen.");
	put_sampled(
		poller, "process_event", "",
		"Without BPF: seen at the next look. What began and ended between two looks is missing, and so is a child whose parent ended at once.");
	put_sampled(poller, "aggregate", "",
		    "Throttling by a CPU quota, from the control group's own sums.");
	put_absent(poller, "waker_id", "Without BPF nobody says who woke a thread.");
	put_absent(poller, "waker_context", "Without BPF nobody says who woke a thread.");
	put_absent(poller, "next_thread_id", "Without BPF nobody says who came on the CPU.");
	put_absent(poller, "previous_thread_id", "Without BPF nobody says who was on the CPU.");
	put_absent(poller, "throttled_ns", "Known of the control group only: see aggregate.");
	put_absent(poller, "io_wait", "Not told by /proc.");
	put_absent(poller, "file_id", "Descriptors are not followed without BPF.");
	if (polling->no_schedstat)
		put_absent(poller, "run_queue_ns", "This kernel keeps no schedstat.");
	if (polling->named_waits)
		put_sampled(poller, "off_cpu", "stack_id",
			    "The kernel function it slept in (wchan), as one frame.");
	else
		put_absent(poller, "stack_id",
			   "The kernel function (wchan) is not told to this user.");
	if (polling->known_syscalls)
		put_sampled(poller, "off_cpu", "syscall",
			    "From /proc/PID/syscall, at the begin of each wait.");
	else
		put_absent(poller, "syscall", "/proc/PID/syscall may not be read by this user.");
}

static void write_notices(const struct poller *poller)
{
	const struct polling *polling = &poller->polling;
	char text[256];

	if (polling->denied_syscalls) {
		snprintf(
			text, sizeof(text),
			"The system call of %llu of %llu waits may not be read by this user: run the agent as root, or as the owner of the processes.",
			(unsigned long long)polling->denied_syscalls,
			(unsigned long long)polling->waits);
		trace_put_notice(polling->writer, "info", text);
	}
	if (poller->lost_threads) {
		snprintf(text, sizeof(text), "%llu threads were not followed: there were too many.",
			 (unsigned long long)poller->lost_threads);
		trace_put_notice(polling->writer, "warning", text);
	}
}

void poller_finish(struct poller *poller, uint64_t now_ns)
{
	look_at_all(poller, now_ns);
	for (size_t i = 0; i < poller->count; i++) {
		polled_thread_close(&poller->polling, poller->threads[i], now_ns, false);
		free(poller->threads[i]);
	}
	poller->count = 0;
	write_provenance(poller);
	write_notices(poller);
}

void poller_free(struct poller *poller)
{
	if (!poller)
		return;
	for (size_t i = 0; i < poller->count; i++) {
		if (poller->threads[i]->stat_fd >= 0)
			close(poller->threads[i]->stat_fd);
		if (poller->threads[i]->schedstat_fd >= 0)
			close(poller->threads[i]->schedstat_fd);
		free(poller->threads[i]);
	}
	free(poller->threads);
	free(poller);
}
