/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* libcopies.so: imports the runtime as PyTorch's libraries do, and is loaded when its program likes. */
#include "runtime.h"

#define BYTES 4096
#define EXPORT __attribute__((visibility("default")))

/* Where a copy from here leads; a tool may have changed that. */
EXPORT void *copyLeadsTo(void)
{
	return (void *)cudaMemcpyAsync;
}

/* So many copies to the device; how many of them went well. */
EXPORT int copyTimes(int count)
{
	void *device = NULL, *pinned = NULL;
	int good = 0;

	if (cudaMalloc(&device, BYTES) || cudaHostAlloc(&pinned, BYTES, 0))
		return -1;
	for (int i = 0; i < count; i++)
		good += cudaMemcpyAsync(device, pinned, BYTES, cudaMemcpyHostToDevice, NULL) == 0;
	return cudaDeviceSynchronize() || cudaFreeHost(pinned) || cudaFree(device) ? -1 : good;
}
