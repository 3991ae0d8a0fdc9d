// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "process_mappings.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "../reserve.h"

/* vm.max_map_count's default is 65530, and only executable ones come here. */
#define MAX_RANGES 65536
#define MAX_SEEN 262144

/* The first range that ends behind the address. */
static size_t first_ending_after(const struct process_mappings *process, uint64_t address)
{
	size_t low = 0, high = process->range_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (process->ranges[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int lay_over(struct process_mappings *process, struct mapped_range range)
{
	size_t first = first_ending_after(process, range.begin), last = first, parts = 0;
	struct mapped_range part[3];
	int err;

	/* Splitting one adds two at most. */
	err = reserve((void **)&process->ranges, &process->range_capacity, process->range_count + 2,
		      sizeof(*process->ranges), MAX_RANGES);
	if (err)
		return err;
	while (last < process->range_count && process->ranges[last].begin < range.end)
		last++;
	if (first < last && process->ranges[first].begin < range.begin) {
		part[parts] = process->ranges[first];
		part[parts++].end = range.begin;
	}
	part[parts++] = range;
	if (first < last && process->ranges[last - 1].end > range.end) {
		part[parts] = process->ranges[last - 1];
		part[parts++].begin = range.end;
	}
	memmove(process->ranges + first + parts, process->ranges + last,
		(process->range_count - last) * sizeof(*process->ranges));
	memcpy(process->ranges + first, part, parts * sizeof(*part));
	process->range_count += parts - (last - first);
	return 0;
}

static int add_seen(struct process_mappings *process, uint32_t mapping)
{
	int err = reserve((void **)&process->seen, &process->seen_capacity, process->seen_count + 1,
			  sizeof(*process->seen), MAX_SEEN);

	if (err)
		return err;
	process->seen[process->seen_count++] = mapping;
	return 0;
}

int process_mappings_add(struct process_mappings *process, uint64_t begin, uint64_t end,
			 uint32_t mapping)
{
	int err;

	if (begin >= end)
		return -EINVAL;
	err = lay_over(process,
		       (struct mapped_range){.begin = begin, .end = end, .mapping = mapping});
	if (err)
		return err;
	return add_seen(process, mapping);
}

int process_mappings_fork(const struct process_mappings *parent, struct process_mappings *child)
{
	struct process_mappings merged = {};
	uint32_t previous = UINT32_MAX;
	int err = 0;

	for (size_t i = 0; i < parent->range_count && !err; i++) {
		const struct mapped_range *range = &parent->ranges[i];

		err = lay_over(&merged, *range);
		if (!err && range->mapping != previous && !range->before_exec)
			err = add_seen(&merged, range->mapping);
		previous = range->mapping;
	}
	for (size_t i = 0; i < child->range_count && !err; i++)
		err = lay_over(&merged, child->ranges[i]);
	for (size_t i = 0; i < child->seen_count && !err; i++)
		err = add_seen(&merged, child->seen[i]);
	if (err) {
		process_mappings_clear(&merged);
		return err;
	}
	process_mappings_clear(child);
	*child = merged;
	return 0;
}

void process_mappings_exec(struct process_mappings *process)
{
	for (size_t i = 0; i < process->range_count; i++)
		process->ranges[i].before_exec = true;
}

const struct mapped_range *process_mappings_find(const struct process_mappings *process,
						 uint64_t address)
{
	size_t at = first_ending_after(process, address);

	if (at == process->range_count || process->ranges[at].begin > address)
		return NULL;
	return &process->ranges[at];
}

void process_mappings_clear(struct process_mappings *process)
{
	free(process->ranges);
	free(process->seen);
	*process = (struct process_mappings){};
}
