/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The loaded programs, as the files share them that load, attach and count them. */
#ifndef STALLTRACE_LOADED_H
#define STALLTRACE_LOADED_H

#include "../kernel/perf_events.h"
#include "programs.h"
#include "load_plan.h"

struct programs {
	struct stalltrace_bpf *object;
	struct ring_buffer *ring;
	const struct probe_source *const *sources;
	unsigned int source_count;
	struct bpf_link *links[MAX_PROGRAMS];
	unsigned int link_count;
	struct bpf_link *enrol_link, *flush_link;
	struct perf_events samples, minor_faults, major_faults;
	enum uprobe_kind uprobes;
	unsigned int samples_per_second;
	bool all_tasks;
	int (*handle)(void *context, const struct record_header *record);
	void *context;
	int consumed; /* records, in this round */
};

/* Runs an iterator program over all tasks. */
int iterate_tasks(struct bpf_link *link);

#endif /* STALLTRACE_LOADED_H */
