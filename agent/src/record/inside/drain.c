// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * What a process has published in its ring. All of it is the job's to write, wrongly too: each number is
 * read once, each record is copied before it is looked at.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "../../reserve.h"
#include "inside.h"

static const uint16_t least_bytes[INSIDE_KINDS] = {
	[INSIDE_CALL] = sizeof(struct inside_call),
	[INSIDE_LAUNCHES] = sizeof(struct inside_launches),
	[INSIDE_WORK] = sizeof(struct inside_work),
	[INSIDE_NAME] = sizeof(struct inside_name) + 8,
	[INSIDE_STREAM] = sizeof(struct inside_stream),
	[INSIDE_STACK] = offsetof(struct stack_record, frames),
	[INSIDE_CLOCK] = sizeof(struct inside_clock),
	[INSIDE_DEVICE] = sizeof(struct inside_device),
};
#define LARGEST_RECORD (sizeof(struct inside_name) + INSIDE_NAME_BYTES + 8)

/* Those that others refer to: they are read first. */
static bool explains(uint8_t kind)
{
	return kind == INSIDE_NAME || kind == INSIDE_STREAM || kind == INSIDE_STACK ||
	       kind == INSIDE_CLOCK || kind == INSIDE_DEVICE;
}

/* A copy of the record there; false where it is none. */
static bool copy_record(const char *at, uint32_t room, void *out)
{
	struct record_header header;

	if (room < sizeof(header))
		return false;
	memcpy(&header, at, sizeof(header));
	if (!header.kind || header.kind >= INSIDE_KINDS || header.size < least_bytes[header.kind] ||
	    header.size % 8 || header.size > room || header.size > LARGEST_RECORD)
		return false;
	memcpy(out, at, header.size);
	memcpy(out, &header, sizeof(header));
	return true;
}

union any_record {
	struct record_header header;
	struct inside_call call;
	uint64_t room[LARGEST_RECORD / 8 + 1];
};

/* The next record of a block before `to`, and past it; false at the end, and where there is none. */
static bool next_record(struct inside_process *process, unsigned int index, uint32_t *from,
			uint32_t to, union any_record *out)
{
	if (*from >= to)
		return false;
	if (!copy_record(inside_data(process->ring, index) + *from, to - *from, out)) {
		process->damaged++;
		*from = to;
		return false;
	}
	*from += out->header.size;
	return true;
}

struct pending {
	uint64_t sequence;
	uint32_t index, filled;
	bool closed;
};

static uint32_t published(void *ring, unsigned int index)
{
	uint32_t filled =
		atomic_load_explicit(&inside_block(ring, index)->filled, memory_order_acquire);

	return filled > INSIDE_BLOCK_BYTES ? INSIDE_BLOCK_BYTES : filled;
}

static unsigned int list_pending(const struct inside_process *process, struct pending *out)
{
	struct inside_header *header = process->ring;
	uint32_t used = atomic_load(&header->blocks_used);
	unsigned int count = 0;

	for (unsigned int i = 0; i < used && i < INSIDE_BLOCKS; i++) {
		struct inside_block *block = inside_block(process->ring, i);
		uint32_t state = atomic_load_explicit(&block->state, memory_order_acquire);
		uint32_t filled;

		if (state == INSIDE_BLOCK_FREE)
			continue;
		filled = published(process->ring, i);
		if (filled <= process->consumed[i] && state != INSIDE_BLOCK_CLOSED)
			continue;
		out[count++] = (struct pending){
			.sequence = atomic_load(&block->sequence),
			.index = i,
			.filled = filled,
			.closed = state == INSIDE_BLOCK_CLOSED,
		};
	}
	return count;
}

static int by_sequence(const void *left, const void *right)
{
	uint64_t a = ((const struct pending *)left)->sequence;
	uint64_t b = ((const struct pending *)right)->sequence;

	return a < b ? -1 : a > b;
}

