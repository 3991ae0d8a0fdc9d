// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Records with BPF programs: every event, exactly. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include "../../host/proc.h"
#include "../../probe/cuda/host_ranges.h"
#include "../../watchdog.h"
#include "bpf.h"

#define STACK_THRESHOLD_NS 50000ull
/* Of a thread in 100 ms: 5,000 launches a second are kept one by one. */
#define LAUNCHES_PER_BUCKET 500
/* Those before are for calls that are recorded from inside. */
#define FIRST_CALL_ID_BESIDE (1ull << 32)

/* Loads and attaches what the kernel lets us; -errno where nothing of it can be had. */
static int start_programs(struct bpf_recorder *bpf, char *why, size_t why_size)
{
	const struct record_options *options = bpf->session->options;
	struct source_status status[SOURCE_COUNT];
	const struct programs_options wanted = {
		.sources = probe_sources,
		.source_count = SOURCE_COUNT,
		.always = &targets_source.probe,
		.all_tasks = options->target == TARGET_ALL,
		.python = true,
		.samples_per_second = options->samples_per_second,
		.stack_threshold_ns = STACK_THRESHOLD_NS,
		.launches_per_bucket = LAUNCHES_PER_BUCKET,
		.pretend_missing = options->pretend_missing,
	};
	int err;

	memcpy(status, bpf->session->status, sizeof(status));
	for (unsigned int i = 0; i < SOURCE_COUNT; i++)
		status[i].wanted &= !(bpf->session->recorded & SOURCE_BIT(i));
	err = programs_load(&wanted, &bpf->programs, status, why, why_size);
	if (err < 0)
		return err;
	err = programs_attach(bpf->programs, status);
	if (err < 0) {
		snprintf(why, why_size, "the programs can't be attached: %s", strerror(-err));
		return err;
	}
	for (unsigned int i = 0; i < SOURCE_COUNT; i++)
		if (bpf_recorder.sources & ~bpf->session->recorded & SOURCE_BIT(i))
			bpf->session->status[i] = status[i];
	bpf->sources = bpf_recorder.sources & ~bpf->session->recorded;
	if (options->inside_socket)
		programs_begin_call_ids(bpf->programs, FIRST_CALL_ID_BESIDE);
	for (unsigned int i = 0; i < cuda_function_count; i++)
		programs_set_function(bpf->programs, i, &cuda_functions[i].spec);
	bpf->uprobes = uprobes_new(bpf->programs, options->pretend_missing);
	return bpf->uprobes ? 0 : -ENOMEM;
}

static void bpf_close(void *state)
{
	struct bpf_recorder *bpf = state;

	mapping_watch_close(bpf->watch);
	uprobes_free(bpf->uprobes);
	programs_free(bpf->programs);
	file_names_free(bpf->file_names);
	host_ranges_free(bpf->ranges);
	free(bpf);
}

static int bpf_open(struct session *session, void **out, char *why, size_t why_size)
{
	struct bpf_recorder *bpf;
	int err;

	if (session->options->no_bpf) {
		snprintf(why, why_size, "BPF was switched off for this capture (--no-bpf).");
		return -ENOTSUP;
	}
	bpf = calloc(1, sizeof(*bpf));
	if (!bpf)
		return -ENOMEM;
	bpf->session = session;
	err = start_programs(bpf, why, why_size);
	if (err < 0) {
		bpf_close(bpf);
		return err;
	}
	bpf_list_records(bpf);
	*out = bpf;
	return 0;
}

static int bpf_begin(void *state)
{
	struct bpf_recorder *bpf = state;
	struct session *session = bpf->session;
	int err;

	bpf->quiet_ns = session->begin_ns;
	bpf->ranges = host_ranges_new();
	bpf->file_names = file_names_new(session->writer);
	if (!bpf->ranges || !bpf->file_names)
		return -ENOMEM;
	err = mapping_watch_open(&bpf->watch);
	if (err < 0)
		session_notice(
			session, "warning",
			"Libraries that are loaded later may be probed late: mappings can't be watched (%s).",
			strerror(-err));
	bpf_probe_known(bpf);
	session_write_provenance(session, bpf->sources);
	if (bpf->sources & SOURCE_BIT(SOURCE_CALLS))
		trace_put_provenance(session->writer, "aggregate", "", "exact", TRACE_NULL,
				     "Launches above a rate, counted for each thread.");
	return 0;
}

