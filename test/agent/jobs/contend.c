/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * contend LIBRARY COPIES BYTES: pinned to CPU 0, copies pageable memory again and again, and reports
 * how long the kernel says that it waited for that CPU inside each copy.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>
#include "report.h"

#define H2D 1

typedef int (*copy_function)(void *, const void *, size_t, int, void *);
typedef int (*malloc_function)(void **, size_t);

static int schedstat;

/* ns runnable without a CPU so far. */
static unsigned long long run_delay_ns(void)
{
	unsigned long long run_ns, delay_ns;
	char text[128] = {0};

	if (pread(schedstat, text, sizeof(text) - 1, 0) <= 0 ||
	    sscanf(text, "%llu %llu", &run_ns, &delay_ns) != 2)
		exit(3);
	return delay_ns;
}

static void *symbol(void *library, const char *name)
{
	void *found = library ? dlsym(library, name) : NULL;

	if (!found)
		exit(4);
	return found;
}

int main(int argc, char **argv)
{
	cpu_set_t first;
	unsigned long long delay_ns = 0, before;
	size_t size = argc == 4 ? strtoul(argv[3], NULL, 10) : 0;
	void *library, *device = NULL, *host;
	copy_function copy;
	FILE *out;

	if (size == 0)
		return 2;
	CPU_ZERO(&first);
	CPU_SET(0, &first);
	sched_setaffinity(0, sizeof(first), &first);
	library = dlopen(argv[1], RTLD_NOW);
	copy = (copy_function)symbol(library, "cudaMemcpyAsync");
	host = calloc(1, size);
	schedstat = open("/proc/thread-self/schedstat", O_RDONLY);
	if (!host || ((malloc_function)symbol(library, "cudaMalloc"))(&device, size) != 0)
		return 3;
	memset(host, 1, size);
	for (int i = atoi(argv[2]); i > 0; i--) {
		before = run_delay_ns();
		if (copy(device, host, size, H2D, NULL) != 0)
			return 3;
		delay_ns += run_delay_ns() - before;
	}
	out = report();
	fprintf(out, "{\"runDelayNs\":%llu}\n", delay_ns);
	return fclose(out) == 0 ? 0 : 3;
}
