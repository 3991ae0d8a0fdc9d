// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* One recording from begin to end: set up, the loop, the finish. */
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "../host/proc.h"
#include "session.h"

#define WAIT_MS 50
/* Who empties the ring must get a CPU when the job wants them all; it needs little of it. */
#define NICE -10
#define COMMIT_NS (500 * NS_PER_MS)
#define CLOCK_NS NS_PER_SECOND
#define POLL_PERIOD_NS (10 * NS_PER_MS)
#define GPU_PERIOD_MS 200
#define STACK_THRESHOLD_NS 50000ull
/* Ten times what a large job takes; beyond it, the recorder could take memory from the job. */
#define MOST_MEMORY_BYTES (2ull << 30)
/* A job can make any number of libraries and programs that are worth one. */
#define MOST_NOTICES 500u
/* Of a thread in 100 ms: 5,000 launches a second are kept one by one. */
#define LAUNCHES_PER_BUCKET 500

void session_notice(struct session *session, const char *level, const char *format, ...)
{
	char text[1024];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	if (++session->notices > MOST_NOTICES)
		return;
	if (session->notices == MOST_NOTICES) {
		level = "warning";
		snprintf(
			text, sizeof(text),
			"There was more to say than %u notices: what came after them was left out.",
			MOST_NOTICES);
	}
	/* Into the file goes what its reader must know before trusting it. */
	if (level[0] == 'w')
		trace_put_notice(session->writer, level, text);
	session->callbacks->notice(session->callbacks->context, level, text);
}

