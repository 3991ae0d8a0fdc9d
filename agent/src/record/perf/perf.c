// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Records each switch of the job's own threads, without any privilege where the kernel allows it. */
#include "perf.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#include "../../probe/kernel/kernel_support.h"
#include "../../watchdog.h"

#define WAIT_MS 10

/* Before Linux 4.17 it is not told whether a thread that left its CPU was preempted. */
static bool is_too_old(void)
{
	struct utsname name;
	int major = 0, minor = 0;

	if (uname(&name) || sscanf(name.release, "%d.%d", &major, &minor) != 2)
		return false;
	return major < 4 || (major == 4 && minor < 17);
}

static int perf_try_out(char *why, size_t why_size)
{
	if (is_too_old()) {
		snprintf(why, why_size, "It needs Linux 4.17 or later.");
		return -ENOTSUP;
	}
	return perf_rings_try(why, why_size);
}

static void say_that_it_records(struct perf_recorder *perf)
{
	struct session *session = perf->session;

	for (unsigned int i = 0; i < SOURCE_COUNT; i++) {
		struct source_status *status = &session->status[i];

		if (!(perf_recorder.sources & SOURCE_BIT(i)))
			continue;
		if (i == SOURCE_SWITCHES)
			memcpy(perf->without_bpf, status->detail, sizeof(perf->without_bpf));
		status->available = true;
		snprintf(status->detail, sizeof(status->detail),
			 "of the job's own threads, by perf events");
	}
	snprintf(session->tiers[TIER_PERF].detail, sizeof(session->tiers[TIER_PERF].detail),
		 "%u rings of %zu KiB.", perf_rings_cpus(perf->rings),
		 perf_rings_bytes(perf->rings) >> 10);
	/* What threads wait in is read there. */
	session->tiers[TIER_PROC].available = true;
}

static int perf_open(struct session *session, void **out, char *why, size_t why_size)
{
	const struct record_options *options = session->options;
	struct perf_recorder *perf;
	int err;

	if (!options->pid_count) {
		snprintf(why, why_size,
			 "The switches of the whole machine are shown to root alone.");
		return -ENOTSUP;
	}
	if (pretends_missing(options->pretend_missing, tiers[TIER_PERF].id)) {
		snprintf(why, why_size, "Taken away for a test.");
		return -ENOTSUP;
	}
	err = perf_try_out(why, why_size);
	if (err)
		return err;
	perf = calloc(1, sizeof(*perf));
	if (!perf)
		return -ENOMEM;
	perf->session = session;
	err = perf_rings_new(options->pids[0], &perf->rings);
	if (!err)
		err = perf_add_targets(perf->rings, options);
	if (err) {
		perf_rings_explain(err, why, why_size);
		perf_rings_free(perf->rings);
		free(perf);
		return err;
	}
	say_that_it_records(perf);
	*out = perf;
	return 0;
}

static int perf_begin(void *state)
{
	struct perf_recorder *perf = state;
	struct session *session = perf->session;

	perf->reading.stacks = session->stacks;
	perf->no_schedstat = !proc_has_schedstat();
	perf->losses = session_loss_counter(session, "switch");
	session_notice(
		session, "warning",
		"Recorded without BPF: each switch of the job's own threads, by perf events. Who woke a thread, and who else had the CPUs, is not recorded: %s",
		perf->without_bpf);
	return 0;
}

struct seeing {
	struct perf_recorder *perf;
	pid_t pid;
};

static void see_thread(void *context, pid_t tid)
{
	const struct seeing *seeing = context;

	perf_thread_see(seeing->perf, seeing->pid, tid);
}

static void see_process(void *context, pid_t pid)
{
	struct seeing seeing = {.perf = context, .pid = pid};

	/* The first one first: its process has its name. */
	see_thread(&seeing, pid);
	proc_each_thread(pid, see_thread, &seeing);
}

