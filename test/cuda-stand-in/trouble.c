/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Programs that are hard on whoever is inside them. Each makes a known number of copies, and prints what
 * it did, the same with and without a tool inside:
 *   trouble forks TIMES      forks while threads copy; children copy too, and leave by exit or _exit
 *   trouble closed TIMES     closes all descriptors that it did not open, opens others in their place
 *   trouble threads N TIMES  N threads at once, TIMES copies each
 *   trouble ends HOW TIMES   ends after the copies: return, exit, _exit, abort, kill, quick, thread,
 *                            leave (its first thread ends, another goes on)
 *   trouble waits MS         copies, then waits for the GPU so long, again and again, 3 times
 *   trouble faults PAGES     copies from so many pages that nobody has touched, 20 times
 *   trouble exec TIMES       copies, becomes another program of the same process, and copies again
 *   trouble until FILE       a copy each millisecond until there is such a file; a word behind it: how often CUPTI
 *                            was taken out whole by then
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "runtime.h"

#define MOST_THREADS 256
#define BYTES 4096

static int times = 1;

static void pause_ns(long ns)
{
	struct timespec pause = {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};

	nanosleep(&pause, NULL);
}

/* So many copies to the device; how many of them went well. */
static int copy(int count)
{
	void *device = NULL, *pinned = NULL;
	int good = 0;

	if (cudaMalloc(&device, BYTES) || cudaHostAlloc(&pinned, BYTES, 0))
		return -1;
	for (int i = 0; i < count; i++)
		good += cudaMemcpyAsync(device, pinned, BYTES, cudaMemcpyHostToDevice, NULL) == 0;
	return cudaDeviceSynchronize() || cudaFreeHost(pinned) || cudaFree(device) ? -1 : good;
}

static void *copy_in_thread(void *result)
{
	*(int *)result = copy(times);
	return NULL;
}

static int in_threads(int count)
{
	pthread_t threads[MOST_THREADS];
	int results[MOST_THREADS], good = 0;

	for (int i = 0; i < count; i++)
		if (pthread_create(&threads[i], NULL, copy_in_thread, &results[i]))
			return 3;
	for (int i = 0; i < count; i++) {
		pthread_join(threads[i], NULL);
		good += results[i];
	}
	printf("%d threads, %d copies\n", count, good);
	return 0;
}

static int forks(int count)
{
	pthread_t beside;
	int good = 0, ended = 0, status;

	/* So that it is this process that has CUDA, and no child. */
	if (copy(1) != 1 || pthread_create(&beside, NULL, copy_in_thread, &good))
		return 3;
	for (int i = 0; i < count; i++) {
		pid_t child = fork();

		if (!child) {
			int copied = copy(3);

			if (i % 2)
				_exit(copied == 3 ? 7 : 8);
			exit(copied == 3 ? 7 : 8);
		}
		ended += child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
			 WEXITSTATUS(status) == 7;
		copy(1);
	}
	pthread_join(beside, NULL);
	printf("%d forks, %d ended well, %d copies beside\n", count, ended, good);
	return 0;
}

static int closed(int count)
{
	int good = copy(count), opened = 0;

	fflush(stdout);
	for (int fd = 3; fd < 2048; fd++)
		close(fd);
	/* Under the numbers that were closed, where somebody may believe his own file to be. */
	for (int i = 0; i < 600; i++)
		opened += open("/proc/self/comm", O_RDWR) >= 0;
	good += copy(count);
	printf("%d copies, %d files\n", good, opened);
	return 0;
}

static void *leave_by_thread(void *unused)
{
	exit(5);
	return unused;
}

/* Long after the first thread has gone. */
static void *go_on(void *unused)
{
	pause_ns(250000000);
	printf("%d more\n", copy(times));
	exit(5);
	return unused;
}

static int ends(const char *how)
{
	pthread_t thread;

	printf("%d copies\n", copy(times));
	fflush(stdout);
	if (!strcmp(how, "exit"))
		exit(4);
	if (!strcmp(how, "_exit"))
		_exit(5);
	if (!strcmp(how, "abort"))
		abort();
	if (!strcmp(how, "kill"))
		kill(getpid(), SIGKILL);
	if (!strcmp(how, "quick"))
		quick_exit(6);
	if (!strcmp(how, "leave") && !pthread_create(&thread, NULL, go_on, NULL))
		pthread_exit(NULL);
	if (!strcmp(how, "thread") && !pthread_create(&thread, NULL, leave_by_thread, NULL))
		pthread_join(thread, NULL);
	return 3;
}

static int waits(long ms)
{
	int good = 0;

	for (int i = 0; i < 3; i++) {
		standInOccupy((uint64_t)ms * 1000000);
		good += copy(1);
	}
	printf("%d copies\n", good);
	return 0;
}

/* Each page of fresh memory takes one fault, when the copy reads it. */
static int faults(size_t pages)
{
	size_t bytes = pages * (size_t)sysconf(_SC_PAGESIZE);
	void *device;
	int good = 0;

	if (cudaMalloc(&device, bytes))
		return 3;
	for (int i = 0; i < 20; i++) {
		void *fresh = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
				   -1, 0);

		if (fresh == MAP_FAILED || madvise(fresh, bytes, MADV_NOHUGEPAGE))
			return 3;
		good += cudaMemcpy(device, fresh, bytes, cudaMemcpyHostToDevice) == 0;
		munmap(fresh, bytes);
	}
	printf("%d copies\n", good);
	return 0;
}

static int execute(const char *program)
{
	char count[16];
	int good = copy(times);

	snprintf(count, sizeof(count), "%d", times);
	printf("%d copies\n", good);
	fflush(stdout);
	execl(program, program, "ends", "return", count, NULL);
	return 6;
}

/* By the stand-in's own count. */
static void print_finalized(void)
{
	void *cupti = dlopen("libcupti.so.12", RTLD_LAZY | RTLD_NOLOAD);
	unsigned int (*count)(void) = NULL;

	if (cupti)
		*(void **)&count = dlsym(cupti, "standInFinalized");
	if (count)
		printf("finalized %u times\n", count());
}

static int until(const char *file, bool tells_finalized)
{
	void *device, *pinned;
	int bad = 0;

	if (cudaMalloc(&device, BYTES) || cudaHostAlloc(&pinned, BYTES, 0))
		return 3;
	while (access(file, F_OK)) {
		bad += cudaMemcpyAsync(device, pinned, BYTES, cudaMemcpyHostToDevice, NULL) != 0;
		pause_ns(1000000);
	}
	printf("%d copies went wrong\n", bad);
	bad = cudaDeviceSynchronize() || cudaFreeHost(pinned) || cudaFree(device);
	if (tells_finalized)
		print_finalized();
	return bad ? 3 : 9;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	const char *first = argc > 2 ? argv[2] : "1";

	times = atoi(argc > 3 ? argv[3] : first);
	if (!strcmp(mode, "forks"))
		return forks(atoi(first));
	if (!strcmp(mode, "closed"))
		return closed(times);
	if (!strcmp(mode, "threads") && atoi(first) <= MOST_THREADS)
		return in_threads(atoi(first));
	if (!strcmp(mode, "ends"))
		return ends(first);
	if (!strcmp(mode, "waits"))
		return waits(atol(first));
	if (!strcmp(mode, "faults"))
		return faults((size_t)atoi(first));
	if (!strcmp(mode, "exec"))
		return execute(argv[0]);
	if (!strcmp(mode, "until"))
		return until(first, argc > 3);
	fprintf(stderr, "trouble forks|closed|threads|ends|waits|faults|exec|until …\n");
	return 2;
}
