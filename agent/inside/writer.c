// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Records into the blocks of the ring. */
#include "inside.h"

void count_lost(enum inside_kind kind, uint64_t count)
{
	atomic_fetch_add_explicit(&inside.header->lost[kind], count, memory_order_relaxed);
}

void writer_close_block(struct thread_state *thread)
{
	if (thread->block < 0)
		return;
	atomic_store_explicit(&inside_block(inside.ring, (unsigned int)thread->block)->state,
			      INSIDE_BLOCK_CLOSED, memory_order_release);
	thread->block = -1;
}

static bool take_block(struct thread_state *thread)
{
	struct inside_header *header = inside.header;
	uint64_t sequence;

	if (!atomic_load_explicit(&header->free_blocks, memory_order_relaxed))
		return false;
	sequence = atomic_fetch_add(&header->sequence, 1);
	for (unsigned int index = 0; index < INSIDE_BLOCKS; index++) {
		struct inside_block *block = inside_block(inside.ring, index);
		uint32_t free = INSIDE_BLOCK_FREE;

		if (atomic_load_explicit(&block->state, memory_order_relaxed) != free ||
		    !atomic_compare_exchange_strong(&block->state, &free, INSIDE_BLOCK_TAKEN))
			continue;
		atomic_fetch_sub(&header->free_blocks, 1);
		raise_to(&header->blocks_used, index + 1);
		atomic_store_explicit(&block->sequence, sequence, memory_order_relaxed);
		thread->block = (int)index;
		thread->filled = 0;
		return true;
	}
	return false;
}

void *record_reserve(struct thread_state *thread, enum inside_kind kind, size_t bytes)
{
	struct record_header *record;

	bytes = (bytes + 7) & ~(size_t)7;
	if (thread->block >= 0 && thread->filled + bytes > INSIDE_BLOCK_BYTES)
		writer_close_block(thread);
	if (bytes > INSIDE_BLOCK_BYTES || (thread->block < 0 && !take_block(thread))) {
		count_lost(kind, 1);
		return NULL;
	}
	record = (struct record_header *)(inside_data(inside.ring, (unsigned int)thread->block) +
					  thread->filled);
	*record = (struct record_header){
		.kind = (uint8_t)kind, .size = (uint16_t)bytes, .tid = thread->tid};
	return record;
}

void record_publish(struct thread_state *thread, const void *record)
{
	thread->filled += ((const struct record_header *)record)->size;
	atomic_store_explicit(&inside_block(inside.ring, (unsigned int)thread->block)->filled,
			      thread->filled, memory_order_release);
}
