/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * A program with a profiler of its own, as torch.profiler is:
 *   profiled COPIES [WORD…]   so many copies before, with and after its profiler, whose records it counts
 *   later    loads its profiler once it uses CUDA, and goes on when that one's calls lead to somebody else
 *   clock    the profiler gives CUPTI its clock first; kind: it asks for records first
 *   until=FILE   before the profiler a copy each millisecond, until there is such a file
 *   then=FILE    once the profiler has begun it waits for the GPU each millisecond, until there is such a file
 */
#include "profiler.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "runtime.h"

#define MOST_WAITS 10000

static const struct timespec moment = {.tv_nsec = 1000000};
static bool (*begin)(enum profiler_first first);
static bool (*end)(struct profiler_records *out);
static void *(*profiler_leads_to)(void);

static const char *word(char **argv, const char *wanted)
{
	size_t length = strlen(wanted);

	for (; *argv; argv++)
		if (!strncmp(*argv, wanted, length))
			return *argv + length;
	return NULL;
}

static bool load_profiler(void)
{
	void *library = dlopen("libprofiler.so", RTLD_LAZY);

	if (!library)
		return false;
	*(void **)&begin = dlsym(library, "profilerBegin");
	*(void **)&end = dlsym(library, "profilerEnd");
	*(void **)&profiler_leads_to = dlsym(library, "profilerLeadsTo");
	return begin && end && profiler_leads_to;
}

static bool leads_elsewhere(void *(*leads_to)(void), const void *own)
{
	for (int i = 0; leads_to() == own && i < MOST_WAITS; i++)
		nanosleep(&moment, NULL);
	return leads_to() != own;
}

static bool load_profiler_later(void)
{
	void *cupti;

	if (!load_profiler())
		return false;
	cupti = dlopen("libcupti.so.12", RTLD_LAZY | RTLD_NOLOAD);
	return cupti &&
	       leads_elsewhere(profiler_leads_to, dlsym(cupti, "cuptiActivityRegisterCallbacks"));
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

static void copy_until(const char *file)
{
	while (access(file, F_OK)) {
		copy(1);
		nanosleep(&moment, NULL);
	}
}

static void wait_until(const char *file)
{
	while (access(file, F_OK)) {
		cudaDeviceSynchronize();
		nanosleep(&moment, NULL);
	}
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 10, good;
	enum profiler_first first = word(argv, "clock") ? FIRST_ITS_CLOCK :
				    word(argv, "kind")  ? FIRST_THE_KIND :
							  FIRST_THE_BUFFERS;
	const char *until = word(argv, "until="), *then = word(argv, "then=");
	struct profiler_records records;

	if (!word(argv, "later") && !load_profiler())
		return 3;
	good = copy(count);
	if (word(argv, "later") && !load_profiler_later())
		return 4;
	if (until)
		copy_until(until);
	if (!begin(first))
		return 5;
	if (then)
		wait_until(then);
	good += copy(count);
	if (!end(&records))
		return 6;
	good += copy(count);
	printf("%d copies, %d records, %d in its time\n", good, records.all, records.in_time);
	return 0;
}
