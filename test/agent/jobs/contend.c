/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * contend LIBRARY COPIES BYTES RIVAL: pinned to CPU 0, copies pageable memory again and again, and
 * reports what the kernel says of its copies: how long it waited for that CPU, and how long RIVAL, a
 * process pinned to the same CPU, ran meanwhile. From what RIVAL ran the kernel leaves out what the
 * hypervisor took of the CPU (steal), which it counts for the CPU as a whole: that is reported as well.
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

struct schedstat {
	unsigned long long run_ns, delay_ns;
};

/* So far, of the task whose file it is. */
static struct schedstat read_schedstat(int file)
{
	struct schedstat read;
	char text[128] = {0};

	if (pread(file, text, sizeof(text) - 1, 0) <= 0 ||
	    sscanf(text, "%llu %llu", &read.run_ns, &read.delay_ns) != 2)
		exit(3);
	return read;
}

static int open_schedstat(const char *of)
{
	char path[64];
	int file;

	snprintf(path, sizeof(path), "/proc/%s/schedstat", of);
	file = open(path, O_RDONLY);
	if (file < 0)
		exit(3);
	return file;
}

/* So far, of CPU 0: proc_stat(5). */
static unsigned long long read_stolen_ns(void)
{
	unsigned long long ticks;
	FILE *file = fopen("/proc/stat", "r");

	/* The first line is the sum of all CPUs; of the second steal is the eighth number. */
	if (!file || fscanf(file, "%*[^\n] cpu0 %*u %*u %*u %*u %*u %*u %*u %llu", &ticks) != 1)
		exit(3);
	fclose(file);
	return ticks * (1000000000ull / (unsigned long long)sysconf(_SC_CLK_TCK));
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
	unsigned long long delay_ns = 0, rival_ns = 0, stolen_ns;
	struct schedstat before, rival_before;
	int own, rival;
	size_t size = argc == 5 ? strtoul(argv[3], NULL, 10) : 0;
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
	own = open_schedstat("thread-self");
	rival = open_schedstat(argv[4]);
	if (!host || ((malloc_function)symbol(library, "cudaMalloc"))(&device, size) != 0)
		return 3;
	memset(host, 1, size);
	stolen_ns = read_stolen_ns();
	for (int i = atoi(argv[2]); i > 0; i--) {
		before = read_schedstat(own);
		rival_before = read_schedstat(rival);
		if (copy(device, host, size, H2D, NULL) != 0)
			return 3;
		rival_ns += read_schedstat(rival).run_ns - rival_before.run_ns;
		delay_ns += read_schedstat(own).delay_ns - before.delay_ns;
	}
	stolen_ns = read_stolen_ns() - stolen_ns;
	out = report();
	fprintf(out, "{\"runDelayNs\":%llu,\"rivalNs\":%llu,\"stolenNs\":%llu}\n", delay_ns,
		rival_ns, stolen_ns);
	return fclose(out) == 0 ? 0 : 3;
}
