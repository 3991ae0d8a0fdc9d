// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * What a control group may read and write. Version 1: Documentation/admin-guide/cgroup-v1/
 * blkio-controller.rst; version 2: cgroup-v2.rst, io interface files.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cgroup.h"
#include "../file_text.h"

/* A line a device; more devices than this have no limit each. */
#define TEXT_BYTES 8192

/* Where a kind is found. */
static const struct {
	const char *limit_file; /* version 1 */
	const char *done_file, *done_word;
	const char *limit_key, *done_key; /* version 2 */
} files[IO_KINDS] = {
	[IO_READ_BYTES] = {"blkio.throttle.read_bps_device",
			   "blkio.throttle.io_service_bytes_recursive", "Read", "rbps", "rbytes"},
	[IO_WRITTEN_BYTES] = {"blkio.throttle.write_bps_device",
			      "blkio.throttle.io_service_bytes_recursive", "Write", "wbps",
			      "wbytes"},
	[IO_READS] = {"blkio.throttle.read_iops_device", "blkio.throttle.io_serviced_recursive",
		      "Read", "riops", "rios"},
	[IO_WRITES] = {"blkio.throttle.write_iops_device", "blkio.throttle.io_serviced_recursive",
		       "Write", "wiops", "wios"},
};

/* The number behind " key=" in the line; 0 where there is none ("max"). */
static uint64_t value_in_line(const char *line, size_t length, const char *key)
{
	char text[512], wanted[16];
	const char *found;

	snprintf(text, sizeof(text), "%.*s", (int)(length < 511 ? length : 511), line);
	snprintf(wanted, sizeof(wanted), " %s=", key);
	found = strstr(text, wanted);
	return found ? strtoull(found + strlen(wanted), NULL, 10) : 0;
}

/* What the group did of the kind: "253:0 Read 123", "8:16 rbytes=123 wbytes=4 rios=5 …". */
static uint64_t done_so_far(const struct cgroup_folder *group, const struct cgroup_io_limit *limit)
{
	char text[TEXT_BYTES], start[64];
	const char *line, *rest;
	bool is_v2 = group->version == 2;

	if (cgroup_read_file(group, is_v2 ? "io.stat" : files[limit->kind].done_file, text,
			     sizeof(text)) <= 0)
		return 0;
	snprintf(start, sizeof(start), "%u:%u%s%s", limit->major, limit->minor, is_v2 ? "" : " ",
		 is_v2 ? "" : files[limit->kind].done_word);
	for (line = text; line && *line; line = strchr(line, '\n'), line += line != NULL) {
		if (strncmp(line, start, strlen(start)) || line[strlen(start)] != ' ')
			continue;
		rest = line + strlen(start);
		return is_v2 ? value_in_line(rest, strcspn(rest, "\n"),
					     files[limit->kind].done_key) :
			       strtoull(rest, NULL, 10);
	}
	return 0;
}

/* Takes the limit where it is the first of its device and kind, or tighter than that one. */
static unsigned int take(struct cgroup_io_limit *limits, unsigned int count,
			 const struct cgroup_folder *group, struct cgroup_io_limit limit)
{
	unsigned int at = 0;

	while (at < count && (limits[at].major != limit.major || limits[at].minor != limit.minor ||
			      limits[at].kind != limit.kind))
		at++;
	if (!limit.per_second || at == MOST_IO_LIMITS ||
	    (at < count && limits[at].per_second <= limit.per_second))
		return count;
	limit.so_far = done_so_far(group, &limit);
	limits[at] = limit;
	return at == count ? count + 1 : count;
}

/* Limits of this one group, of one file of version 1 or of io.max. */
static unsigned int take_file(const struct cgroup_folder *group, const char *name,
			      enum cgroup_io_kind from, enum cgroup_io_kind to,
			      struct cgroup_io_limit *limits, unsigned int count)
{
	char text[TEXT_BYTES];
	const char *line;

	if (cgroup_read_file(group, name, text, sizeof(text)) <= 0)
		return count;
	for (line = text; line && *line; line = strchr(line, '\n'), line += line != NULL) {
		struct cgroup_io_limit limit = {0};
		size_t length = strcspn(line, "\n");
		int past = 0;

		if (sscanf(line, "%u:%u%n", &limit.major, &limit.minor, &past) != 2)
			continue;
		for (limit.kind = from; limit.kind <= to; limit.kind++) {
			limit.per_second = group->version == 2 ?
						   value_in_line(line + past, length - (size_t)past,
								 files[limit.kind].limit_key) :
						   strtoull(line + past, NULL, 10);
			count = take(limits, count, group, limit);
		}
	}
	return count;
}

unsigned int cgroup_read_io_limits(const struct cgroup_folder *group,
				   struct cgroup_io_limit out[MOST_IO_LIMITS])
{
	struct cgroup_folder at = *group;
	unsigned int count = 0;

	if (group->version == 1) {
		for (enum cgroup_io_kind kind = 0; kind < IO_KINDS; kind++)
			count = take_file(group, files[kind].limit_file, kind, kind, out, count);
		return count;
	}
	do {
		count = take_file(&at, "io.max", 0, IO_KINDS - 1, out, count);
	} while (cgroup_to_parent(&at));
	return count;
}
