// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "host_ranges.h"
#include <stdlib.h>
#include <string.h>
#include "../../symbol/maps_parser.h"

#define BUCKETS 256
/* Of one process; beyond that nothing is learnt any more and nothing said to be pageable. */
#define MAX_RANGES (1 << 20)

struct range {
	uint64_t begin, end;
	uint64_t known_ns;
	enum range_memory memory;
};

struct address_space {
	struct address_space *next;
	uint32_t tgid;
	bool complete;
	size_t count, capacity;
	struct range *ranges; /* by address, none overlapping another */
};

struct host_ranges {
	struct address_space *buckets[BUCKETS];
	bool inferred;
};

struct host_ranges *host_ranges_new(void)
{
	return calloc(1, sizeof(struct host_ranges));
}

static struct address_space **slot_of(const struct host_ranges *ranges, uint32_t tgid)
{
	struct address_space **slot = (struct address_space **)&ranges->buckets[tgid % BUCKETS];

	while (*slot && (*slot)->tgid != tgid)
		slot = &(*slot)->next;
	return slot;
}

static void forget(struct address_space **slot)
{
	struct address_space *space = *slot;

	*slot = space->next;
	free(space->ranges);
	free(space);
}

void host_ranges_free(struct host_ranges *ranges)
{
	if (!ranges)
		return;
	for (size_t i = 0; i < BUCKETS; i++) {
		while (ranges->buckets[i])
			forget(&ranges->buckets[i]);
	}
	free(ranges);
}

static struct address_space *find_or_add(struct host_ranges *ranges, uint32_t tgid)
{
	struct address_space **slot = slot_of(ranges, tgid);

	if (!*slot) {
		*slot = calloc(1, sizeof(**slot));
		if (*slot)
			(*slot)->tgid = tgid;
	}
	return *slot;
}

