// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "throttling.h"

#define PERIOD_NS (100 * NS_PER_MS)

void throttling_begin(struct throttling *throttling, pid_t pid, uint64_t now_ns)
{
	if (!throttling->known && !cgroup_folder_of_process(pid, "cpu", &throttling->group))
		throttling->known = !cgroup_read_throttling(&throttling->group, &throttling->read);
	throttling->read_ns = now_ns;
}

void throttling_read(struct throttling *throttling, struct trace_writer *writer, uint64_t now_ns)
{
	struct cgroup_throttling now;
	uint64_t since_ns = throttling->read_ns;
	int64_t *row, source, operation;

	if (!throttling->known || now_ns - since_ns < PERIOD_NS ||
	    cgroup_read_throttling(&throttling->group, &now))
		return;
	throttling->read_ns = now_ns;
	if (now.throttled_ns > throttling->read.throttled_ns) {
		source = trace_name(writer, "", "HOST");
		operation = trace_name(writer, "HOST", "throttled by CPU quota");
		row = trace_append(writer, TABLE_AGGREGATE);
		row[AGGREGATE_START_NS] = trace_time(writer, since_ns);
		row[AGGREGATE_DURATION_NS] = (int64_t)(now_ns - since_ns);
		row[AGGREGATE_SOURCE_ID] = source;
		row[AGGREGATE_OP_ID] = operation;
		row[AGGREGATE_COUNT] = (int64_t)(now.periods - throttling->read.periods);
		row[AGGREGATE_STORED] = 0;
		row[AGGREGATE_TOTAL_NS] =
			(int64_t)(now.throttled_ns - throttling->read.throttled_ns);
	}
	throttling->read = now;
}