static uint64_t agent_cpu_ns(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * NS_PER_SECOND +
	       (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000ull;
}

/* Loads and attaches what the kernel lets us; -errno where nothing of it can be had. */
static int start_programs(struct session *session)
{
	const struct record_options *options = session->options;
	struct programs_options wanted = {
		.all_tasks = options->target == TARGET_ALL,
		.python = true,
		.samples_per_second = options->samples_per_second,
		.stack_threshold_ns = STACK_THRESHOLD_NS,
		.launches_per_bucket = LAUNCHES_PER_BUCKET,
		.pretend_missing = options->pretend_missing,
	};
	char *detail = session->result->message;
	int err;

	for (unsigned int i = 0; i < SOURCE_COUNT; i++)
		wanted.wanted[i] = i < SOURCE_PAGE_FAULTS || options->profile[i];
	wanted.wanted[SOURCE_SAMPLES] = options->samples_per_second > 0;
	if (options->no_bpf) {
		snprintf(detail, sizeof(session->result->message), "Asked for with --no-bpf.");
		return -ENOTSUP;
	}
	err = programs_load(&wanted, &session->programs, session->status, detail,
			    sizeof(session->result->message));
	if (err < 0)
		return err;
	err = programs_attach(session->programs, session->status);
	if (err < 0)
		return err;
	for (unsigned int i = 0; i < cuda_function_count; i++)
		programs_set_function(session->programs, i, &cuda_functions[i].spec);
	session->uprobes = uprobes_new(session->programs, options->pretend_missing);
	return session->uprobes ? 0 : -ENOMEM;
}

/* What was wanted and can't be had without BPF, each with the reason. */
static void mark_all_missing(struct session *session, const char *why)
{
	for (unsigned int i = 0; i < SOURCE_COUNT; i++) {
		struct source_status *status = &session->status[i];

		status->wanted = i < SOURCE_PAGE_FAULTS || session->options->profile[i];
		status->available = false;
		snprintf(status->detail, sizeof(status->detail), "%.255s", why);
	}
}

static int create_parts(struct session *session)
{
	const struct record_options *options = session->options;
	const struct trace_options trace = {
		.path = options->out,
		.begin_monotonic_ns = session->begin_ns,
		.begin_unix_ns = clock_ns(CLOCK_REALTIME),
		.max_bytes = options->max_bytes,
		.owner = options->owner,
		.group = options->group,
	};
	pid_t first = options->pid_count ? options->pids[0] : 0;
	int err = trace_create(&trace, &session->writer, session->result->message,
			       sizeof(session->result->message));

	if (err < 0)
		return err;
	session->tasks = tasks_new(session->writer);
	session->symbols = symboliser_new();
	session->python = session->symbols ? python_readers_new(session->symbols) : NULL;
	session->stacks = session->python ?
				  stacks_new(session->writer, session->symbols, session->python) :
				  NULL;
	session->ranges = host_ranges_new();
	session->descriptors = descriptors_new(session->writer);
	session->system = system_sampler_new(first);
	if (!session->tasks || !session->stacks || !session->ranges || !session->descriptors ||
	    !session->system) {
		snprintf(session->result->message, sizeof(session->result->message),
			 "There is not enough memory to record.");
		return -ENOMEM;
	}
	return 0;
}

static void add_target(void *context, pid_t pid)
{
	struct session *session = context;

	if (session->poller) {
		poller_add_target(session->poller, pid);
		return;
	}
	programs_add_target(session->programs, pid);
	session_probe_process(session, pid, 0);
}

static void add_targets(struct session *session)
{
	for (unsigned int i = 0; i < session->options->pid_count; i++) {
		if (session->poller)
			add_target(session, session->options->pids[i]);
		else
			proc_each_of_tree(session->options->pids[i], add_target, session);
	}
}

static void describe_recording(struct session *session)
{
	const struct record_options *options = session->options;
	char detail[256];

	if (options->options_json)
		trace_put_meta(session->writer, "options", options->options_json);
	host_describe(session->writer);
	if (options->pid_count)
		host_describe_packages(session->writer, options->pids[0]);
	if (gpu_sampler_start(options->nvidia_smi, GPU_PERIOD_MS, &session->gpu, detail,
			      sizeof(detail)) < 0)
		trace_put_capability(session->writer, "gpu_samples", false, detail);
	else
		trace_put_capability(session->writer, "gpu_samples", true, "nvidia-smi");
}

/* With BPF, or with /proc alone where that is refused. */
static int choose_way(struct session *session)
{
	char why[sizeof(session->result->message)];
	int err = start_programs(session);

	if (err == 0)
		return 0;
	snprintf(why, sizeof(why), "%s", session->result->message);
	session->result->message[0] = '\0';
	uprobes_free(session->uprobes);
	programs_free(session->programs);
	session->uprobes = NULL;
	session->programs = NULL;
	mark_all_missing(session, why);
	return 0;
}

static int set_up(struct session *session)
{
	int err = choose_way(session);

	session->begin_ns = session->now_ns = session->quiet_ns = clock_ns(CLOCK_MONOTONIC);
	if (err == 0)
		err = create_parts(session);
	if (err < 0)
		return err;
	if (session->programs) {
		if (mapping_watch_open(&session->watch) < 0)
			session_notice(
				session, "warning",
				"Libraries that are loaded later may be probed late: mappings can't be watched on this kernel.");
		session_probe_known(session);
	} else {
		session->poller = poller_new(session->writer, session->tasks, session->stacks,
					     POLL_PERIOD_NS);
		if (!session->poller)
			return -ENOMEM;
		session_notice(session, "warning",
			       "Recorded by sampling /proc every 10 ms, without BPF: %s",
			       session->status[SOURCE_SWITCHES].detail);
	}
	describe_recording(session);
	add_targets(session);
	session_write_sources(session);
	session_write_clock(session);
	return 0;
}

static int watch_fd(int epoll_fd, int fd)
{
	struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};

	return fd < 0 ? 0 : epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &event);
}

