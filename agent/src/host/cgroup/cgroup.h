/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Control groups, version 1 and 2: where they are to be seen, and what they limit. */
#ifndef STALLTRACE_CGROUP_H
#define STALLTRACE_CGROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Path of the process's control group as /proc shows it: of the hierarchy that has the CPU
 * controller, or of another where that one is the root. -errno, -ESRCH where the process has gone.
 */
int cgroup_of_process(pid_t pid, char *out, size_t size);

/*
 * Directory in which the group of the process that the controller ("cpu", "memory", "blkio",
 * "cpuset") limits is to be seen from here, and the mount it is below. -ENOENT where it lies outside
 * of what this namespace shows.
 */
struct cgroup_folder {
	char directory[1280];
	size_t mount_length; /* the part of directory that is the mount point */
	int version;
};
int cgroup_folder_of_process(pid_t pid, const char *controller, struct cgroup_folder *out);
/* The file's text; its length or -errno. */
long cgroup_read_file(const struct cgroup_folder *folder, const char *name, char *out, size_t size);
/* Cuts the last component off; false once the mount point itself was seen. */
bool cgroup_to_parent(struct cgroup_folder *folder);

/* The list of CPUs that the group leaves its processes, as /proc has them: 0-3,8. "" = not known. */
void cgroup_read_cpus(const struct cgroup_folder *group, char *out, size_t size);

/* CPUs the group may use: the least of its own quota and its ancestors'. 0 = no quota. */
double cgroup_cpu_quota(const struct cgroup_folder *group);

/* Sums over the group and its ancestors: each throttles all below it. -ENOENT without quota control. */
struct cgroup_throttling {
	uint64_t periods; /* in which it was throttled */
	uint64_t throttled_ns;
};
int cgroup_read_throttling(const struct cgroup_folder *group, struct cgroup_throttling *out);

/*
 * The limit of memory that binds a group: the smallest of its own and its ancestors', and what became
 * of it in the group that it is of, with all groups below. Where there is none, of the group itself.
 */
struct cgroup_memory {
	int64_t used_bytes;  /* -1 = not known */
	int64_t limit_bytes; /* memory.max, memory.limit_in_bytes; 0 = none */
	int64_t high_bytes; /* memory.high: from here on it is slowed down, and reclaims; 0 = none */
	int64_t own_bytes; /* of its processes, what is no file: anonymous and shared; -1 = not known */
	int64_t swap_bytes; /* in swap; -1 = not known */
	int64_t stalled_us; /* in which some task of it waited for memory; -1 = not known */
	uint64_t hits;      /* that it had no room left, or was above memory.high */
	uint64_t oom_kills;
	uint64_t refaulted_bytes; /* of files, read again soon after they were dropped */
	/* What is no file's, and came back from swap; -1 = not told apart (before Linux 5.9). */
	int64_t swapped_in_bytes;
};
/* -ENOENT where the group counts no memory (a root group does not). */
int cgroup_read_memory(const struct cgroup_folder *group, struct cgroup_memory *out);

/* One limit of what a group may read or write of a device in a second, and what it did so far. */
enum cgroup_io_kind { IO_READ_BYTES, IO_WRITTEN_BYTES, IO_READS, IO_WRITES, IO_KINDS };
struct cgroup_io_limit {
	unsigned int major, minor;
	enum cgroup_io_kind kind;
	uint64_t per_second;
	uint64_t so_far; /* of the group that the limit is of, and all below it */
};
#define MOST_IO_LIMITS 16
/*
 * The tightest limit of each kind and device that binds the group; how many there are. Version 1
 * applies a group's own limits alone (blk-throttle.c, throtl_pd_init), version 2 its ancestors' too.
 */
unsigned int cgroup_read_io_limits(const struct cgroup_folder *group,
				   struct cgroup_io_limit out[MOST_IO_LIMITS]);

#endif /* STALLTRACE_CGROUP_H */
