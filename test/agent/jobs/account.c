/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * account SECONDS [calm]: threads that sleep, hand a byte to each other, compete for CPU 0, touch pages;
 * each reports what the kernel says of it at its begin and its end, to be compared with a trace.
 * A calm one has none that compete, and does little: it leaves the CPUs to the test.
 */
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "report.h"

#define THREADS 6
/* The last ones. */
#define COMPETITORS 2
#define PINGS_PER_PAUSE 8

struct figures {
	long voluntary, involuntary, minor, major;
	unsigned long long run_ns, run_delay_ns, at_ns;
};
struct account {
	const char *name;
	void (*work)(void);
	long tid;
	struct figures begin, end;
};

static uint64_t end_ns, pause_ns = 1000000;
static size_t touched_bytes = 4 << 20;
static int ping[2], pong[2];

static void read_usage(struct figures *figures)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	figures->voluntary = usage.ru_nvcsw;
	figures->involuntary = usage.ru_nivcsw;
	figures->minor = usage.ru_minflt;
	figures->major = usage.ru_majflt;
}

/* All of one moment: again where the thread lost its CPU while it read. */
static struct figures read_figures(void)
{
	struct figures before = {0}, figures = {0};

	do {
		FILE *file = fopen("/proc/thread-self/schedstat", "r");

		read_usage(&before);
		if (!file || fscanf(file, "%llu %llu", &figures.run_ns, &figures.run_delay_ns) != 2)
			exit(3);
		figures.at_ns = now_ns();
		read_usage(&figures);
		fclose(file);
	} while (before.voluntary != figures.voluntary ||
		 before.involuntary != figures.involuntary);
	return figures;
}

static void pin_to_first_cpu(void)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(0, &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
}

static void sleeper(void)
{
	while (now_ns() < end_ns)
		sleep_ns(pause_ns / 5);
}

static void compete(void)
{
	pin_to_first_cpu();
	while (now_ns() < end_ns)
		;
}

static void touch_pages(void)
{
	const size_t size = touched_bytes;

	while (now_ns() < end_ns) {
		volatile char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
					     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (memory == MAP_FAILED)
			exit(3);
		madvise((void *)memory, size, MADV_NOHUGEPAGE);
		for (size_t i = 0; i < size; i += 4096)
			memory[i] = 1;
		munmap((void *)memory, size);
		sleep_ns(pause_ns);
	}
}

/* With pauses: without, it switches faster than an agent that gets a seventh of a CPU can read. */
static void send_ping(void)
{
	char byte = 0;

	while (now_ns() < end_ns) {
		for (int i = 0; i < PINGS_PER_PAUSE; i++)
			if (write(ping[1], &byte, 1) != 1 || read(pong[0], &byte, 1) != 1)
				return;
		sleep_ns(pause_ns);
	}
	close(ping[1]);
}

static void answer_ping(void)
{
	char byte;

	while (read(ping[0], &byte, 1) == 1)
		if (write(pong[1], &byte, 1) != 1)
			return;
}

static void *run(void *argument)
{
	struct account *account = argument;

	account->tid = syscall(SYS_gettid);
	pthread_setname_np(pthread_self(), account->name);
	account->begin = read_figures();
	account->work();
	account->end = read_figures();
	return NULL;
}

static void print_figures(FILE *out, const char *key, const struct figures *figures)
{
	fprintf(out,
		"\"%s\":{\"voluntary\":%ld,\"involuntary\":%ld,\"minor\":%ld,\"major\":%ld,"
		"\"run\":%llu,\"runDelay\":%llu,\"at\":%llu}",
		key, figures->voluntary, figures->involuntary, figures->minor, figures->major,
		figures->run_ns, figures->run_delay_ns, figures->at_ns);
}

int main(int argc, char **argv)
{
	struct account accounts[THREADS] = {
		{.name = "acc-sleep", .work = sleeper},  {.name = "acc-pages", .work = touch_pages},
		{.name = "acc-ping", .work = send_ping}, {.name = "acc-pong", .work = answer_ping},
		{.name = "acc-spin-a", .work = compete}, {.name = "acc-spin-b", .work = compete},
	};
	pthread_t threads[THREADS];
	int count = THREADS;
	FILE *out;

	if (argc > 2) {
		count -= COMPETITORS;
		pause_ns *= 10;
		touched_bytes /= 64;
	}
	if (pipe(ping) != 0 || pipe(pong) != 0)
		return 3;
	end_ns = now_ns() + (uint64_t)(1e9 * (argc > 1 ? atof(argv[1]) : 1));
	for (int i = 0; i < count; i++)
		if (pthread_create(&threads[i], NULL, run, &accounts[i]) != 0)
			return 3;
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	out = report();
	fprintf(out, "[");
	for (int i = 0; i < count; i++) {
		fprintf(out, "%s{\"name\":\"%s\",\"tid\":%ld,", i ? "," : "", accounts[i].name,
			accounts[i].tid);
		print_figures(out, "begin", &accounts[i].begin);
		fprintf(out, ",");
		print_figures(out, "end", &accounts[i].end);
		fprintf(out, "}");
	}
	fprintf(out, "]\n");
	return fclose(out) == 0 ? 0 : 3;
}
