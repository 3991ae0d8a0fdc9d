/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Control groups, version 1 and 2, as far as they limit CPU time. */
#ifndef STALLTRACE_CGROUP_H
#define STALLTRACE_CGROUP_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Path of the process's control group as /proc shows it: of the hierarchy that has the CPU
 * controller, or of another where that one is the root. -errno, -ESRCH where the process has gone.
 */
int cgroup_of_process(pid_t pid, char *out, size_t size);

/*
 * Directory in which the group of the process that limits CPU time is to be seen from here, and the
 * mount it is below. -ENOENT where it lies outside of what this namespace shows.
 */
struct cgroup_cpu {
	char directory[1280];
	size_t mount_length; /* the part of directory that is the mount point */
	int version;
};
int cgroup_cpu_of_process(pid_t pid, struct cgroup_cpu *out);

/* CPUs the group may use: the least of its own quota and its ancestors'. 0 = no quota. */
double cgroup_cpu_quota(const struct cgroup_cpu *group);

/* Sums over the group and its ancestors: each throttles all below it. -ENOENT without quota control. */
struct cgroup_throttling {
	uint64_t periods; /* in which it was throttled */
	uint64_t throttled_ns;
};
int cgroup_read_throttling(const struct cgroup_cpu *group, struct cgroup_throttling *out);

#endif /* STALLTRACE_CGROUP_H */