static void give_back(struct inside_process *process, unsigned int index)
{
	struct inside_header *header = process->ring;
	struct inside_block *block = inside_block(process->ring, index);

	process->consumed[index] = process->defined[index] = 0;
	atomic_store_explicit(&block->filled, 0, memory_order_relaxed);
	atomic_store_explicit(&block->state, INSIDE_BLOCK_FREE, memory_order_release);
	atomic_fetch_add(&header->free_blocks, 1);
}

/* A consistent copy of a slot; false while its thread writes it. */
static bool copy_slot(struct inside_slot *slot, struct inside_slot *out)
{
	for (int i = 0; i < 100; i++) {
		uint32_t version = atomic_load_explicit(&slot->version, memory_order_acquire);

		memcpy(out, slot, sizeof(*out));
		atomic_thread_fence(memory_order_acquire);
		if (!(version & 1) &&
		    atomic_load_explicit(&slot->version, memory_order_relaxed) == version)
			return true;
	}
	return false;
}

static void add_rest(struct inside_recorder *inside, struct inside_process *process,
		     const struct inside_slot *slot, uint64_t end_ns)
{
	for (int i = 0; i < INSIDE_BUCKETS; i++)
		inside_add_launches(inside, process, slot->tid, &slot->buckets[i]);
	if (slot->open)
		inside_add_unfinished(inside, process, slot, end_ns);
}

/* Slots of threads that have ended are free again. */
static void collect_slots(struct inside_recorder *inside, struct inside_process *process)
{
	struct inside_header *header = process->ring;
	uint32_t used = atomic_load(&header->slots_used);

	for (unsigned int i = 0; i < used && i < INSIDE_SLOTS; i++) {
		struct inside_slot *slot = inside_slot(process->ring, i), copy;

		if (atomic_load_explicit(&slot->state, memory_order_acquire) != INSIDE_SLOT_ENDED)
			continue;
		memcpy(&copy, slot, sizeof(copy));
		add_rest(inside, process, &copy, inside->session->now_ns);
		atomic_store_explicit(&slot->state, INSIDE_SLOT_FREE, memory_order_release);
	}
}

/* Up to here all calls that have ended have been published: those of that end or before. */
static uint64_t watermark(const struct inside_process *process)
{
	struct inside_header *header = process->ring;
	uint64_t mark_ns = clock_ns(CLOCK_MONOTONIC);
	uint32_t used = atomic_load(&header->slots_used);

	for (unsigned int i = 0; i < used && i < INSIDE_SLOTS; i++) {
		struct inside_slot *slot = inside_slot(process->ring, i);
		uint64_t start_ns = *(volatile __u64 *)&slot->start_ns;

		if (atomic_load(&slot->leaving) && start_ns < mark_ns)
			mark_ns = start_ns;
	}
	return mark_ns;
}

/* What is pending, in the order in which it ended. */
struct event {
	uint64_t end_ns, ordinal;
	uint32_t index, at;
};

struct events {
	struct event *list;
	size_t count, capacity;
};

static bool add_event(struct events *events, struct event event)
{
	if (reserve((void **)&events->list, &events->capacity, events->count + 1,
		    sizeof(*events->list), SIZE_MAX))
		return false;
	event.ordinal = events->count;
	events->list[events->count++] = event;
	return true;
}

static int by_end(const void *left, const void *right)
{
	const struct event *a = left, *b = right;

	if (a->end_ns != b->end_ns)
		return a->end_ns < b->end_ns ? -1 : 1;
	return a->ordinal < b->ordinal ? -1 : 1;
}

