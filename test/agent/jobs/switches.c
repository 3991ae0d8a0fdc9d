/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * switches SECONDS PAIRS [FILE]: pairs of threads, each on one CPU, that hand a byte back and forth: as many
 * context switches as the machine makes; with FILE until that is there. Reports how many there were by the
 * kernel's count, and their CPU time.
 */
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <unistd.h>
#include "report.h"

#define MAX_PAIRS 64

struct end {
	int from, to, cpu, first;
};
static uint64_t end_ns;
static const char *awaited;

/* Now and then, so that it is hand-overs that take the time. */
static bool goes_on(unsigned int turn)
{
	return now_ns() < end_ns || (awaited && (turn % 256 || access(awaited, F_OK) != 0));
}

static void *hand_over(void *argument)
{
	struct end *end = argument;
	cpu_set_t cpus;
	char byte = 0;

	CPU_ZERO(&cpus);
	CPU_SET((size_t)end->cpu, &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
	if (end->first && write(end->to, &byte, 1) != 1)
		return NULL;
	for (unsigned int turn = 1; goes_on(turn); turn++)
		if (read(end->from, &byte, 1) != 1 || write(end->to, &byte, 1) != 1)
			break;
	close(end->to);
	return NULL;
}

int main(int argc, char **argv)
{
	int pairs = argc > 2 ? atoi(argv[2]) : 1, cpus = (int)sysconf(_SC_NPROCESSORS_ONLN);
	static struct end ends[2 * MAX_PAIRS];
	pthread_t ids[2 * MAX_PAIRS];
	struct rusage usage;
	FILE *out;

	if (pairs < 1 || pairs > MAX_PAIRS)
		return 2;
	awaited = argc > 3 ? argv[3] : NULL;
	end_ns = now_ns() + (uint64_t)(1e9 * (argc > 1 ? atof(argv[1]) : 1));
	for (int i = 0; i < pairs; i++) {
		int there[2], back[2];

		if (pipe(there) != 0 || pipe(back) != 0)
			return 3;
		ends[2 * i] = (struct end){back[0], there[1], i % cpus, 1};
		ends[2 * i + 1] = (struct end){there[0], back[1], i % cpus, 0};
	}
	for (int i = 0; i < 2 * pairs; i++)
		if (pthread_create(&ids[i], NULL, hand_over, &ends[i]) != 0)
			return 3;
	for (int i = 0; i < 2 * pairs; i++)
		pthread_join(ids[i], NULL);
	getrusage(RUSAGE_SELF, &usage);
	out = report();
	fprintf(out, "{\"switches\":%ld,\"cpu_ns\":%lld}\n", usage.ru_nvcsw + usage.ru_nivcsw,
		1000ll * (1000000 * (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
			  usage.ru_utime.tv_usec + usage.ru_stime.tv_usec));
	return fclose(out) == 0 ? 0 : 3;
}
