/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Makes exactly known CUDA calls:
 *   calls count ROUNDS THREADS   each call of the list below, once a round (launches six times)
 *   calls longjmp TIMES          leaves cudaStreamSynchronize by longjmp, then calls it rightly
 *   calls unfinished             exits while another thread is in cudaDeviceSynchronize
 *   calls launches RATE SECONDS [N]  launches only, so many a second; RATE 0 = as fast as it goes; N: a small
 *                                    copy of pinned memory after each so many
 *   calls until FILE             a launch each millisecond, until there is such a file
 *   calls time TIMES [WHAT [THREADS]]   small copies, or `launches`, again and again: ns, and of CPU time
 * Prints a JSON object, to the file named by JOB_REPORT if there is one.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "runtime.h"

#define MAX_THREADS 64

static int rounds = 1;
static long tids[MAX_THREADS];
static jmp_buf outside;
static atomic_bool inside;
static const dim3 one = {1, 1, 1};

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* What is charged to this thread alone, however busy the machine is. */
static uint64_t thread_cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static FILE *report(void)
{
	const char *path = getenv("JOB_REPORT");
	FILE *file = path ? fopen(path, "w") : stdout;

	if (!file) {
		perror(path);
		exit(3);
	}
	return file;
}

static void expect(cudaError_t is, cudaError_t wanted, const char *what)
{
	if (is != wanted) {
		fprintf(stderr, "%s: error %d\n", what, is);
		exit(4);
	}
}
#define OK(call) expect(call, 0, #call)

struct memory {
	char *pageable, *registered, *pinned, *managed, *device;
	cudaStream_t stream;
	cudaEvent_t event;
};

static void copy_all_ways(const struct memory *m)
{
	OK(cudaMemcpyAsync(m->device, m->pageable, 65536, cudaMemcpyHostToDevice, m->stream));
	OK(cudaMemcpyAsync(m->device, m->pinned, 131072, cudaMemcpyHostToDevice, m->stream));
	OK(cudaMemcpyAsync(m->device, m->registered, 98304, cudaMemcpyHostToDevice, m->stream));
	OK(cudaMemcpyAsync(m->device, m->managed, 32768, cudaMemcpyHostToDevice, m->stream));
	OK(cudaMemcpyAsync_ptsz(m->device, m->pinned, 2048, cudaMemcpyHostToDevice, m->stream));
	OK(cudaMemcpyAsync(m->pinned, m->device, 4096, cudaMemcpyDeviceToHost, m->stream));
	OK(cudaMemcpy(m->device, m->pageable, 16384, cudaMemcpyHostToDevice));
	OK(cudaMemcpy(m->device, m->device + 8192, 512, cudaMemcpyDeviceToDevice));
	OK(cudaMemcpy2DAsync(m->device, 1024, m->pageable, 1024, 512, 8, cudaMemcpyHostToDevice,
			     m->stream));
	expect(cudaMemcpy(NULL, m->pageable, 1024, cudaMemcpyHostToDevice), 1, "copy to NULL");
	OK(cudaMemset(m->device, 0, 8192));
}

static void launch_and_wait(const struct memory *m)
{
	cudaLaunchConfig_t config = {one, one, 0, m->stream, NULL, 0};

	for (int i = 0; i < 3; i++)
		OK(cudaLaunchKernel(&rounds, one, one, NULL, 0, m->stream));
	for (int i = 0; i < 2; i++)
		OK(cudaLaunchKernelExC(&config, &rounds, NULL));
	OK(cudaGraphLaunch(NULL, m->stream));
	OK(cudaEventRecord(m->event, m->stream));
	OK(cudaEventSynchronize(m->event));
	OK(cudaStreamSynchronize(m->stream));
	OK(cudaDeviceSynchronize());
}

static void one_round(struct memory *m)
{
	struct timespec pause = {.tv_nsec = 1000000};

	OK(cudaMalloc((void **)&m->device, 1 << 20));
	OK(cudaHostAlloc((void **)&m->pinned, 1 << 18, 0));
	OK(cudaMallocManaged((void **)&m->managed, 1 << 16, 1));
	OK(cudaHostRegister(m->registered, 1 << 17, 0));
	copy_all_ways(m);
	launch_and_wait(m);
	OK(cudaHostUnregister(m->registered));
	OK(cudaFree(m->managed));
	OK(cudaFreeHost(m->pinned));
	OK(cudaFree(m->device));
	nanosleep(&pause, NULL);
}

static void *count_thread(void *number)
{
	struct memory m = {.pageable = calloc(1, 1 << 17)};

	tids[(intptr_t)number] = syscall(SYS_gettid);
	m.registered = aligned_alloc(4096, 1 << 17);
	if (!m.pageable || !m.registered)
		exit(3);
	OK(cudaStreamCreate(&m.stream));
	OK(cudaEventCreate(&m.event));
	for (int round = 0; round < rounds; round++)
		one_round(&m);
	OK(cudaEventDestroy(m.event));
	OK(cudaStreamDestroy(m.stream));
	free(m.registered);
	free(m.pageable);
	return NULL;
}

static int count(int threads)
{
	pthread_t ids[MAX_THREADS];
	FILE *out;

	if (threads < 1 || threads > MAX_THREADS)
		return 2;
	for (intptr_t i = 0; i < threads; i++)
		if (pthread_create(&ids[i], NULL, count_thread, (void *)i) != 0)
			return 3;
	for (int i = 0; i < threads; i++)
		pthread_join(ids[i], NULL);
	out = report();
	fprintf(out, "{\"rounds\":%d,\"tids\":[", rounds);
	for (int i = 0; i < threads; i++)
		fprintf(out, "%s%ld", i ? "," : "", tids[i]);
	fprintf(out, "]}\n");
	return fclose(out) == 0 ? 0 : 3;
}

