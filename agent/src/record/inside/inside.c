// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Records with a library inside the job: CUDA calls and what the GPU did, without any privilege. */
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "../../probe/cuda/host_ranges.h"
#include "../../watchdog.h"
#include "inside.h"

#define WAIT_MS 20
/* How long what CUPTI still has is waited for, once the recording has ended. */
#define LAST_FLUSH_NS (1000 * NS_PER_MS)
#define LOOK_NS (100 * NS_PER_MS)
#define PYTHON_RETRY_NS (200 * NS_PER_MS)

static void mark_available(struct session *session, enum source source)
{
	struct source_status *status = &session->status[source];

	status->available = true;
	snprintf(status->detail, sizeof(status->detail), "from inside the job (CUPTI)%s",
		 session->options->inside_waits ? ", once the line is pasted into it" : "");
}

static int open_socket(const struct record_options *options)
{
	return options->inside_waits ? inside_wait_for_processes() :
				       inside_listen(options->inside_socket);
}

static int inside_open(struct session *session, void **out, char *why, size_t why_size)
{
	const struct record_options *options = session->options;
	struct inside_recorder *inside;

	if (!options->inside_socket && !options->inside_waits) {
		snprintf(why, why_size, "%s", options->inside_missing);
		return -ENOTSUP;
	}
	inside = calloc(1, sizeof(*inside));
	if (!inside)
		return -ENOMEM;
	inside->session = session;
	inside->ranges = host_ranges_new();
	inside->socket = inside->ranges ? open_socket(options) : -ENOMEM;
	if (inside->socket < 0) {
		int err = inside->socket;

		snprintf(
			why, why_size,
			err == -EADDRINUSE ?
				"No running process can come in: all places where captures wait for some are taken, by other captures or another program." :
				"No socket for the library inside: %s.",
			strerror(-err));
		host_ranges_free(inside->ranges);
		free(inside);
		return err;
	}
	inside->beside_probes = session->status[SOURCE_CALLS].available;
	if (!inside->beside_probes)
		mark_available(session, SOURCE_CALLS);
	mark_available(session, SOURCE_GPU_WORK);
	*out = inside;
	return 0;
}

static int inside_begin(void *state)
{
	struct inside_recorder *inside = state;

	inside->call_losses = session_loss_counter(inside->session, "inside_call");
	inside->work_losses = session_loss_counter(inside->session, "gpu_work");
	session_write_provenance(inside->session, SOURCE_BIT(SOURCE_GPU_WORK));
	inside_tell_line(inside);
	return 0;
}

/* Its processes tell us themselves. */
static void inside_add_target(void *state, pid_t pid)
{
}

