/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * A program with a profiler of its own, as torch.profiler is: it imports CUPTI, and takes its buffers without
 * asking who has them.
 *   profiled COPIES   so many copies before, with and after its profiler, whose records it counts
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include "runtime.h"

enum { MEMCPY = 1 };
#define BUFFER_BYTES 65536

int cuptiActivityRegisterCallbacks(void (*requested)(uint8_t **, size_t *, size_t *),
				   void (*completed)(void *, uint32_t, uint8_t *, size_t, size_t));
int cuptiActivityEnable(int kind);
int cuptiActivityDisable(int kind);
int cuptiActivityFlushAll(uint32_t forced);
int cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid_size, uint8_t **record);

static int records;

static void requested(uint8_t **buffer, size_t *size, size_t *most_records)
{
	*buffer = malloc(BUFFER_BYTES);
	*size = BUFFER_BYTES;
	*most_records = 0;
}

/* Frees what it is given: what is not its own would end it. */
static void completed(void *context, uint32_t stream, uint8_t *buffer, size_t size,
		      size_t valid_size)
{
	uint8_t *record = NULL;

	(void)context, (void)stream, (void)size;
	while (!cuptiActivityGetNextRecord(buffer, valid_size, &record))
		records++;
	free(buffer);
}

static int copy(int count)
{
	void *device, *pinned;
	int good = 0;

	if (cudaMalloc(&device, 4096) || cudaHostAlloc(&pinned, 4096, 0))
		return -1;
	for (int i = 0; i < count; i++)
		good += cudaMemcpyAsync(device, pinned, 4096, cudaMemcpyHostToDevice, NULL) == 0;
	return cudaDeviceSynchronize() || cudaFreeHost(pinned) || cudaFree(device) ? -1 : good;
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 10, good = copy(count);

	if (cuptiActivityRegisterCallbacks(requested, completed) || cuptiActivityEnable(MEMCPY))
		return 3;
	good += copy(count);
	if (cuptiActivityFlushAll(1) || cuptiActivityDisable(MEMCPY))
		return 4;
	good += copy(count);
	printf("%d copies, %d records\n", good, records);
	return 0;
}
