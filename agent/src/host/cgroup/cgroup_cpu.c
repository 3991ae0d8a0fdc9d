// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* What a control group says of CPU time: its quota, and how long that held it back. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cgroup.h"
#include "../file_text.h"

void cgroup_read_cpus(const struct cgroup_folder *group, char *out, size_t size)
{
	struct cgroup_folder at = *group;
	const char *name = group->version == 2 ? "cpuset.cpus.effective" : "cpuset.effective_cpus";

	/* Of version 2 a group without the controller has what the one above it has. */
	while (cgroup_read_file(&at, name, out, size) <= 0) {
		out[0] = '\0';
		if (!cgroup_to_parent(&at))
			return;
	}
	out[strcspn(out, "\n")] = '\0';
}

/* CPUs that this one group may use, 0 = no quota of its own. */
static double own_quota(const struct cgroup_folder *folder)
{
	char text[128];
	long long quota_us, period_us;

	if (folder->version == 2) {
		if (cgroup_read_file(folder, "cpu.max", text, sizeof(text)) <= 0 ||
		    sscanf(text, "%lld %lld", &quota_us, &period_us) != 2)
			return 0;
	} else {
		if (cgroup_read_file(folder, "cpu.cfs_quota_us", text, sizeof(text)) <= 0)
			return 0;
		quota_us = strtoll(text, NULL, 10);
		if (cgroup_read_file(folder, "cpu.cfs_period_us", text, sizeof(text)) <= 0)
			return 0;
		period_us = strtoll(text, NULL, 10);
	}
	return quota_us > 0 && period_us > 0 ? (double)quota_us / (double)period_us : 0;
}

double cgroup_cpu_quota(const struct cgroup_folder *group)
{
	struct cgroup_folder at = *group;
	double least = 0;

	do {
		double quota = own_quota(&at);

		if (quota > 0 && (least == 0 || quota < least))
			least = quota;
	} while (cgroup_to_parent(&at));
	return least;
}

static uint64_t counter(const char *text, const char *key)
{
	int64_t value = file_text_value(text, key);

	return value > 0 ? (uint64_t)value : 0;
}

int cgroup_read_throttling(const struct cgroup_folder *group, struct cgroup_throttling *out)
{
	struct cgroup_folder at = *group;
	int err = -ENOENT;

	*out = (struct cgroup_throttling){0};
	do {
		char text[1024];

		if (cgroup_read_file(&at, "cpu.stat", text, sizeof(text)) <= 0 ||
		    !strstr(text, "nr_throttled"))
			continue;
		err = 0;
		out->periods += counter(text, "nr_throttled");
		out->throttled_ns += at.version == 2 ? 1000 * counter(text, "throttled_usec") :
						       counter(text, "throttled_time");
	} while (cgroup_to_parent(&at));
	return err;
}
