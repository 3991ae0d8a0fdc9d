/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * libprofiler.so: a profiler of the job's own, as torch.profiler is: it imports CUPTI, and takes its buffers without
 * asking who has them.
 */
#include "profiler.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MEMCPY = 1 };
#define BUFFER_BYTES 65536
#define SECOND_NS 1000000000ull
/* How far its own clock is from any that CUPTI could take by itself. */
#define AHEAD_NS (3600 * SECOND_NS)
/* Of a record: begin and end of what the GPU did. */
#define TIMES_AT 16

int cuptiActivityRegisterTimestampCallback(uint64_t (*clock)(void));
int cuptiActivityRegisterCallbacks(void (*requested)(uint8_t **, size_t *, size_t *),
				   void (*completed)(void *, uint32_t, uint8_t *, size_t, size_t));
int cuptiActivityEnable(int kind);
int cuptiActivityDisable(int kind);
int cuptiActivityFlushAll(uint32_t forced);
int cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid_size, uint8_t **record);

static struct profiler_records counted;
static uint64_t (*its_clock)(void);
static uint64_t begin_ns;

static uint64_t read_clock(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * SECOND_NS + (uint64_t)now.tv_nsec;
}

/* What CUPTI takes where it is given none. */
static uint64_t clock_of_cupti(void)
{
	return read_clock(CLOCK_REALTIME);
}

static uint64_t own_clock(void)
{
	return AHEAD_NS + read_clock(CLOCK_MONOTONIC);
}

static void requested(uint8_t **buffer, size_t *size, size_t *most_records)
{
	*buffer = malloc(BUFFER_BYTES);
	*size = BUFFER_BYTES;
	*most_records = 0;
}

/* The clock may be set meanwhile, but not by hours. */
static bool is_in_time(const uint8_t *record)
{
	uint64_t times[2];

	memcpy(times, record + TIMES_AT, sizeof(times));
	return times[0] <= times[1] && times[0] + SECOND_NS >= begin_ns &&
	       times[1] <= its_clock() + SECOND_NS;
}

/* Frees what it is given: what is not its own would end it. */
static void completed(void *context, uint32_t stream, uint8_t *buffer, size_t size,
		      size_t valid_size)
{
	uint8_t *record = NULL;

	(void)context, (void)stream, (void)size;
	while (!cuptiActivityGetNextRecord(buffer, valid_size, &record)) {
		counted.all++;
		counted.in_time += is_in_time(record);
	}
	free(buffer);
}

EXPORT void *profilerLeadsTo(void)
{
	return (void *)cuptiActivityRegisterCallbacks;
}

EXPORT bool profilerBegin(enum profiler_first first)
{
	its_clock = first == FIRST_ITS_CLOCK ? own_clock : clock_of_cupti;
	begin_ns = its_clock();
	if (first == FIRST_ITS_CLOCK && cuptiActivityRegisterTimestampCallback(own_clock))
		return false;
	if (first == FIRST_THE_KIND && cuptiActivityEnable(MEMCPY))
		return false;
	return !cuptiActivityRegisterCallbacks(requested, completed) &&
	       (first == FIRST_THE_KIND || !cuptiActivityEnable(MEMCPY));
}

EXPORT bool profilerEnd(struct profiler_records *out)
{
	if (cuptiActivityFlushAll(1) || cuptiActivityDisable(MEMCPY))
		return false;
	*out = counted;
	return true;
}
