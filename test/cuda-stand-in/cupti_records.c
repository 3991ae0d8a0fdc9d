/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Records of the work, in buffers that the tool gives; a thread of its own hands them back. */
#include "cupti.h"
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MEMCPY = 1, MEMSET = 2, KERNEL = 10, MEMCPY_PEER = 22, GRAPH = 51 };
#define PENDING 65536
/* So many wake the thread before it is asked. */
#define MANY 2048
/* Of each so many records one is lost, where it is to lose some. */
#define LOSE_EVERY 7
#define CLOCK_TRIES 100

struct pending {
	struct gpu_work work;
	uint32_t correlation;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t many = PTHREAD_COND_INITIALIZER;
static struct pending pending[PENDING];
static unsigned int pending_count;
static unsigned int kinds; /* bits */
static size_t dropped;
static uint64_t seen;
static bool thread_started;
static uint64_t ahead_ns; /* of CLOCK_MONOTONIC, the clock of the records */
/* One flush at a time, as the buffers are. */
static pthread_mutex_t delivery = PTHREAD_MUTEX_INITIALIZER;
static void (*requested)(uint8_t **buffer, size_t *size, size_t *most_records);
static void (*completed)(void *context, uint32_t stream, uint8_t *buffer, size_t size,
			 size_t valid_size);

int cuptiGetStreamIdEx(void *context, void *stream, uint8_t per_thread, uint32_t *out);

static uint64_t monotonic(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static uint64_t realtime(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* To the microsecond: of the pair that was read the fastest. */
static uint64_t is_ahead_ns(uint64_t (*clock)(void))
{
	uint64_t best_ns = ~0ull, ahead = 0;

	for (int i = 0; i < CLOCK_TRIES; i++) {
		uint64_t before = monotonic(), there = clock(), gap_ns = monotonic() - before;

		if (gap_ns >= best_ns)
			continue;
		best_ns = gap_ns;
		ahead = there - before;
	}
	return ahead - ahead % 1000;
}

/* As CUPTI's own clock. */
__attribute__((constructor)) static void begin_clock(void)
{
	ahead_ns = is_ahead_ns(realtime);
}

/* Where it takes no tool's clock, its own has another begin, and is a little faster. */
static uint64_t stamp(uint64_t monotonic_ns)
{
	return behaves[NO_CLOCK] ? 1000000000000ull + monotonic_ns + monotonic_ns / 100000 :
				   monotonic_ns + ahead_ns;
}

static size_t stride_of(int kind)
{
	static const size_t copies[] = {88, 88, 96, 96}, launches[] = {200, 208, 216, 216};

	switch (kind) {
	case MEMCPY:
	case MEMSET:
		return copies[stand_in_generation];
	case MEMCPY_PEER:
		return copies[stand_in_generation] + 8;
	case KERNEL:
		return behaves[SHORT] ? 144 : launches[stand_in_generation];
	case GRAPH:
		return 56;
	default:
		return 0;
	}
}

static int kind_of(const struct gpu_work *work)
{
	static const int of[] = {[WORK_KERNEL] = KERNEL,
				 [WORK_COPY] = MEMCPY,
				 [WORK_FILL] = MEMSET,
				 [WORK_GRAPH] = GRAPH};

	return of[work->kind];
}

static unsigned int bit(int kind)
{
	return 1u << (kind % 32);
}

static void put(uint8_t *record, size_t at, uint64_t value, size_t size)
{
	memcpy(record + at, &value, size);
}

static void write_record(uint8_t *record, const struct pending *from)
{
	const struct gpu_work *work = &from->work;
	int kind = kind_of(work);
	bool launch = kind == KERNEL, graph = kind == GRAPH;
	size_t times = graph ? 8 : 16, ids = launch ? 40 : 32;
	uint32_t stream = 0;

	memset(record, 0, stride_of(kind));
	cuptiGetStreamIdEx(&stand_in_context, work->stream, 0, &stream);
	put(record, 0, (uint64_t)kind, 4);
	put(record, times, stamp(work->begin_ns), 8);
	put(record, times + 8, stamp(work->end_ns), 8);
	put(record, graph ? 32 : ids + 4, 1, 4);
	put(record, graph ? 36 : ids + 8, stream, 4);
	put(record, graph ? 4 : launch ? 92 : 44, from->correlation, 4);
	if (graph)
		put(record, 28, 5, 4);
	else if (!launch)
		put(record, 8, work->bytes, 8);
	if (kind == MEMCPY) {
		put(record, 4, (uint64_t)work->copy_kind, 1);
		put(record, 5, (uint64_t)work->source_memory, 1);
		put(record, 6, (uint64_t)work->destination_memory, 1);
	}
	if (launch) {
		memcpy(record + 52, work->grid, sizeof(work->grid));
		memcpy(record + 64, work->block, sizeof(work->block));
		memcpy(record + 104, &work->name, sizeof(work->name));
	}
}

/* Those that are done, or all, out of the list and into `out`. */
static unsigned int take(struct pending *out, unsigned int most, bool all)
{
	uint64_t now = monotonic();
	unsigned int taken = 0, kept = 0;

	pthread_mutex_lock(&lock);
	for (unsigned int i = 0; i < pending_count; i++) {
		if (taken < most && (all || pending[i].work.end_ns <= now))
			out[taken++] = pending[i];
		else
			pending[kept++] = pending[i];
	}
	pending_count = kept;
	pthread_mutex_unlock(&lock);
	return taken;
}

static void shuffle(struct pending *records, unsigned int count)
{
	for (unsigned int i = 0; i + 1 < count; i += 2) {
		struct pending one = records[i];

		records[i] = records[i + 1];
		records[i + 1] = one;
	}
}

static void deliver_some(const struct pending *records, unsigned int count)
{
	uint8_t *buffer = NULL;
	size_t size = 0, filled = 0, most;

	for (unsigned int i = 0; i < count; i++) {
		size_t stride = stride_of(kind_of(&records[i].work));

		if (buffer && filled + stride > size) {
			completed(&stand_in_context, 0, buffer, size, filled);
			buffer = NULL;
		}
		if (!buffer) {
			requested(&buffer, &size, &most);
			filled = 0;
		}
		if (!buffer) {
			dropped++;
			continue;
		}
		write_record(buffer + filled, &records[i]);
		filled += stride;
	}
	if (buffer)
		completed(&stand_in_context, 0, buffer, size, filled);
}

static void deliver(bool all)
{
	static struct pending records[PENDING];
	unsigned int count;

	pthread_mutex_lock(&delivery);
	count = take(records, PENDING, all);
	if (behaves[SHUFFLE])
		shuffle(records, count);
	if (completed)
		deliver_some(records, count);
	pthread_mutex_unlock(&delivery);
}

static void *hand_over(void *unused)
{
	for (;;) {
		pthread_mutex_lock(&lock);
		while (pending_count < MANY)
			pthread_cond_wait(&many, &lock);
		pthread_mutex_unlock(&lock);
		deliver(false);
		/* What is not done yet is not worth being asked for again at once. */
		usleep(1000);
	}
	return unused;
}

void record_work(const struct gpu_work *work, uint32_t correlation)
{
	if (!(kinds & bit(kind_of(work))))
		return;
	pthread_mutex_lock(&lock);
	if (pending_count == PENDING || (behaves[DROP] && ++seen % LOSE_EVERY == 0))
		dropped++;
	else
		pending[pending_count++] = (struct pending){*work, correlation};
	if (pending_count >= MANY)
		pthread_cond_signal(&many);
	pthread_mutex_unlock(&lock);
}

EXPORT int cuptiActivityRegisterTimestampCallback(uint64_t (*clock)(void))
{
	if (behaves[NO_CLOCK] || kinds)
		return INVALID_PARAMETER;
	ahead_ns = is_ahead_ns(clock);
	return OK;
}

EXPORT int cuptiGetTimestamp(uint64_t *out)
{
	*out = stamp(monotonic());
	return OK;
}

EXPORT int cuptiActivityRegisterCallbacks(void (*request)(uint8_t **, size_t *, size_t *),
					  void (*complete)(void *, uint32_t, uint8_t *, size_t,
							   size_t))
{
	requested = request;
	completed = complete;
	return OK;
}

EXPORT int cuptiActivityEnable(int kind)
{
	pthread_t thread;

	if (!stride_of(kind))
		return INVALID_KIND;
	if (behaves[NO_RECORDS])
		return INSUFFICIENT_PRIVILEGES;
	if (behaves[NO_KERNELS] && kind == KERNEL)
		return UNKNOWN;
	if (!thread_started && !pthread_create(&thread, NULL, hand_over, NULL)) {
		pthread_detach(thread);
		thread_started = true;
	}
	hook_stand_in();
	kinds |= bit(kind);
	return OK;
}

EXPORT int cuptiActivityDisable(int kind)
{
	kinds &= ~bit(kind);
	return OK;
}

EXPORT int cuptiActivityFlushAll(uint32_t forced)
{
	while (behaves[HANG])
		pause();
	deliver(forced);
	return OK;
}

EXPORT int cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid_size, uint8_t **record)
{
	uint8_t *next = buffer;
	uint32_t kind;

	if (*record) {
		memcpy(&kind, *record, sizeof(kind));
		next = *record + stride_of((int)kind);
	}
	if (next + sizeof(kind) > buffer + valid_size)
		return MAX_LIMIT;
	memcpy(&kind, next, sizeof(kind));
	if (!stride_of((int)kind))
		return INVALID_KIND;
	*record = next;
	return OK;
}

EXPORT int cuptiActivityGetNumDroppedRecords(void *context, uint32_t stream, size_t *out)
{
	(void)context, (void)stream;
	pthread_mutex_lock(&lock);
	*out = dropped;
	dropped = 0;
	pthread_mutex_unlock(&lock);
	return OK;
}
