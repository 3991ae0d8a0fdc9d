// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* The buffers that CUPTI fills with records of what the GPU did, and which kinds it is asked for. */
#include <sys/mman.h>
#include "inside.h"

#define BUFFER_BYTES (1u << 20)
#define BUFFERS 16

static uint8_t *buffers;
static _Atomic uint32_t in_use; /* a bit each */
static uint32_t enabled;        /* kinds, by their place below */
static bool has_our_clock;
_Static_assert(BUFFERS <= 32, "bits");

/* In the order of enum inside_refused, from INSIDE_KERNELS on. */
static const int kinds[] = {ACTIVITY_KERNEL, ACTIVITY_GRAPH, ACTIVITY_MEMSET, ACTIVITY_MEMCPY_PEER,
			    ACTIVITY_MEMCPY};
#define KINDS (sizeof(kinds) / sizeof(kinds[0]))
_Static_assert(INSIDE_KERNELS + KINDS == INSIDE_REFUSALS, "ring.h");

static void buffer_requested(uint8_t **buffer, size_t *size, size_t *most_records)
{
	uint32_t taken = atomic_load(&in_use);

	*most_records = 0;
	*buffer = NULL;
	*size = 0;
	while (taken != (1u << BUFFERS) - 1) {
		unsigned int index = (unsigned int)__builtin_ctz(~taken);

		if (!atomic_compare_exchange_weak(&in_use, &taken, taken | 1u << index))
			continue;
		*buffer = buffers + (size_t)index * BUFFER_BYTES;
		*size = BUFFER_BYTES;
		return;
	}
}

static void send_records(uint8_t *buffer, size_t valid_size)
{
	struct thread_state *thread = thread_here();
	uint8_t *record = NULL;

	if (!thread) {
		count_lost(INSIDE_WORK, 1);
		return;
	}
	while (!inside.cupti.ActivityGetNextRecord(buffer, valid_size, &record))
		activity_send(thread, record);
}

static bool may_hand_over(void)
{
	uint32_t phase = atomic_load(&inside.phase);

	return phase == PHASE_STARTING || phase == PHASE_ON || phase == PHASE_YIELDING;
}

static void buffer_completed(void *context, uint32_t stream, uint8_t *buffer, size_t size,
			     size_t valid_size)
{
	size_t place = (size_t)(buffer - buffers), dropped = 0;

	(void)size;
	if (!is_ours())
		return;
	/* At the end of the capture it hands over what belongs to it. */
	if (may_hand_over()) {
		if (valid_size)
			send_records(buffer, valid_size);
		if (!inside.cupti.ActivityGetNumDroppedRecords(context, stream, &dropped) &&
		    dropped)
			atomic_fetch_add(&inside.header->cupti_lost, dropped);
	}
	/* Another client's, where one has put itself in our place. */
	if (place < (size_t)BUFFERS * BUFFER_BYTES)
		atomic_fetch_and(&in_use, ~(1u << (place / BUFFER_BYTES)));
}

/* How long a record of the kind is, says CUPTI: where a second one begins. Needs no GPU. */
bool is_long_enough(int kind)
{
	uint32_t words[256];
	uint8_t *buffer = (uint8_t *)words, *record = NULL;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		words[i] = i % 2 ? 0 : (uint32_t)kind;
	if (inside.cupti.ActivityGetNextRecord(buffer, sizeof(words), &record) ||
	    inside.cupti.ActivityGetNextRecord(buffer, sizeof(words), &record))
		return false;
	return record - buffer >= layout_of(kind)->prefix;
}

static uint64_t our_clock(void)
{
	return now_ns(CLOCK_MONOTONIC);
}

/* What CUPTI takes where nobody has given it a clock. */
static uint64_t clock_of_cupti(void)
{
	return now_ns(CLOCK_REALTIME);
}

static bool is_asked_for(int kind)
{
	uint32_t records = inside.header->gpu_records;

	return records == INSIDE_GPU_ALL ||
	       (records == INSIDE_GPU_COPIES &&
		(kind == ACTIVITY_MEMCPY || kind == ACTIVITY_MEMCPY_PEER ||
		 kind == ACTIVITY_MEMSET));
}

/* 0, or what stands in the way. */
static int32_t enable(unsigned int index)
{
	int32_t error = is_long_enough(kinds[index]) ? inside.cupti.ActivityEnable(kinds[index]) :
						       INSIDE_TOO_SHORT;

	if (!error)
		enabled |= 1u << index;
	return error;
}

void activity_set_up(void)
{
	struct inside_header *header = inside.header;
	struct cupti *cupti = &inside.cupti;
	long memory;
	int err;

	if (header->gpu_records == INSIDE_GPU_NONE)
		return;
	/* Of a recording before: CUPTI may still have some. */
	memory = buffers ? (long)buffers :
			   SYSTEM_CALL(SYS_mmap, 0, (size_t)BUFFERS * BUFFER_BYTES,
				       PROT_READ | PROT_WRITE,
				       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
	if (memory < 0 && memory > -4096) {
		tell_refusal(INSIDE_BUFFERS, INSIDE_NO_MEMORY);
		return;
	}
	buffers = (uint8_t *)memory;
	/* Before any kind is enabled, or it is refused. */
	has_our_clock = cupti->ActivityRegisterTimestampCallback &&
			!cupti->ActivityRegisterTimestampCallback(our_clock);
	atomic_store(&header->own_clock, !has_our_clock);
	if (cupti->SetThreadIdType)
		cupti->SetThreadIdType(THREAD_ID_OF_SYSTEM);
	err = cupti->ActivityRegisterCallbacks(buffer_requested, buffer_completed);
	tell_refusal(INSIDE_BUFFERS, err);
	for (unsigned int i = 0; i < KINDS && !err; i++)
		if (is_asked_for(kinds[i]))
			tell_refusal(INSIDE_KERNELS + i, enable(i));
}

void activity_stop(void)
{
	for (size_t i = 0; i < KINDS; i++)
		if (enabled & 1u << i)
			inside.cupti.ActivityDisable(kinds[i]);
	enabled = 0;
}

void activity_disable(void)
{
	activity_stop();
	if (has_our_clock)
		inside.cupti.ActivityRegisterTimestampCallback(clock_of_cupti);
	has_our_clock = false;
}