static bool is_alive(pid_t pid)
{
	struct proc_stat stat;

	return proc_read_stat(pid, 0, &stat) == 0 && stat.state != 'Z' && stat.state != 'X';
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

static enum record_end end_of_failure(int err)
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

/* What is due by the clock. */
static void do_periodic(struct session *session, uint64_t *sampled_ns, uint64_t *committed_ns,
			uint64_t *clocked_ns)
{
	uint64_t now = session->now_ns;

	if (now - *sampled_ns >= SAMPLE_PERIOD_NS) {
		system_sampler_read(session->system, session->writer, now);
		*sampled_ns = now;
	}
	if (now - *clocked_ns >= CLOCK_NS) {
		session_write_clock(session);
		*clocked_ns = now;
	}
	if (now - *committed_ns >= COMMIT_NS) {
		trace_commit(session->writer);
		report_progress(session);
		*committed_ns = now;
	}
}

static void consume(struct session *session)
{
	session->now_ns = clock_ns(CLOCK_MONOTONIC);
	if (session->watch)
		session_read_mappings(session);
	if (session->programs) {
		programs_consume(session->programs, session_handle, session);
		session_probe_unknown(session);
		session_note_losses(session);
		session_find_python(session);
	}
	if (session->gpu)
		gpu_sampler_read(session->gpu, session->writer, session->now_ns);
}

static int loop(struct session *session)
{
	uint64_t sampled_ns = 0, committed_ns = session->now_ns, clocked_ns = session->now_ns;
	int wait_ms = session->poller ? POLL_PERIOD_NS / NS_PER_MS : WAIT_MS;
	int epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	struct epoll_event events[4];

	if (epoll_fd < 0)
		return -errno;
	if (session->programs)
		watch_fd(epoll_fd, programs_ring_fd(session->programs));
	if (session->watch)
		watch_fd(epoll_fd, mapping_watch_fd(session->watch));
	if (session->gpu)
		watch_fd(epoll_fd, gpu_sampler_fd(session->gpu));
	do {
		consume(session);
		if (session->poller)
			poller_round(session->poller, session->now_ns);
		do_periodic(session, &sampled_ns, &committed_ns, &clocked_ns);
		if (has_ended(session))
			break;
	} while (epoll_wait(epoll_fd, events, 4, wait_ms) >= 0 || errno == EINTR);
	close(epoll_fd);
	return 0;
}

static void describe(void *context, struct process *process)
{
	struct session *session = context;

	if (process->target)
		tasks_describe(session->tasks, process);
}

/* Stops the sources, empties the ring, gives frames their names, ends the file. */
static int finish(struct session *session)
{
	struct record_result *result = session->result;
	char message[sizeof(result->message)] = "";
	uint64_t end_ns = clock_ns(CLOCK_MONOTONIC);
	struct stat file;
	int err;

	if (session->programs) {
		programs_record(session->programs, false);
		end_ns = clock_ns(CLOCK_MONOTONIC);
		consume(session);
		while (programs_consume(session->programs, session_handle, session) > 0)
			;
		programs_run_time(session->programs, &result->bpf_run_ns, &result->bpf_runs);
		session->notices = 0; /* these are few, and must be said */
		session_write_losses(session);
	}
	if (session->poller)
		poller_finish(session->poller, end_ns);
	system_sampler_read(session->system, session->writer, end_ns);
	tasks_each_process(session->tasks, describe, session);
	stacks_finish(session->stacks);
	session_write_clock(session);
	memcpy(result->drops, session->drops, sizeof(result->drops));
	result->events = session->progress.events;
	result->length_ns = end_ns - session->begin_ns;
	result->file_bytes = trace_bytes(session->writer);
	for (unsigned int i = 0; i < TRACE_TABLES; i++)
		result->rows[i] = trace_rows(session->writer, i);
	err = trace_finish(session->writer, end_ns, message, sizeof(message));
	session->writer = NULL;
	if (message[0] && !result->message[0])
		snprintf(result->message, sizeof(result->message), "%s", message);
	if (stat(session->options->out, &file) == 0)
		result->file_bytes = (uint64_t)file.st_size;
	if (err < 0)
		result->end = end_of_failure(err);
	/* Full is an end like any other: the file has all that came before. */
	if (result->end == END_MAX_SIZE || result->end == END_DISK_FULL)
		err = 0;
	result->agent_cpu_ns = agent_cpu_ns();
	return err;
}

static void free_parts(struct session *session)
{
	gpu_sampler_stop(session->gpu);
	system_sampler_free(session->system);
	poller_free(session->poller);
	mapping_watch_close(session->watch);
	uprobes_free(session->uprobes);
	programs_free(session->programs);
	descriptors_free(session->descriptors);
	host_ranges_free(session->ranges);
	stacks_free(session->stacks);
	python_readers_free(session->python);
	symboliser_free(session->symbols);
	tasks_free(session->tasks);
}

int record_run(const struct record_options *options, const struct record_callbacks *callbacks,
	       struct record_result *result)
{
	struct session *session = calloc(1, sizeof(*session));
	uint64_t called_ns = clock_ns(CLOCK_MONOTONIC);
	int err;

	*result = (struct record_result){.end = END_FAILED};
	if (!session)
		return -ENOMEM;
	session->options = options;
	session->callbacks = callbacks;
	session->result = result;
	/* Without the privilege it records at the priority it has. */
	setpriority(PRIO_PROCESS, 0, NICE);
	err = set_up(session);
	if (err == 0) {
		if (session->programs)
			programs_record(session->programs, true);
		result->start_up_ns = clock_ns(CLOCK_MONOTONIC) - called_ns;
		session->start_up_cpu_ns = agent_cpu_ns();
		callbacks->released(callbacks->context, session->status, session->poller != NULL);
		err = loop(session);
	}
	if (session->writer) {
		int finished = finish(session);

		err = err < 0 ? err : finished;
	}
	free_parts(session);
	free(session);
	return err;
}