/* First range that ends behind the address. */
static size_t lower_bound(const struct address_space *space, uint64_t address)
{
	size_t low = 0, high = space->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (space->ranges[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool make_room(struct address_space *space)
{
	size_t capacity = space->capacity ? 2 * space->capacity : 16;
	struct range *grown;

	if (space->count < space->capacity)
		return true;
	if (space->count >= MAX_RANGES)
		return false;
	grown = realloc(space->ranges, capacity * sizeof(*grown));
	if (!grown)
		return false;
	space->ranges = grown;
	space->capacity = capacity;
	return true;
}

static void remove_at(struct address_space *space, size_t from, size_t to)
{
	if (from == to)
		return;
	memmove(&space->ranges[from], &space->ranges[to],
		(space->count - to) * sizeof(space->ranges[0]));
	space->count -= to - from;
}

static void add_range(struct address_space *space, const struct range *range)
{
	size_t from = lower_bound(space, range->begin), to = from;

	while (to < space->count && space->ranges[to].begin < range->end)
		to++;
	remove_at(space, from, to);
	if (!make_room(space)) {
		space->complete = false;
		return;
	}
	memmove(&space->ranges[from + 1], &space->ranges[from],
		(space->count - from) * sizeof(space->ranges[0]));
	space->ranges[from] = *range;
	space->count++;
}

void host_ranges_add(struct host_ranges *ranges, uint32_t tgid, uint64_t address, uint64_t size,
		     enum range_memory memory, uint64_t known_ns)
{
	struct address_space *space = find_or_add(ranges, tgid);
	struct range range = {address, address + size, known_ns, memory};

	if (space && size && range.end > range.begin)
		add_range(space, &range);
}

void host_ranges_remove(struct host_ranges *ranges, uint32_t tgid, uint64_t address,
			bool registered, uint64_t start_ns)
{
	struct address_space *space = *slot_of(ranges, tgid);
	struct range *range;
	size_t at;

	if (!space)
		return;
	at = lower_bound(space, address);
	range = &space->ranges[at];
	if (at < space->count && range->begin == address &&
	    (range->memory == RANGE_REGISTERED) == registered && range->known_ns <= start_ns)
		remove_at(space, at, at + 1);
}

enum range_memory host_ranges_find(const struct host_ranges *ranges, uint32_t tgid,
				   uint64_t address, uint64_t size)
{
	const struct address_space *space = *slot_of(ranges, tgid);
	uint64_t end = address + (size ? size : 1);
	enum range_memory memory;
	size_t at;

	if (!space)
		return RANGE_NONE;
	if (end < address)
		return RANGE_UNKNOWN;
	at = lower_bound(space, address);
	if (at == space->count || space->ranges[at].begin >= end)
		return RANGE_NONE;
	memory = space->ranges[at].memory;
	/* Neighbours of one kind do as well as one. */
	while (at < space->count && space->ranges[at].begin <= address &&
	       space->ranges[at].memory == memory) {
		address = space->ranges[at].end;
		if (address >= end)
			return memory;
		at++;
	}
	return RANGE_UNKNOWN;
}

uint64_t host_ranges_pinned(const struct host_ranges *ranges, uint32_t tgid, uint64_t begin,
			    uint64_t end)
{
	const struct address_space *space = *slot_of(ranges, tgid);
	uint64_t bytes = 0;

	if (!space)
		return 0;
	for (size_t at = lower_bound(space, begin);
	     at < space->count && space->ranges[at].begin < end; at++) {
		const struct range *range = &space->ranges[at];

		if (range->memory == RANGE_PINNED || range->memory == RANGE_REGISTERED)
			bytes += (range->end < end ? range->end : end) -
				 (range->begin > begin ? range->begin : begin);
	}
	return bytes;
}

bool host_ranges_complete(const struct host_ranges *ranges, uint32_t tgid)
{
	const struct address_space *space = *slot_of(ranges, tgid);

	return space && space->complete;
}

/*
 * Memory of the driver's own devices that is mapped into a process is pinned. Not so nvidia-uvm's:
 * managed memory migrates. Shared memory without a name (/dev/zero) may be the driver's, but just as
 * well two processes' of their own, so it proves nothing.
 */
static int learn_mapping(void *context, const struct maps_line *line)
{
	static const char device[] = "/dev/nvidia", managed[] = "/dev/nvidia-uvm";
	const struct range range = {line->start, line->end, 0, RANGE_PINNED};

	if (strncmp(line->path, device, sizeof(device) - 1) == 0 &&
	    strncmp(line->path, managed, sizeof(managed) - 1) != 0 && line->writable)
		add_range(context, &range);
	return 0;
}

void host_ranges_add_process(struct host_ranges *ranges, uint32_t tgid, int from_exec)
{
	struct address_space *space;

	host_ranges_remove_process(ranges, tgid);
	space = find_or_add(ranges, tgid);
	if (!space)
		return;
	space->complete = from_exec;
	/* A process that has gone meanwhile makes no calls either. */
	if (!from_exec)
		maps_read((pid_t)tgid, learn_mapping, space);
	if (space->count > 0)
		ranges->inferred = true;
}

bool host_ranges_inferred(const struct host_ranges *ranges)
{
	return ranges->inferred;
}

/*
 * CUDA does not survive a fork: what the parent has pinned is ordinary memory to the child, and
 * whatever the child pins comes after.
 */
void host_ranges_fork(struct host_ranges *ranges, uint32_t child_tgid)
{
	host_ranges_add_process(ranges, child_tgid, 1);
}

void host_ranges_remove_process(struct host_ranges *ranges, uint32_t tgid)
{
	struct address_space **slot = slot_of(ranges, tgid);

	if (*slot)
		forget(slot);
}

/* What is known may have been freed and used again by a call that was missed. */
void host_ranges_doubt(struct host_ranges *ranges, uint32_t tgid)
{
	struct address_space *space = find_or_add(ranges, tgid);

	if (!space)
		return;
	space->complete = false;
	space->count = 0;
}
