// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * The machine's values over time. Files stay open: reading one again costs a tenth of opening it.
 * Rates are those of the time since the last sample; the first sample has none.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "../clock.h"
#include "cgroup/cgroup_sampler.h"
#include "cpu_times.h"
#include "file_text.h"
#include "host.h"

/* What changes slowly, and each CPU's use where they are many, is written this often. */
#define SLOW_PERIOD_NS NS_PER_SECOND
#define FEW_CPUS 16

enum source_file {
	FILE_STAT,
	FILE_MEMORY,
	FILE_LOAD,
	FILE_VMSTAT,
	FILE_CPU_PRESSURE,
	FILE_MEMORY_PRESSURE,
	FILE_IO_PRESSURE,
	SOURCE_FILES,
};

static const char *const paths[SOURCE_FILES] = {
	[FILE_STAT] = "/proc/stat",
	[FILE_MEMORY] = "/proc/meminfo",
	[FILE_LOAD] = "/proc/loadavg",
	[FILE_VMSTAT] = "/proc/vmstat",
	[FILE_CPU_PRESSURE] = "/proc/pressure/cpu",
	[FILE_MEMORY_PRESSURE] = "/proc/pressure/memory",
	[FILE_IO_PRESSURE] = "/proc/pressure/io",
};

/* Counters whose growth a second is written. */
struct counter {
	enum source_file file;
	const char *key; /* in the file; "some"/"full" in those of pressure */
	const char *metric;
	double scale; /* growth a second × this */
	bool slow;
};

static const struct counter counters[] = {
	{FILE_STAT, "ctxt", "Context switches (/s)", 1, false},
	{FILE_VMSTAT, "pgmajfault", "Major page faults (/s)", 1, false},
	{FILE_VMSTAT, "pswpin", "Swapped in (pages/s)", 1, true},
	{FILE_VMSTAT, "pswpout", "Swapped out (pages/s)", 1, true},
	{FILE_VMSTAT, "oom_kill", "Out-of-memory kills (/s)", 1, true},
	/* total= is in µs: a second of it a second is 100 %. */
	{FILE_CPU_PRESSURE, "some", "CPU pressure (%)", 1e-4, false},
	{FILE_MEMORY_PRESSURE, "some", "Memory pressure (%)", 1e-4, false},
	{FILE_MEMORY_PRESSURE, "full", "Memory pressure, all tasks (%)", 1e-4, true},
	{FILE_IO_PRESSURE, "some", "I/O pressure (%)", 1e-4, false},
	{FILE_IO_PRESSURE, "full", "I/O pressure, all tasks (%)", 1e-4, true},
};
#define COUNTERS (sizeof(counters) / sizeof(counters[0]))

struct system_sampler {
	int fds[SOURCE_FILES]; /* < 0 = this kernel has none */
	char *text;
	size_t text_size;
	struct cpu_times *cpus;
	struct cgroup_sampler *cgroup;
	int64_t last[COUNTERS]; /* -1 = not known */
	uint64_t read_ns[2];    /* fast and slow ones; 0 = not yet */
	double cpu_percent;
};

/* Three lines a CPU in /proc/stat and one for interrupts, a number each of thousands of them. */
static size_t text_size_for(long cpus)
{
	return 65536 + (size_t)(cpus > 0 ? cpus : 1) * 256;
}

struct system_sampler *system_sampler_new(void)
{
	struct system_sampler *sampler = calloc(1, sizeof(*sampler));
	long cpus = sysconf(_SC_NPROCESSORS_CONF);

	if (!sampler)
		return NULL;
	for (int file = 0; file < SOURCE_FILES; file++)
		sampler->fds[file] = file_text_open(paths[file]);
	sampler->text_size = text_size_for(cpus);
	sampler->text = malloc(sampler->text_size);
	sampler->cpus = cpu_times_new(cpus > 0 ? (unsigned int)cpus : 1);
	sampler->cgroup = cgroup_sampler_new();
	sampler->cpu_percent = -1;
	for (size_t index = 0; index < COUNTERS; index++)
		sampler->last[index] = -1;
	if (!sampler->text || !sampler->cpus || !sampler->cgroup) {
		system_sampler_free(sampler);
		return NULL;
	}
	return sampler;
}

void system_sampler_free(struct system_sampler *sampler)
{
	if (!sampler)
		return;
	for (int file = 0; file < SOURCE_FILES; file++)
		if (sampler->fds[file] >= 0)
			close(sampler->fds[file]);
	cgroup_sampler_free(sampler->cgroup);
	cpu_times_free(sampler->cpus);
	free(sampler->text);
	free(sampler);
}

void system_sampler_follow(struct system_sampler *sampler, pid_t pid)
{
	cgroup_sampler_follow(sampler->cgroup, pid);
}

static bool read_source(struct system_sampler *sampler, enum source_file file)
{
	return sampler->fds[file] >= 0 &&
	       file_text_read_fd(sampler->fds[file], sampler->text, sampler->text_size) > 0;
}

/* "some avg10=0.00 avg60=0.00 avg300=0.00 total=123", µs. */
static int64_t pressure_total(const char *text, const char *key)
{
	const char *line = strncmp(text, key, strlen(key)) == 0 ? text : strstr(text, key);
	const char *total = line ? strstr(line, "total=") : NULL;

	return total ? strtoll(total + strlen("total="), NULL, 10) : -1;
}