static void wake_library(struct inside_header *header)
{
	atomic_fetch_add(&header->wake, 1);
	syscall(SYS_futex, &header->wake, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

static void inside_record(void *state, bool on)
{
	struct inside_recorder *inside = state;

	inside->off_ns = on ? 0 : clock_ns(CLOCK_MONOTONIC);
	if (!on && inside->session->options->inside_waits)
		inside_find_outsiders(inside);
	if (!on)
		inside_withdraw_requests(inside);
	for (unsigned int i = 0; !on && i < inside->process_count; i++) {
		struct inside_header *header = inside->processes[i]->ring;

		atomic_store(&header->recording, 0);
		wake_library(header);
	}
}

static void inside_watch(void *state, int epoll_fd)
{
	struct inside_recorder *inside = state;

	session_watch_fd(epoll_fd, inside->socket);
}

/* With its last thread. */
static bool has_ended(struct inside_process *process)
{
	struct proc_stat stat;

	return proc_read_stat(process->pid, 0, &stat) || stat.start_ticks != process->start_ticks ||
	       stat.state == 'X' || (stat.state == 'Z' && stat.threads <= 1);
}

/* Tells the library where the interpreter keeps its frames, once that is certain. */
static void find_python(struct inside_recorder *inside, struct inside_process *process)
{
	struct session *session = inside->session;
	struct inside_header *header = process->ring;
	struct process *row;
	char detail[320];
	int err;

	if (process->python_known || session->now_ns < process->python_next_try_ns)
		return;
	process->python_next_try_ns = session->now_ns + PYTHON_RETRY_NS;
	row = inside_process_row(inside, process);
	if (!row)
		return;
	process->unreadable = memory_is_refused(process->pid, detail, sizeof(detail));
	if (process->unreadable) {
		process->python_next_try_ns = session->now_ns + 10 * PYTHON_RETRY_NS;
		snprintf(inside->why_unreadable, sizeof(inside->why_unreadable), "%s", detail);
		return;
	}
	symboliser_read_process(session->symbols, row->id, process->pid);
	symboliser_hold_files(session->symbols, row->id, process->pid);
	err = python_attach(session->python, row->id, process->pid, &header->python, detail,
			    sizeof(detail));
	process->python_known = err != -EAGAIN && err != -ENOENT;
	if (err == -ENOENT)
		process->python_next_try_ns = session->now_ns + 10 * PYTHON_RETRY_NS;
	if (!err)
		atomic_store_explicit(&header->python_known, 1, memory_order_release);
}

static void end_process(struct inside_recorder *inside, struct inside_process *process,
			uint64_t end_ns)
{
	process->ended = true;
	inside_leave_calls(inside, process);
	inside_drain_rest(inside, process, end_ns);
	inside_remember_span(inside, process);
	inside_note_losses(inside, process);
	inside_note_before(inside, process, end_ns);
	inside_note_end(inside, process, end_ns);
	host_ranges_remove_process(inside->ranges, (uint32_t)process->pid);
	inside_process_free(process);
}

/* Before its ring is read: what it wrote last is in it then. */
static void look_whether_it_lives(struct inside_recorder *inside, struct inside_process *process)
{
	const struct process *row = tasks_find_process(inside->session->tasks, process->pid);
	uint64_t now_ns = inside->session->now_ns;

	if (process->gone) {
		process->ended = true;
		return;
	}
	if ((row && row->ended) || now_ns - process->looked_ns >= LOOK_NS) {
		process->gone = has_ended(process);
		process->looked_ns = now_ns;
	}
	process->ended |= process->gone && !inside->beside_probes;
}

static void look_at(struct inside_recorder *inside, struct inside_process *process)
{
	struct inside_header *header = process->ring;
	uint64_t now_ns = inside->session->now_ns;

	look_whether_it_lives(inside, process);
	atomic_store(&header->beat_ns, now_ns);
	if (process->gone)
		return;
	inside_note_joined(inside, process);
	inside_leave_calls(inside, process);
	find_python(inside, process);
	inside_drain(inside, process);
	inside_note_losses(inside, process);
}

static void inside_consume(void *state)
{
	struct inside_recorder *inside = state;
	unsigned int kept = 0, recorded = 0;

	inside_accept(inside);
	inside_ask(inside);
	inside_look_at_requests(inside);
	for (unsigned int i = 0; i < inside->process_count; i++) {
		struct inside_process *process = inside->processes[i];

		watchdog_step(STEP_OF_WORK);
		look_at(inside, process);
		if (process->ended)
			end_process(inside, process, inside->session->now_ns);
		else
			inside->processes[kept++] = process;
		recorded += kept && inside->processes[kept - 1] == process &&
			    inside_records(process);
	}
	inside->process_count = kept;
	inside->session->progress.inside_processes = recorded;
}

static bool is_flushed(struct inside_process *process)
{
	struct inside_header *header = process->ring;
	uint32_t state = atomic_load(&header->state);

	return (state != INSIDE_RECORDING && state != INSIDE_LEFT) ||
	       atomic_load(&header->flushed) == INSIDE_FLUSHED || has_ended(process);
}

/* The library fetches what CUPTI has: of a job that goes on, the last second's work is in there. */
static void wait_for_flush(struct inside_recorder *inside, uint64_t end_ns)
{
	const struct timespec moment = {.tv_nsec = 1000000};
	bool flushed = false;

	while (!flushed && clock_ns(CLOCK_MONOTONIC) - end_ns < LAST_FLUSH_NS) {
		flushed = true;
		for (unsigned int i = 0; i < inside->process_count; i++) {
			flushed &= is_flushed(inside->processes[i]);
			inside_drain(inside, inside->processes[i]);
		}
		if (!flushed)
			nanosleep(&moment, NULL);
	}
}

static void inside_finish(void *state, uint64_t end_ns)
{
	struct inside_recorder *inside = state;

	wait_for_flush(inside, end_ns);
	for (unsigned int i = 0; i < inside->process_count; i++) {
		struct inside_process *process = inside->processes[i];

		process->goes_on = !process->ended && !has_ended(process);
		end_process(inside, process, end_ns);
	}
	inside->process_count = 0;
	inside_describe(inside);
}

static void inside_close(void *state)
{
	struct inside_recorder *inside = state;

	inside_withdraw_requests(inside);
	for (unsigned int i = 0; i < inside->process_count; i++)
		inside_process_free(inside->processes[i]);
	close(inside->socket);
	host_ranges_free(inside->ranges);
	free(inside);
}

static uint64_t inside_pinned_bytes(void *state, pid_t pid, uint64_t begin, uint64_t end)
{
	const struct inside_recorder *inside = state;

	return host_ranges_pinned(inside->ranges, (uint32_t)pid, begin, end);
}

const struct recorder inside_recorder = {
	.tier = TIER_INSIDE,
	.sources = SOURCE_BIT(SOURCE_CALLS) | SOURCE_BIT(SOURCE_GPU_WORK),
	.wait_ms = WAIT_MS,
	.try_out = inside_try_out,
	.open = inside_open,
	.begin = inside_begin,
	.add_target = inside_add_target,
	.record = inside_record,
	.watch = inside_watch,
	.consume = inside_consume,
	.finish = inside_finish,
	.take_call = inside_take_call,
	.pinned_bytes = inside_pinned_bytes,
	.close = inside_close,
};
