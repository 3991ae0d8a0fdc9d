// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Windows in which launches are probed: how long the pause is, and how often it is spoken of. No probe is attached. */
#undef NDEBUG
#include <assert.h>
#include <errno.h>
#include <string.h>
#include "../src/record/bpf/bpf.h"
#include "said_notices.h"

static int opening;

/* In place of the recording's own. */
int uprobes_leave_launches(struct uprobes *uprobes, bool left)
{
	return left ? 0 : opening;
}

bool uprobes_can_leave_launches(const struct uprobes *uprobes)
{
	return true;
}

int64_t trace_time(const struct trace_writer *writer, uint64_t monotonic_ns)
{
	return (int64_t)monotonic_ns;
}

void trace_put_gap(struct trace_writer *writer, const char *op, int64_t start_ns,
		   int64_t duration_ns, int64_t lost)
{
}

void trace_put_provenance(struct trace_writer *writer, const char *table, const char *column,
			  const char *kind, int64_t resolution_ns, const char *note)
{
}

static struct session session;
static struct bpf_recorder bpf = {.session = &session};

static void used(bool open, uint64_t since_ns)
{
	bpf.windows.used = true;
	bpf.windows.open = open;
	bpf.windows.stretch_ns = clock_ns(CLOCK_MONOTONIC) - since_ns;
	bpf.windows.next_ns = 1;
	notices = 0;
}

/* Where the agent was held up for ten seconds, launches are not left alone for minutes. */
static void a_long_window_has_no_long_pause(void)
{
	used(true, 10 * NS_PER_SECOND);
	bpf.windows.most = 1000000;
	bpf_pace_launches(&bpf);
	assert(!bpf.windows.open);
	assert(bpf.windows.next_ns > bpf.windows.closed_ns + NS_PER_SECOND);
	assert(bpf.windows.next_ns < bpf.windows.closed_ns + 9 * NS_PER_SECOND);
}

static void a_refusal_is_told_once_and_why(void)
{
	opening = -EACCES;
	used(false, NS_PER_SECOND);
	bpf_pace_launches(&bpf);
	assert(notices == 1 && strstr(said, strerror(EACCES)));
	for (int again = 0; again < 3; again++) {
		bpf.windows.next_ns = 1;
		bpf_pace_launches(&bpf);
	}
	assert(notices == 1 && !bpf.windows.open);
	opening = 0;
}

static void fewer_launches_are_told_once(void)
{
	for (int i = 0; i < 3; i++) {
		used(true, 100 * NS_PER_MS);
		bpf.windows.in_row = 2;
		bpf.windows.most = 10;
		bpf_pace_launches(&bpf);
		assert(!bpf.windows.used);
		assert(notices == (i ? 0 : 1));
	}
	assert(strstr(said, "again if more come"));
}

int main(void)
{
	a_long_window_has_no_long_pause();
	a_refusal_is_told_once_and_why();
	fewer_launches_are_told_once();
	return 0;
}
