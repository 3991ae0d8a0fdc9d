// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* What BPF's probes claim of processes that are recorded from inside, and of launches between windows. */
#include "../src/probe/cuda/host_ranges.h"
#include "../src/record/bpf/bpf.h"
#include "../src/record/inside/inside.h"
#include "trace_file.h"

#define PID 4711

static void notice(void *context, const char *level, const char *text)
{
}

/* What it frees meanwhile only the one inside sees. */
static void pinned_memory_is_known_by_who_records(void)
{
	struct bpf_recorder bpf = {.ranges = host_ranges_new()};

	host_ranges_add(bpf.ranges, PID, 4096, 8192, RANGE_PINNED, 1);
	CHECK(bpf_recorder.pinned_bytes(&bpf, PID, 0, UINT64_MAX) == 8192);
	bpf.launches.left[0].pid = PID;
	bpf.launches.left[0].since_ns = 1;
	bpf.launches.left_count = 1;
	CHECK(bpf_recorder.pinned_bytes(&bpf, PID, 0, UINT64_MAX) == 0);
	host_ranges_free(bpf.ranges);
}

static const char *note_of_calls(const char *path)
{
	return text(
		path,
		"SELECT note FROM provenance WHERE table_name = 'cuda_call' AND column_name = ''");
}

static void launches_that_are_missing_are_not_claimed(bool from_inside)
{
	const char *path = in_folder(from_inside ? "inside.trace.db" : "probes.trace.db");
	static const struct record_options options;
	static const struct record_callbacks callbacks = {.notice = notice};
	struct session session = {.options = &options,
				  .callbacks = &callbacks,
				  .writer = begin_trace(path, 0),
				  .calls_missed = true,
				  .launches_missed = true};
	struct bpf_recorder bpf = {.session = &session, .ranges = host_ranges_new()};
	struct inside_recorder *inside = calloc(1, sizeof(*inside));

	CHECK(inside);
	inside->session = &session;
	inside->beside_probes = true;
	event_sources[SOURCE_CALLS]->settle(&bpf);
	if (from_inside)
		inside_put_provenance(inside, 1);
	CHECK(trace_finish(session.writer, now_ns(), NULL, 0) == 0);
	CHECK(strstr(note_of_calls(path), "between the windows"));
	CHECK(!strstr(note_of_calls(path), "All later ones"));
	free(inside);
	host_ranges_free(bpf.ranges);
}

int main(void)
{
	make_folder();
	pinned_memory_is_known_by_who_records();
	launches_that_are_missing_are_not_claimed(false);
	launches_that_are_missing_are_not_claimed(true);
	remove_folder();
	return 0;
}