static int64_t counter_value(const struct counter *counter, const char *text)
{
	return counter->file >= FILE_CPU_PRESSURE ? pressure_total(text, counter->key) :
						    file_text_value(text, counter->key);
}

/* Those of one file, whose text has just been read. */
static void write_counters(struct system_sampler *sampler, struct trace_writer *writer,
			   enum source_file file, int64_t at_ns, const double elapsed_s[2])
{
	for (size_t index = 0; index < COUNTERS; index++) {
		const struct counter *counter = &counters[index];
		double seconds = elapsed_s[counter->slow];
		int64_t value, most;

		if (counter->file != file || seconds < 0)
			continue;
		value = counter_value(counter, sampler->text);
		/* The kernel adds up pressure every 2 s: what is late goes to the samples after. */
		most = sampler->last[index] + (int64_t)(seconds * 1e6);
		if (file >= FILE_CPU_PRESSURE && sampler->last[index] >= 0 && value > most)
			value = most;
		if (sampler->last[index] >= 0 && value >= sampler->last[index] && seconds > 0)
			trace_add_sample(writer, at_ns, counter->metric, -1,
					 (double)(value - sampler->last[index]) / seconds *
						 counter->scale);
		sampler->last[index] = value;
	}
}

static void write_memory(struct system_sampler *sampler, struct trace_writer *writer, int64_t at_ns,
			 bool slow)
{
	const char *text = sampler->text;
	int64_t total = file_text_value(text, "MemTotal:");
	int64_t available = file_text_value(text, "MemAvailable:");
	int64_t cached = file_text_value(text, "Cached:");
	int64_t shared = file_text_value(text, "Shmem:");
	int64_t swap = file_text_value(text, "SwapTotal:"),
		free_swap = file_text_value(text, "SwapFree:");

	if (total >= 0 && available >= 0)
		trace_add_sample(writer, at_ns, "Memory used (MiB)", -1,
				 (double)(total - available) / 1024);
	/* Where DataLoader workers put their batches. */
	if (shared >= 0)
		trace_add_sample(writer, at_ns, "Shared memory (MiB)", -1, (double)shared / 1024);
	if (!slow)
		return;
	if (cached >= 0)
		trace_add_sample(writer, at_ns, "Page cache (MiB)", -1, (double)cached / 1024);
	if (swap >= 0 && free_swap >= 0)
		trace_add_sample(writer, at_ns, "Swap used (MiB)", -1,
				 (double)(swap - free_swap) / 1024);
}

static void write_cpus(struct system_sampler *sampler, struct trace_writer *writer, int64_t at_ns,
		       bool slow)
{
	int64_t runnable = file_text_value(sampler->text, "procs_running");

	cpu_times_read(sampler->cpus, sampler->text);
	sampler->cpu_percent = cpu_times_write(sampler->cpus, writer, at_ns);
	if (slow || cpu_times_count(sampler->cpus) <= FEW_CPUS)
		cpu_times_write_each(sampler->cpus, writer, at_ns);
	if (runnable >= 0)
		trace_add_sample(writer, at_ns, "Runnable tasks", -1, (double)runnable);
}

static void write_load(struct system_sampler *sampler, struct trace_writer *writer, int64_t at_ns)
{
	char *end;
	double load = strtod(sampler->text, &end);

	if (end != sampler->text)
		trace_add_sample(writer, at_ns, "Load (1 min)", -1, load);
}

/* Seconds since the last time, 0 the first time, < 0 = not due. */
static double elapsed(uint64_t last_ns, uint64_t now_ns, uint64_t period_ns)
{
	if (last_ns == 0)
		return 0;
	if (now_ns <= last_ns || now_ns - last_ns < period_ns)
		return -1;
	return (double)(now_ns - last_ns) / 1e9;
}

void system_sampler_read(struct system_sampler *sampler, struct trace_writer *writer,
			 uint64_t now_ns)
{
	const double seconds[2] = {
		elapsed(sampler->read_ns[0], now_ns, 0),
		elapsed(sampler->read_ns[1], now_ns, SLOW_PERIOD_NS),
	};
	bool slow = seconds[1] >= 0;
	int64_t at_ns = trace_time(writer, now_ns);

	if (seconds[0] < 0)
		return;
	for (int file = 0; file < SOURCE_FILES; file++) {
		if ((file == FILE_LOAD && !slow) || !read_source(sampler, file))
			continue;
		if (file == FILE_STAT)
			write_cpus(sampler, writer, at_ns, slow);
		else if (file == FILE_MEMORY)
			write_memory(sampler, writer, at_ns, slow);
		else if (file == FILE_LOAD)
			write_load(sampler, writer, at_ns);
		write_counters(sampler, writer, file, at_ns, seconds);
	}
	cgroup_sampler_read(sampler->cgroup, writer, now_ns);
	sampler->read_ns[0] = now_ns;
	if (slow)
		sampler->read_ns[1] = now_ns;
}

double system_sampler_cpu_percent(const struct system_sampler *sampler)
{
	return sampler->cpu_percent;
}
