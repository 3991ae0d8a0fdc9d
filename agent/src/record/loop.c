// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Waits, hands on what came, does what is due, until there is a reason to end. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <unistd.h>
#include "../host/proc.h"
#include "session.h"

#define WAIT_MS 50
#define COMMIT_NS (500 * NS_PER_MS)
#define PROGRESS_NS (500 * NS_PER_MS)
#define CLOCK_NS NS_PER_SECOND
/* Processes whose control group is read at a time, 10 µs each. */
#define MOST_FOLLOWED 100
/* Ten times what a large job takes; beyond it, the recorder could take memory from the job. */
#define MOST_MEMORY_BYTES (2ull << 30)

/* While any thread of it is: the first one may have gone before. */
static bool is_alive(pid_t pid)
{
	struct proc_stat stat;

	return proc_read_stat(pid, 0, &stat) == 0 && stat.state != 'X' &&
	       (stat.state != 'Z' || stat.threads > 1);
}

static bool targets_live(struct session *session)
{
	if (session->options->target == TARGET_ALL || tasks_living_targets(session->tasks))
		return true;
	for (unsigned int i = 0; i < session->options->pid_count; i++) {
		if (is_alive(session->options->pids[i]))
			return true;
	}
	return false;
}

enum record_end end_of_failure(int err)
{
	return err == -EFBIG ? END_MAX_SIZE : err == -ENOSPC ? END_DISK_FULL : END_FAILED;
}

static bool took_too_much_memory(struct session *session)
{
	struct record_result *result = session->result;
	struct proc_stat stat;

	if (proc_read_stat(getpid(), 0, &stat) || stat.rss_bytes < MOST_MEMORY_BYTES)
		return false;
	result->end = END_MEMORY_FULL;
	snprintf(
		result->message, sizeof(result->message),
		"The recording ended because the recorder itself took %llu MiB of memory: record fewer "
		"processes, or for a shorter time.",
		(unsigned long long)(stat.rss_bytes >> 20));
	return true;
}

/* Whether it is over, and why. */
static bool has_ended(struct session *session)
{
	struct record_result *result = session->result;
	uint64_t elapsed = session->now_ns - session->begin_ns;
	const char *message = NULL;
	int err = trace_status(session->writer, &message);

	if (err < 0) {
		result->end = end_of_failure(err);
		snprintf(result->message, sizeof(result->message), "%s", message);
		return true;
	}
	if (took_too_much_memory(session))
		return true;
	if (session->callbacks->should_stop(session->callbacks->context)) {
		result->end = END_STOPPED;
		return true;
	}
	if (session->options->duration_ns && elapsed >= session->options->duration_ns) {
		result->end = END_DURATION;
		return true;
	}
	if (!targets_live(session)) {
		result->end = END_TARGET_EXITED;
		return true;
	}
	return false;
}

static void report_progress(struct session *session)
{
	struct record_progress *progress = &session->progress;

	progress->elapsed_ns = session->now_ns - session->begin_ns;
	for (unsigned int i = 0; i < TRACE_TABLES; i++)
		progress->rows[i] = trace_rows(session->writer, i);
	progress->file_bytes = trace_bytes(session->writer);
	progress->cpu_percent = system_sampler_cpu_percent(session->system);
	progress->gpu_percent = session->gpu ? gpu_sampler_percent(session->gpu) : -1;
	progress->agent_cpu_percent = 100.0 * (double)(agent_cpu_ns() - session->start_up_cpu_ns) /
				      (double)(progress->elapsed_ns + 1);
	progress->processes = tasks_living_targets(session->tasks);
	progress->threads = tasks_living_target_threads(session->tasks);
	session->callbacks->progress(session->callbacks->context, progress);
	progress->slowest_count = 0;
}

/* A job may put a process into a control group, or start it in a container, at any time. */
static void follow_group(void *context, struct process *process)
{
	struct session *session = context;

	if (process->target && session->followed++ < MOST_FOLLOWED)
		system_sampler_follow(session->system, process->pid);
}

/* When a process has set up its CPUs and its group: a worker of a DataLoader does so after its fork. */
#define SETTLED_NS 500000000ULL

static void read_again(void *context, struct process *process)
{
	struct session *session = context;
	uint64_t began_ns = process->exec_ns > process->start_ns ? process->exec_ns :
								   process->start_ns;

	if (!process->target || process->settled || session->now_ns < began_ns + SETTLED_NS)
		return;
	process->settled = true;
	tasks_describe(session->tasks, process);
}

static void follow_groups(struct session *session)
{
	session->followed = 0;
	if (session->options->target != TARGET_ALL)
		tasks_each_living(session->tasks, follow_group, session);
}

/* When each was done last. */
struct last_done {
	uint64_t sampled_ns, clocked_ns, committed_ns, reported_ns;
};

/* Often at first: a recording that is killed early has something to show for it. */
static uint64_t commit_period(const struct session *session)
{
	uint64_t elapsed = session->now_ns - session->begin_ns;

	return elapsed < 2 * COMMIT_NS ? elapsed / 2 : COMMIT_NS;
}

/* What is due by the clock. */
static void do_periodic(struct session *session, struct last_done *last)
{
	uint64_t now = session->now_ns;

	if (now - last->sampled_ns >= SAMPLE_PERIOD_NS) {
		system_sampler_read(session->system, session->writer, now);
		if (session->options->target != TARGET_ALL)
			tasks_each_living(session->tasks, read_again, session);
		last->sampled_ns = now;
	}
	if (now - last->clocked_ns >= CLOCK_NS) {
		session_write_clock(session);
		follow_groups(session);
		last->clocked_ns = now;
	}
	pinned_nodes_read(session);
	connections_read(session);
	if (now - last->committed_ns >= commit_period(session)) {
		trace_commit(session->writer);
		last->committed_ns = now;
	}
	if (now - last->reported_ns >= PROGRESS_NS) {
		report_progress(session);
		last->reported_ns = now;
	}
}

int session_loop(struct session *session)
{
	struct last_done last = {.clocked_ns = session->now_ns, .reported_ns = session->now_ns};
	int epoll_fd = epoll_create1(EPOLL_CLOEXEC), wait_ms;
	struct epoll_event events[4];

	if (epoll_fd < 0)
		return -errno;
	wait_ms = session_watch_recorders(session, epoll_fd, WAIT_MS);
	if (session->gpu)
		session_watch_fd(epoll_fd, gpu_sampler_fd(session->gpu));
	do {
		session_consume(session);
		if (session->gpu)
			gpu_sampler_read(session->gpu, session->writer, session->now_ns);
		do_periodic(session, &last);
		if (has_ended(session))
			break;
	} while (epoll_wait(epoll_fd, events, 4, wait_ms) >= 0 || errno == EINTR);
	close(epoll_fd);
	return 0;
}
