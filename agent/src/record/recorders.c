// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Which recorders there are, and which of them record now. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include "../clock.h"
#include "session.h"

static const struct recorder *const recorders[] = {
#define ROW(name) &name##_recorder,
	RECORDERS(ROW)
#undef ROW
};
_Static_assert(sizeof(recorders) / sizeof(recorders[0]) <= MOST_RECORDERS, "recorders");

/* Those that record now. Held for an instant only: the watchdog must never wait for who is stuck. */
static const struct session *recording;
static pthread_mutex_t recording_lock = PTHREAD_MUTEX_INITIALIZER;

static void set_recording(const struct session *session)
{
	pthread_mutex_lock(&recording_lock);
	recording = session;
	pthread_mutex_unlock(&recording_lock);
}

void record_silence(void)
{
	pthread_mutex_lock(&recording_lock);
	for (unsigned int i = 0; recording && i < recording->recorder_count; i++) {
		const struct open_recorder *open = &recording->recorders[i];

		if (open->recorder->silence)
			open->recorder->silence(open->state);
	}
	pthread_mutex_unlock(&recording_lock);
}

uint64_t *session_loss_counter(struct session *session, const char *name)
{
	struct record_progress *progress = &session->progress;

	if (progress->loss_count < MOST_LOSSES)
		progress->losses[progress->loss_count++].name = name;
	return &progress->losses[progress->loss_count - 1].count;
}

static void mark_missing_sources(struct session *session, const struct recorder *recorder,
				 const char *why)
{
	for (unsigned int i = 0; i < SOURCE_COUNT; i++) {
		struct source_status *status = &session->status[i];

		if (!(recorder->sources & ~session->recorded & SOURCE_BIT(i)))
			continue;
		status->available = false;
		/* Why the best one can't record it is what is worth knowing. */
		if (!status->detail[0])
			snprintf(status->detail, sizeof(status->detail), "%.255s", why);
	}
}

int session_open_recorders(struct session *session)
{
	const size_t count = sizeof(recorders) / sizeof(recorders[0]);
	int err = 0;

	for (unsigned int i = 0; i < SOURCE_COUNT; i++)
		session->status[i].wanted = session->options->wanted[i];
	for (size_t i = 0; i < count; i++) {
		const struct recorder *recorder = recorders[i];
		struct open_recorder *open = &session->recorders[session->recorder_count];
		char why[512] = "";

		if (!(recorder->sources & ~session->recorded))
			continue;
		err = recorder->open(session, &open->state, why, sizeof(why));
		if (err < 0) {
			if (!why[0])
				snprintf(why, sizeof(why), "%s.", strerror(-err));
			mark_missing_sources(session, recorder, why);
			snprintf(session->tiers[recorder->tier].detail,
				 sizeof(session->tiers[recorder->tier].detail), "%.319s", why);
			continue;
		}
		open->recorder = recorder;
		session->tiers[recorder->tier].available = true;
		session->recorder_count++;
		session->recorded |= recorder->sources;
	}
	/* Without who knows what threads wait for there is no recording. */
	return session->recorded & SOURCE_BIT(SOURCE_SWITCHES) ? 0 : err;
}

const struct capture_mode *session_mode(const struct session *session)
{
	const struct record_options *options = session->options;
	bool inside = options->target == TARGET_COMMAND || options->inside_asked;
	unsigned int i = 0;

	while (i + 1 < CAPTURE_MODES && (!session->tiers[capture_modes[i].main].available ||
					 (capture_modes[i].main == TIER_INSIDE && !inside)))
		i++;
	return &capture_modes[i];
}

/* Without BPF: what would have been there in its place, and is refused too. */
static void note_refusals(struct session *session)
{
	const struct tier_status *perf = &session->tiers[TIER_PERF];
	const struct tier_status *python = &session->tiers[TIER_PYTHON];

	if (!perf->available && perf->detail[0])
		session_notice(session, "warning", "Single switches are not recorded by perf. %s",
			       perf->detail);
	if (!python->available && python->detail[0] && session->options->samples_per_second)
		session_notice(session, "warning", "Python's stacks are not read from outside. %s",
			       python->detail);
}

int session_begin_recorders(struct session *session)
{
	int err = 0;

	for (unsigned int i = 0; !err && i < session->recorder_count; i++)
		err = session->recorders[i].recorder->begin(session->recorders[i].state);
	note_refusals(session);
	return err;
}

void session_add_target(struct session *session, pid_t pid)
{
	for (unsigned int i = 0; i < session->recorder_count; i++)
		session->recorders[i].recorder->add_target(session->recorders[i].state, pid);
}

void session_watch_fd(int epoll_fd, int fd)
{
	struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};

	if (fd >= 0)
		epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &event);
}

int session_watch_recorders(struct session *session, int epoll_fd, int wait_ms)
{
	for (unsigned int i = 0; i < session->recorder_count; i++) {
		const struct open_recorder *open = &session->recorders[i];

		if (open->recorder->watch)
			open->recorder->watch(open->state, epoll_fd);
		if (open->recorder->wait_ms < wait_ms)
			wait_ms = open->recorder->wait_ms;
	}
	return wait_ms;
}

void session_record(struct session *session, bool on)
{
	if (on)
		set_recording(session);
	for (unsigned int i = 0; i < session->recorder_count; i++) {
		const struct open_recorder *open = &session->recorders[i];

		if (open->recorder->record)
			open->recorder->record(open->state, on);
	}
}

void session_consume(struct session *session)
{
	session->now_ns = clock_ns(CLOCK_MONOTONIC);
	for (unsigned int i = 0; i < session->recorder_count; i++)
		session->recorders[i].recorder->consume(session->recorders[i].state);
}

void session_finish_recorders(struct session *session, uint64_t end_ns)
{
	session->now_ns = clock_ns(CLOCK_MONOTONIC);
	for (unsigned int i = 0; i < session->recorder_count; i++)
		session->recorders[i].recorder->finish(session->recorders[i].state, end_ns);
}

bool session_take_call(struct session *session, const struct call_record *call)
{
	for (unsigned int i = 0; i < session->recorder_count; i++) {
		const struct open_recorder *open = &session->recorders[i];

		if (open->recorder->take_call && open->recorder->take_call(open->state, call))
			return true;
	}
	return false;
}

void session_leave_calls(struct session *session, pid_t pid, bool left)
{
	for (unsigned int i = 0; i < session->recorder_count; i++) {
		const struct open_recorder *open = &session->recorders[i];

		if (open->recorder->leave_calls)
			open->recorder->leave_calls(open->state, pid, left);
	}
}

int session_wait_stack(struct session *session, struct wait_stack *stack)
{
	int taken = 0;

	for (unsigned int i = 0; !taken && i < session->recorder_count; i++) {
		const struct open_recorder *open = &session->recorders[i];

		if (open->recorder->wait_stack)
			taken = open->recorder->wait_stack(open->state, stack);
	}
	return taken;
}

uint64_t session_pinned_bytes(struct session *session, pid_t pid, uint64_t begin, uint64_t end)
{
	uint64_t bytes = 0;

	for (unsigned int i = 0; !bytes && i < session->recorder_count; i++) {
		const struct open_recorder *open = &session->recorders[i];

		if (open->recorder->pinned_bytes)
			bytes = open->recorder->pinned_bytes(open->state, pid, begin, end);
	}
	return bytes;
}

void session_close_recorders(struct session *session)
{
	set_recording(NULL);
	for (unsigned int i = 0; i < session->recorder_count; i++)
		session->recorders[i].recorder->close(session->recorders[i].state);
	session->recorder_count = 0;
}
