/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Time that a CPU quota took from the target's control group, as rows of aggregate. */
#ifndef STALLTRACE_THROTTLING_H
#define STALLTRACE_THROTTLING_H

#include "../host/cgroup/cgroup.h"
#include "session.h"

struct throttling {
	struct cgroup_folder group;
	struct cgroup_throttling read;
	bool known;
	uint64_t read_ns;
};

/* From now on, of the first process that has a group with a CPU controller. */
void throttling_begin(struct throttling *throttling, pid_t pid, uint64_t now_ns);
/* Writes what came since the last row, ten times a second at the most. */
void throttling_read(struct throttling *throttling, struct trace_writer *writer, uint64_t now_ns);

#endif /* STALLTRACE_THROTTLING_H */