static void add_process(void *context, pid_t pid)
{
	struct bpf_recorder *bpf = context;

	watchdog_step(STEP_OF_SET_UP);
	programs_add_target(bpf->programs, pid);
	bpf_probe_process(bpf, pid, 0);
}

static void bpf_add_target(void *state, pid_t pid)
{
	proc_each_of_tree(pid, add_process, state);
}

static void bpf_watch(void *state, int epoll_fd)
{
	const struct bpf_recorder *bpf = state;

	session_watch_fd(epoll_fd, programs_ring_fd(bpf->programs));
	if (bpf->watch)
		session_watch_fd(epoll_fd, mapping_watch_fd(bpf->watch));
}

static void bpf_record(void *state, bool on)
{
	struct bpf_recorder *bpf = state;

	programs_record(bpf->programs, on);
}

static void take(struct bpf_recorder *bpf)
{
	if (bpf->watch)
		bpf_read_mappings(bpf);
	programs_consume(bpf->programs, bpf_handle, bpf);
	bpf_probe_unknown(bpf);
	bpf_note_losses(bpf);
	bpf_find_python(bpf);
}

static void bpf_consume(void *state)
{
	struct bpf_recorder *bpf = state;

	take(bpf);
	bpf_consider_launches(bpf);
	bpf_pace_launches(bpf);
}

/* Some records take a look into /proc, and the ring may hold half a million. */
static void empty_ring(struct bpf_recorder *bpf, uint64_t end_ns)
{
	while (programs_consume(bpf->programs, bpf_handle, bpf) > 0) {
		if (clock_ns(CLOCK_MONOTONIC) - end_ns < FINISH_WITHIN_NS)
			continue;
		session_notice(
			bpf->session, "warning",
			"What happened last is missing: there was more of it than could be read within 10 s of the end.");
		return;
	}
}

static void settle_sources(struct bpf_recorder *bpf)
{
	for (unsigned int i = 0; i < SOURCE_COUNT; i++) {
		if ((bpf->sources & SOURCE_BIT(i)) && bpf->session->status[i].available &&
		    event_sources[i]->settle)
			event_sources[i]->settle(bpf);
	}
}

static void bpf_finish(void *state, uint64_t end_ns)
{
	struct bpf_recorder *bpf = state;
	struct record_result *result = bpf->session->result;

	take(bpf);
	empty_ring(bpf, end_ns);
	programs_run_time(bpf->programs, &result->bpf_run_ns, &result->bpf_runs);
	bpf->session->notices = 0; /* these are few, and must be said */
	bpf_write_losses(bpf);
	bpf_end_windows(bpf, end_ns);
	settle_sources(bpf);
}

static void bpf_leave_calls(void *state, pid_t pid, bool left)
{
	struct bpf_recorder *bpf = state;

	programs_leave_calls(bpf->programs, pid, left);
	bpf_leave_launches(bpf, pid, left);
	/* What was pinned and freed meanwhile is not known here. */
	if (!left)
		host_ranges_doubt(bpf->ranges, (uint32_t)pid);
}

static void bpf_silence(void *state)
{
	struct bpf_recorder *bpf = state;

	programs_silence(bpf->programs);
}

static uint64_t bpf_pinned_bytes(void *state, pid_t pid, uint64_t begin, uint64_t end)
{
	const struct bpf_recorder *bpf = state;

	/* What it frees meanwhile is not seen here. */
	if (bpf_calls_left(bpf, pid))
		return 0;
	return host_ranges_pinned(bpf->ranges, (uint32_t)pid, begin, end);
}

const struct recorder bpf_recorder = {
	.tier = TIER_BPF,
	.sources = ALL_SOURCES & ~SOURCE_BIT(SOURCE_GPU_WORK),
	.wait_ms = 50,
	.open = bpf_open,
	.begin = bpf_begin,
	.add_target = bpf_add_target,
	.watch = bpf_watch,
	.record = bpf_record,
	.consume = bpf_consume,
	.finish = bpf_finish,
	.silence = bpf_silence,
	.leave_calls = bpf_leave_calls,
	.pinned_bytes = bpf_pinned_bytes,
	.close = bpf_close,
};
