// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Launches come every few microseconds: above a rate they are counted, not sent one by one. */
#include "inside.h"

#define BUCKET_NS 100000000ull

static bool send(struct thread_state *thread, const struct inside_bucket *bucket)
{
	struct inside_launches *record;

	/* Where each has a record of its own there is nothing to add. */
	if (bucket->count <= bucket->stored)
		return true;
	record = record_reserve(thread, INSIDE_LAUNCHES, sizeof(*record));
	if (!record)
		return false;
	record->bucket = *bucket;
	record_publish(thread, record);
	return true;
}

/* What can't be sent is counted on. */
static void flush(struct thread_state *thread)
{
	for (int i = 0; i < INSIDE_BUCKETS; i++) {
		struct inside_bucket *bucket = &thread->slot->buckets[i];

		if (bucket->count && send(thread, bucket))
			bucket->count = 0;
	}
	thread->stored = 0;
}

void flush_launches(struct thread_state *thread)
{
	slot_begin(thread->slot);
	flush(thread);
	slot_end(thread->slot);
}

/* Where the function is counted; its place may have to be taken from another. */
static struct inside_bucket *find_bucket(struct thread_state *thread, uint16_t function)
{
	struct inside_bucket *buckets = thread->slot->buckets;
	struct inside_bucket *bucket = &buckets[function % INSIDE_BUCKETS];

	for (int i = 0; i < INSIDE_BUCKETS; i++) {
		if (buckets[i].count && buckets[i].function == function)
			return &buckets[i];
		if (!buckets[i].count) {
			bucket = &buckets[i];
			break;
		}
	}
	if (bucket->count && !send(thread, bucket))
		return NULL;
	*bucket = (struct inside_bucket){.function = function, .min_ns = ~0ull};
	return bucket;
}

bool count_launch(struct thread_state *thread, uint16_t function, uint64_t start_ns,
		  uint64_t end_ns)
{
	uint64_t duration_ns = end_ns - start_ns;
	struct inside_bucket *bucket;
	bool stored;

	slot_begin(thread->slot);
	if (end_ns - thread->bucket_ns >= BUCKET_NS) {
		flush(thread);
		thread->bucket_ns = start_ns;
	}
	stored = thread->stored < inside.header->launches_per_bucket;
	bucket = find_bucket(thread, function);
	if (bucket) {
		if (!bucket->count)
			bucket->start_ns = start_ns;
		bucket->last_ns = end_ns;
		bucket->count++;
		bucket->stored += stored;
		bucket->total_ns += duration_ns;
		if (duration_ns < bucket->min_ns)
			bucket->min_ns = duration_ns;
		if (duration_ns > bucket->max_ns)
			bucket->max_ns = duration_ns;
	} else if (!stored) {
		count_lost(INSIDE_LAUNCHES, 1);
	}
	thread->stored += stored;
	thread->slot->open = 0;
	slot_end(thread->slot);
	return stored;
}
