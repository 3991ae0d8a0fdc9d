// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* CUPTI's records, as far as they are read, into the ring. */
#include <string.h>
#include "inside.h"

/* Offsets that are the same from 11.2 to 13.0. */
static const struct cupti_layout memcpy_layout = {
	.start = 16,
	.end = 24,
	.device = 32,
	.context = 36,
	.stream = 40,
	.correlation = 44,
	.bytes = 8,
	.copy_kind = 4,
	.source = 5,
	.destination = 6,
	.node = 64,
	.graph = 72,
	.prefix = 76,
};
/* Where the copy was asked for: source and destination have their own further on. */
static const struct cupti_layout peer_layout = {
	.start = 16,
	.end = 24,
	.device = 32,
	.context = 36,
	.stream = 40,
	.correlation = 60,
	.bytes = 8,
	.copy_kind = 4,
	.source = 5,
	.destination = 6,
	.node = 72,
	.graph = 80,
	.prefix = 84,
};
static const struct cupti_layout memset_layout = {
	.start = 16,
	.end = 24,
	.device = 32,
	.context = 36,
	.stream = 40,
	.correlation = 44,
	.bytes = 8,
	.graph = 72,
	.prefix = 76,
};
static const struct cupti_layout kernel_layout = {
	.start = 16,
	.end = 24,
	.device = 40,
	.context = 44,
	.stream = 48,
	.correlation = 92,
	.name = 104,
	.grid = 52,
	.block = 64,
	.node = 144,
	.graph = 156,
	.prefix = 160,
};
static const struct cupti_layout graph_layout = {
	.start = 8,
	.end = 16,
	.device = 24,
	.context = 32,
	.stream = 36,
	.correlation = 4,
	.graph = 28,
	.prefix = 40,
};

const struct cupti_layout *layout_of(int kind)
{
	switch (kind) {
	case ACTIVITY_MEMCPY:
		return &memcpy_layout;
	case ACTIVITY_MEMCPY_PEER:
		return &peer_layout;
	case ACTIVITY_MEMSET:
		return &memset_layout;
	case ACTIVITY_KERNEL:
		return &kernel_layout;
	case ACTIVITY_GRAPH:
		return &graph_layout;
	default:
		return NULL;
	}
}

static uint32_t word_at(const uint8_t *record, uint16_t offset)
{
	uint32_t word = 0;

	if (offset)
		memcpy(&word, record + offset, sizeof(word));
	return word;
}

static uint64_t long_at(const uint8_t *record, uint16_t offset)
{
	uint64_t word = 0;

	if (offset)
		memcpy(&word, record + offset, sizeof(word));
	return word;
}

static uint8_t byte_at(const uint8_t *record, uint16_t offset)
{
	return offset ? record[offset] : 0;
}

/* Names that were told already; one in each place, so some are told again. */
#define TOLD 8192
static _Atomic uint64_t told[TOLD];

void names_forget(void)
{
	for (unsigned int i = 0; i < TOLD; i++)
		atomic_store_explicit(&told[i], 0, memory_order_relaxed);
}

static uint64_t hash_of(const char *text, size_t length)
{
	uint64_t hash = length * 0x9e3779b97f4a7c15ull, word;

	for (; length; text += sizeof(word)) {
		size_t size = length < sizeof(word) ? length : sizeof(word);

		word = 0;
		memcpy(&word, text, size);
		hash = (hash ^ word) * 0xff51afd7ed558ccdull;
		hash ^= hash >> 32;
		length -= size;
	}
	return hash ? hash : 1;
}

/* The text is CUPTI's, and may be gone when the agent reads: it goes before its number. */
static uint64_t tell_name(struct thread_state *thread, const char *text)
{
	size_t length = text ? strlen(text) : 0;
	struct inside_name *record;
	_Atomic uint64_t *place;
	uint64_t hash;

	if (!length)
		return 0;
	hash = hash_of(text, length);
	place = &told[hash % TOLD];
	if (atomic_load_explicit(place, memory_order_relaxed) == hash)
		return hash;
	if (length > INSIDE_NAME_BYTES)
		length = INSIDE_NAME_BYTES;
	/* One byte at the least ends it. */
	record = record_reserve(thread, INSIDE_NAME, sizeof(*record) + length + 1);
	if (!record)
		return hash;
	memset(record->text, 0, record->header.size - sizeof(*record));
	memcpy(record->text, text, length);
	record->hash = hash;
	record_publish(thread, record);
	atomic_store_explicit(place, hash, memory_order_relaxed);
	return hash;
}

static uint8_t work_of(int kind)
{
	switch (kind) {
	case ACTIVITY_KERNEL:
		return INSIDE_WORK_KERNEL;
	case ACTIVITY_MEMSET:
		return INSIDE_WORK_FILL;
	case ACTIVITY_GRAPH:
		return INSIDE_WORK_GRAPH;
	default:
		return INSIDE_WORK_COPY;
	}
}

static void fill(struct inside_work *work, const uint8_t *record, const struct cupti_layout *layout)
{
	work->start_ns = long_at(record, layout->start);
	work->end_ns = long_at(record, layout->end);
	work->bytes = long_at(record, layout->bytes);
	work->node = long_at(record, layout->node);
	work->device = word_at(record, layout->device);
	work->context = word_at(record, layout->context);
	work->stream = word_at(record, layout->stream);
	work->correlation = word_at(record, layout->correlation);
	work->graph = word_at(record, layout->graph);
	work->copy_kind = byte_at(record, layout->copy_kind);
	work->source_memory = byte_at(record, layout->source);
	work->destination_memory = byte_at(record, layout->destination);
	memset(work->grid, 0, sizeof(work->grid));
	memset(work->block, 0, sizeof(work->block));
	if (layout->grid) {
		memcpy(work->grid, record + layout->grid, sizeof(work->grid));
		memcpy(work->block, record + layout->block, sizeof(work->block));
	}
}

void activity_send(struct thread_state *thread, const uint8_t *record)
{
	int kind = *(const int32_t *)(const void *)record;
	const struct cupti_layout *layout = layout_of(kind);
	const char *text = NULL;
	struct inside_work *work;
	uint64_t name;

	if (!layout)
		return;
	if (layout->name)
		memcpy(&text, record + layout->name, sizeof(text));
	name = tell_name(thread, text);
	work = record_reserve(thread, INSIDE_WORK, sizeof(*work));
	if (!work)
		return;
	fill(work, record, layout);
	work->kind = work_of(kind);
	work->name = name;
	record_publish(thread, work);
}