static void perf_add_target(void *state, pid_t pid)
{
	struct perf_recorder *perf = state;

	watchdog_step(STEP_OF_SET_UP);
	proc_each_of_tree(pid, see_process, perf);
	throttling_begin(&perf->throttling, pid, clock_ns(CLOCK_MONOTONIC));
}

static void begin_to_know(struct perf_recorder *perf, struct perf_thread *thread)
{
	thread->since_ns = perf->on_ns;
}

static void perf_record_switches(void *state, bool on)
{
	struct perf_recorder *perf = state;

	if (!on) {
		perf->off_ns = clock_ns(CLOCK_MONOTONIC);
		perf_rings_switch(perf->rings, false);
		return;
	}
	perf_rings_switch(perf->rings, true);
	perf->on_ns = clock_ns(CLOCK_MONOTONIC);
	perf_threads_each(perf, begin_to_know);
}

static void perf_watch(void *state, int epoll_fd)
{
	perf_rings_watch(((struct perf_recorder *)state)->rings, epoll_fd);
}

static void take(struct perf_recorder *perf, const struct perf_record *record)
{
	switch (record->kind) {
	case PERF_OUT:
	case PERF_IN:
		perf_switch(perf, record);
		break;
	case PERF_FORK:
		perf_fork(perf, record);
		break;
	case PERF_EXIT:
		perf_exit(perf, record);
		break;
	case PERF_COMM:
		perf_comm(perf, record);
		break;
	case PERF_LOST:
		perf_lose(perf, record);
		break;
	}
}

static void take_all(struct perf_recorder *perf, uint64_t until_ns)
{
	const struct perf_record *records;
	size_t count;

	records = perf_rings_read(perf->rings, until_ns, &count);
	for (size_t i = 0; i < count; i++)
		take(perf, &records[i]);
}

static void perf_consume(void *state)
{
	struct perf_recorder *perf = state;

	take_all(perf, perf->session->now_ns);
	perf_look_at_all(perf, perf->session->now_ns);
}

static void end_thread(struct perf_recorder *perf, struct perf_thread *thread)
{
	if (thread->left_ns) {
		perf_end_task(perf, thread, thread->left_ns);
		return;
	}
	/* Seen asleep, and never switched: it slept from the begin on. */
	if (thread->state == THREAD_UNKNOWN && thread->since_ns && thread->asleep_until_ns)
		thread->state = THREAD_OFF;
	perf_waits_settle(perf, thread);
	perf_thread_end(perf, thread, perf->off_ns);
}

static void perf_finish(void *state, uint64_t end_ns)
{
	struct perf_recorder *perf = state;

	struct perf_record lost;

	take_all(perf, perf->off_ns);
	for (unsigned int at = 0; at < perf_rings_cpus(perf->rings); at++)
		if (perf_rings_end(perf->rings, at, perf->off_ns, &lost))
			perf_lose(perf, &lost);
	perf_threads_each(perf, end_thread);
	throttling_read(&perf->throttling, perf->session->writer, end_ns);
	perf_describe(perf);
}

static void perf_silence(void *state)
{
	perf_rings_switch(((struct perf_recorder *)state)->rings, false);
}

static void perf_close(void *state)
{
	struct perf_recorder *perf = state;

	perf_threads_free(perf);
	perf_rings_free(perf->rings);
	free(perf);
}

const struct recorder perf_recorder = {
	.tier = TIER_PERF,
	.sources = SOURCE_BIT(SOURCE_SWITCHES) | SOURCE_BIT(SOURCE_PROCESSES),
	.wait_ms = WAIT_MS,
	.try_out = perf_try_out,
	.open = perf_open,
	.begin = perf_begin,
	.add_target = perf_add_target,
	.record = perf_record_switches,
	.watch = perf_watch,
	.consume = perf_consume,
	.finish = perf_finish,
	.wait_stack = perf_wait_stack,
	.silence = perf_silence,
	.close = perf_close,
};
