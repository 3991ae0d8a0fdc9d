// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * What a control group says of memory. Version 1: Documentation/admin-guide/cgroup-v1/memory.rst;
 * version 2: cgroup-v2.rst, memory interface files.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cgroup.h"
#include "../file_text.h"

/* memory.stat of a kernel with all its counters, of both versions. */
#define STAT_BYTES 8192
/* Version 1 writes "none" as the most that its counters hold; no machine has so much. */
#define NO_LIMIT (1ll << 60)

static int64_t number_of(const struct cgroup_folder *group, const char *name)
{
	char text[64], *end;
	long long value;

	if (cgroup_read_file(group, name, text, sizeof(text)) <= 0)
		return -1;
	value = strtoll(text, &end, 10); /* of "max" it reads nothing */
	return end == text || value < 0 ? -1 : value;
}

static int64_t limit_of(const struct cgroup_folder *group, const char *name)
{
	int64_t value = number_of(group, name);

	return value < 0 || value >= NO_LIMIT ? 0 : value;
}

/* The smaller one, where 0 is none. */
static int64_t tighter(int64_t left, int64_t right)
{
	return !left || (right && right < left) ? right : left;
}

static uint64_t counter(const char *text, const char *key)
{
	int64_t value = file_text_value(text, key);

	return value > 0 ? (uint64_t)value : 0;
}

/* Limits of this one group. */
static void read_limits(const struct cgroup_folder *group, struct cgroup_memory *out)
{
	*out = (struct cgroup_memory){0};
	if (group->version == 2) {
		out->limit_bytes = limit_of(group, "memory.max");
		out->high_bytes = limit_of(group, "memory.high");
	} else {
		/* That of memory and swap together may be the tighter one. */
		out->limit_bytes = tighter(limit_of(group, "memory.limit_in_bytes"),
					   limit_of(group, "memory.memsw.limit_in_bytes"));
	}
}

/* "some avg10=0.00 avg60=0.00 avg300=0.00 total=123", the first line. */
static int64_t stalled_us(const struct cgroup_folder *group)
{
	char text[256];
	const char *total;

	if (cgroup_read_file(group, "memory.pressure", text, sizeof(text)) <= 0)
		return -1;
	total = strstr(text, "total=");
	return total ? strtoll(total + strlen("total="), NULL, 10) : -1;
}

/* Both counters, or -1. */
static int64_t sum_of(const char *stat, const char *left_key, const char *right_key)
{
	int64_t left = file_text_value(stat, left_key), right = file_text_value(stat, right_key);

	return left < 0 ? -1 : left + (right > 0 ? right : 0);
}

static void read_counters_v1(const struct cgroup_folder *group, const char *stat,
			     struct cgroup_memory *out)
{
	char text[256];
	int64_t memory_hits = number_of(group, "memory.failcnt");
	int64_t swap_hits = number_of(group, "memory.memsw.failcnt");

	out->used_bytes = number_of(group, "memory.usage_in_bytes");
	out->hits = (uint64_t)(memory_hits > 0 ? memory_hits : 0) +
		    (uint64_t)(swap_hits > 0 ? swap_hits : 0);
	out->own_bytes = sum_of(stat, "total_rss", "total_shmem");
	out->swap_bytes = file_text_value(stat, "total_swap");
	/* Up to Linux 5.8 there is one counter, of files only. */
	out->refaulted_bytes = counter(stat, "total_workingset_refault_file") +
			       counter(stat, "total_workingset_refault");
	out->swapped_in_bytes = file_text_value(stat, "total_workingset_refault_anon");
	if (cgroup_read_file(group, "memory.oom_control", text, sizeof(text)) > 0)
		out->oom_kills = counter(text, "oom_kill");
}

static void read_counters_v2(const struct cgroup_folder *group, const char *stat,
			     struct cgroup_memory *out)
{
	char text[512];

	out->used_bytes = number_of(group, "memory.current");
	out->own_bytes = sum_of(stat, "anon", "shmem");
	out->swap_bytes = number_of(group, "memory.swap.current");
	out->stalled_us = stalled_us(group);
	out->refaulted_bytes = counter(stat, "workingset_refault_file") +
			       counter(stat, "workingset_refault"); /* up to Linux 5.8 */
	out->swapped_in_bytes = file_text_value(stat, "workingset_refault_anon");
	if (cgroup_read_file(group, "memory.events", text, sizeof(text)) <= 0)
		return;
	out->hits = counter(text, "high") + counter(text, "max");
	out->oom_kills = counter(text, "oom_kill");
}

int cgroup_read_memory(const struct cgroup_folder *group, struct cgroup_memory *out)
{
	struct cgroup_folder at = *group, tightest = *group;
	struct cgroup_memory own;
	char stat[STAT_BYTES];
	int64_t least = 0;
	long page_bytes = sysconf(_SC_PAGESIZE);

	*out = (struct cgroup_memory){0};
	do {
		int64_t limit;

		read_limits(&at, &own);
		limit = tighter(own.limit_bytes, own.high_bytes);
		if (limit && (!least || limit < least)) {
			*out = own;
			tightest = at;
			least = limit;
		}
	} while (cgroup_to_parent(&at));
	out->own_bytes = out->swap_bytes = out->stalled_us = out->swapped_in_bytes = -1;
	if (cgroup_read_file(&tightest, "memory.stat", stat, sizeof(stat)) <= 0)
		stat[0] = '\0';
	if (tightest.version == 2)
		read_counters_v2(&tightest, stat, out);
	else
		read_counters_v1(&tightest, stat, out);
	out->refaulted_bytes *= (uint64_t)page_bytes;
	if (out->swapped_in_bytes > 0)
		out->swapped_in_bytes *= page_bytes;
	return out->used_bytes < 0 ? -ENOENT : 0;
}
