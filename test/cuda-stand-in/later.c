/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * A program that uses CUDA, and loads a library that does only then:
 *   later LIBRARY COPIES [led]   led: copies once those of the library lead somewhere else than to CUDA
 * Prints how many copies went well, its own and the library's.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "runtime.h"

static int own_copies(int count)
{
	void *device = NULL, *pinned = NULL;
	int good = 0;

	if (cudaMalloc(&device, 64) || cudaHostAlloc(&pinned, 64, 0))
		return -1;
	for (int i = 0; i < count; i++)
		good += cudaMemcpy(device, pinned, 64, cudaMemcpyHostToDevice) == 0;
	return good;
}

int main(int argc, char **argv)
{
	struct timespec moment = {.tv_nsec = 1000000};
	int (*copy_times)(int) = NULL, count = argc > 2 ? atoi(argv[2]) : 1,
	    own = own_copies(count);
	void *(*leads_to)(void) = NULL, *library, *cuda;

	library = argc > 1 ? dlopen(argv[1], RTLD_LAZY | RTLD_LOCAL) : NULL;
	if (library) {
		*(void **)&copy_times = dlsym(library, "copyTimes");
		*(void **)&leads_to = dlsym(library, "copyLeadsTo");
	}
	if (!copy_times || !leads_to)
		return 3;
	cuda = dlsym(RTLD_DEFAULT, "cudaMemcpyAsync");
	for (int i = 0; argc > 3 && leads_to() == cuda && i < 10000; i++)
		nanosleep(&moment, NULL);
	printf("%d copies, %d of the library\n", own, copy_times(count));
	return 0;
}