/* Takes note of a block's records; from a call on that ended after the mark, they stay. */
static void list_events(struct inside_process *process, const struct pending *pending,
			uint64_t mark_ns, struct events *events)
{
	uint32_t *consumed = &process->consumed[pending->index], at = *consumed;
	union any_record record;
	uint64_t end_ns = 0;

	while (next_record(process, pending->index, &at, pending->filled, &record)) {
		uint32_t begin = at - record.header.size;

		if (record.header.kind == INSIDE_CALL) {
			end_ns = record.call.start_ns + record.call.duration_ns;
			if (end_ns > mark_ns)
				return;
		}
		if (!explains(record.header.kind) &&
		    !add_event(events, (struct event){end_ns, 0, pending->index, begin}))
			return;
		*consumed = at;
	}
	*consumed = at;
}

static void add_events(struct inside_recorder *inside, struct inside_process *process,
		       const struct pending *pending, unsigned int count, uint64_t mark_ns)
{
	struct events events = {0};
	union any_record record;

	for (unsigned int i = 0; i < count; i++)
		list_events(process, &pending[i], mark_ns, &events);
	if (events.count)
		qsort(events.list, events.count, sizeof(events.list[0]), by_end);
	for (size_t i = 0; i < events.count; i++) {
		uint32_t at = events.list[i].at;

		/* The job may have changed it since. */
		if (next_record(process, events.list[i].index, &at, INSIDE_BLOCK_BYTES, &record))
			inside_add(inside, process, &record.header);
	}
	free(events.list);
}

/* What explains a record was published before it, perhaps since the blocks were listed. */
static void read_explanations(struct inside_recorder *inside, struct inside_process *process)
{
	struct inside_header *header = process->ring;
	uint32_t used = atomic_load(&header->blocks_used);
	union any_record record;

	for (unsigned int i = 0; i < used && i < INSIDE_BLOCKS; i++) {
		struct inside_block *block = inside_block(process->ring, i);
		uint32_t filled;

		if (atomic_load_explicit(&block->state, memory_order_acquire) == INSIDE_BLOCK_FREE)
			continue;
		filled = published(process->ring, i);
		while (next_record(process, i, &process->defined[i], filled, &record))
			if (explains(record.header.kind))
				inside_define(inside, process, &record.header);
	}
}

static void drain(struct inside_recorder *inside, struct inside_process *process, uint64_t mark_ns)
{
	struct pending pending[INSIDE_BLOCKS];
	unsigned int count = list_pending(process, pending);

	read_explanations(inside, process);
	qsort(pending, count, sizeof(pending[0]), by_sequence);
	add_events(inside, process, pending, count, mark_ns);
	for (unsigned int i = 0; i < count; i++)
		if (pending[i].closed && process->consumed[pending[i].index] >= pending[i].filled)
			give_back(process, pending[i].index);
	collect_slots(inside, process);
}

void inside_drain(struct inside_recorder *inside, struct inside_process *process)
{
	uint64_t mark_ns = watermark(process);
	/* Probes' records were read at that moment. */
	uint64_t probed_ns = inside->session->now_ns - PROBE_LAG_NS;

	if (inside->beside_probes && mark_ns > probed_ns)
		mark_ns = probed_ns;
	drain(inside, process, mark_ns);
	inside_settle_seen(inside, process, mark_ns);
	inside_settle_work(inside, process, mark_ns);
}

void inside_drain_rest(struct inside_recorder *inside, struct inside_process *process,
		       uint64_t end_ns)
{
	struct inside_header *header = process->ring;
	uint64_t yielded_ns = atomic_load(&header->yielded_ns);

	drain(inside, process, UINT64_MAX);
	for (unsigned int i = 0; i < INSIDE_SLOTS; i++) {
		struct inside_slot *slot = inside_slot(process->ring, i), copy;

		if (atomic_load(&slot->state) == INSIDE_SLOT_FREE || !copy_slot(slot, &copy))
			continue;
		/* A return that came after CUPTI was left was not seen. */
		add_rest(inside, process, &copy,
			 copy.start_ns < yielded_ns && yielded_ns < end_ns ? yielded_ns : end_ns);
	}
	inside_settle_seen(inside, process, UINT64_MAX);
	inside_settle_work(inside, process, UINT64_MAX);
}