static void leave(void)
{
	longjmp(outside, 1);
}

static int leave_by_longjmp(int times)
{
	volatile int left = 0, i;

	for (i = 0; i < times; i++) {
		standInCallInWait(leave);
		if (setjmp(outside) == 0)
			cudaStreamSynchronize(NULL);
		else
			left++;
		standInCallInWait(NULL);
		OK(cudaDeviceSynchronize());
	}
	FILE *out = report();

	fprintf(out, "{\"left\":%d}\n", left);
	return fclose(out) == 0 ? 0 : 3;
}

static void *wait_for_ever(void *unused)
{
	cudaDeviceSynchronize();
	return unused;
}

static void note_inside(void)
{
	inside = true;
}

static int leave_unfinished(void)
{
	/* The other thread goes from its note into the wait itself. */
	struct timespec moment = {.tv_nsec = 1000000}, while_it_waits = {.tv_nsec = 300000000};
	pthread_t thread;

	standInOccupy(3600ULL * 1000000000);
	standInCallInWait(note_inside);
	if (pthread_create(&thread, NULL, wait_for_ever, NULL) != 0)
		return 3;
	while (!inside)
		nanosleep(&moment, NULL);
	nanosleep(&while_it_waits, NULL);
	_exit(0);
}

static int report_launches(uint64_t launches, uint64_t duration_ns)
{
	FILE *out = report();

	fprintf(out, "{\"tid\":%ld,\"launches\":%llu,\"ns\":%llu}\n", syscall(SYS_gettid),
		(unsigned long long)launches, (unsigned long long)duration_ns);
	return fclose(out) == 0 ? 0 : 3;
}

static int launch_loop(double rate, double seconds, unsigned int for_copy)
{
	uint64_t begin, end, launches = 0;
	void *device, *pinned;

	if (for_copy) {
		OK(cudaMalloc(&device, 4096));
		OK(cudaHostAlloc(&pinned, 4096, 0));
	}
	begin = now_ns();
	end = begin + (uint64_t)(seconds * 1e9);
	while (now_ns() < end) {
		OK(cudaLaunchKernel(&rounds, one, one, NULL, 0, NULL));
		if (++launches && for_copy && launches % for_copy == 0)
			OK(cudaMemcpyAsync(device, pinned, 64, cudaMemcpyHostToDevice, NULL));
		while (rate > 0 && now_ns() < begin + (uint64_t)((double)launches * 1e9 / rate) &&
		       now_ns() < end)
			;
	}
	return report_launches(launches, now_ns() - begin);
}

static int launch_until(const char *file)
{
	const struct timespec moment = {.tv_nsec = 1000000};
	uint64_t begin = now_ns(), launches = 0;

	for (; access(file, F_OK); launches++) {
		OK(cudaLaunchKernel(&rounds, one, one, NULL, 0, NULL));
		nanosleep(&moment, NULL);
	}
	return report_launches(launches, now_ns() - begin);
}

struct timing {
	long times;
	bool launches;
	uint64_t cpu_ns;
};

static void *time_thread(void *context)
{
	struct timing *timing = context;
	void *device, *pinned;
	uint64_t begin;

	OK(cudaMalloc(&device, 4096));
	OK(cudaHostAlloc(&pinned, 4096, 0));
	begin = thread_cpu_ns();
	for (long i = 0; i < timing->times; i++) {
		if (timing->launches)
			cudaLaunchKernel(&rounds, one, one, NULL, 0, NULL);
		else
			cudaMemcpyAsync(device, pinned, 64, cudaMemcpyHostToDevice, NULL);
	}
	timing->cpu_ns = thread_cpu_ns() - begin;
	return NULL;
}

static int time_calls(long times, bool launches, int threads)
{
	struct timing timings[MAX_THREADS];
	pthread_t ids[MAX_THREADS];
	uint64_t begin = now_ns(), cpu = 0;
	FILE *out;

	if (threads < 1 || threads > MAX_THREADS)
		return 2;
	for (int i = 0; i < threads; i++) {
		timings[i] = (struct timing){.times = times / threads, .launches = launches};
		if (pthread_create(&ids[i], NULL, time_thread, &timings[i]) != 0)
			return 3;
	}
	for (int i = 0; i < threads; i++) {
		pthread_join(ids[i], NULL);
		cpu += timings[i].cpu_ns;
	}
	out = report();
	fprintf(out, "{\"calls\":%ld,\"ns\":%llu,\"cpu_ns\":%llu}\n", times / threads * threads,
		(unsigned long long)(now_ns() - begin), (unsigned long long)cpu);
	return fclose(out) == 0 ? 0 : 3;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	int number = argc > 2 ? atoi(argv[2]) : 1;

	if (strcmp(mode, "count") == 0) {
		rounds = number;
		return count(argc > 3 ? atoi(argv[3]) : 1);
	}
	if (strcmp(mode, "longjmp") == 0)
		return leave_by_longjmp(number);
	if (strcmp(mode, "unfinished") == 0)
		return leave_unfinished();
	if (strcmp(mode, "launches") == 0)
		return launch_loop(number, argc > 3 ? atof(argv[3]) : 1,
				   argc > 4 ? (unsigned int)atoi(argv[4]) : 0);
	if (strcmp(mode, "until") == 0 && argc > 2)
		return launch_until(argv[2]);
	if (strcmp(mode, "time") == 0)
		return time_calls(number, argc > 3 && !strcmp(argv[3], "launches"),
				  argc > 4 ? atoi(argv[4]) : 1);
	fprintf(stderr, "calls count|longjmp|unfinished|launches|until|time …\n");
	return 2;
}
