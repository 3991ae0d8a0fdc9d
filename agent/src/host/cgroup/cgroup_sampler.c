// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * One group is sampled for each controller: of those that the targets are in the one with the
 * tightest limit. That is the one that can hold the job back.
 */
#include "cgroup_sampler.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "../../clock.h"
#include "../proc.h"

/* Memory changes slowly, and the kernel sums it up over all CPUs for each reader. */
#define SLOW_PERIOD_NS NS_PER_SECOND
/* Different texts of /proc/PID/cgroup that are remembered; one that is not is looked at again. */
#define SEEN 64

struct cgroup_sampler {
	uint64_t seen[SEEN]; /* their hashes */
	unsigned int seen_count;
	struct cgroup_folder cpu, memory, io;
	bool has_cpu, has_memory, has_io;
	struct cgroup_throttling throttling;
	uint64_t throttling_ns; /* 0 = not read yet; so for the others */
	bool has_quota;         /* or had one: it was throttled */
	struct cgroup_memory used;
	uint64_t used_ns;
	struct cgroup_io done;
	uint64_t done_ns;
	uint64_t slow_ns;
};

struct cgroup_sampler *cgroup_sampler_new(void)
{
	return calloc(1, sizeof(struct cgroup_sampler));
}

void cgroup_sampler_free(struct cgroup_sampler *sampler)
{
	free(sampler);
}

/* FNV-1a; http://www.isthe.com/chongo/tech/comp/fnv/ */
static uint64_t hash_text(const char *text)
{
	uint64_t hash = 0xcbf29ce484222325ull;

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3ull;
	return hash;
}

/* Whether the process is in groups that none so far was in. */
static bool is_new(struct cgroup_sampler *sampler, pid_t pid)
{
	char text[8192];
	uint64_t hash;

	if (proc_read(pid, 0, "cgroup", text, sizeof(text)) <= 0)
		return false;
	hash = hash_text(text);
	for (unsigned int i = 0; i < SEEN && i < sampler->seen_count; i++)
		if (sampler->seen[i] == hash)
			return false;
	sampler->seen[sampler->seen_count++ % SEEN] = hash;
	return true;
}

static void follow_cpu(struct cgroup_sampler *sampler, pid_t pid)
{
	struct cgroup_folder folder;
	double quota, known = sampler->has_cpu ? cgroup_cpu_quota(&sampler->cpu) : 0;

	if (cgroup_folder_of_process(pid, "cpu", &folder) < 0)
		return;
	quota = cgroup_cpu_quota(&folder);
	if (sampler->has_cpu && !(quota > 0 && (known == 0 || quota < known)))
		return;
	sampler->cpu = folder;
	sampler->has_cpu = true;
	sampler->has_quota = quota > 0;
	sampler->throttling_ns = 0;
}

/* 0 = none. */
static int64_t memory_limit(const struct cgroup_folder *folder)
{
	struct cgroup_memory read;

	if (cgroup_read_memory(folder, &read) < 0)
		return 0;
	return read.high_bytes && (!read.limit_bytes || read.high_bytes < read.limit_bytes) ?
		       read.high_bytes :
		       read.limit_bytes;
}

static void follow_memory(struct cgroup_sampler *sampler, pid_t pid)
{
	struct cgroup_folder folder;
	int64_t limit, known = sampler->has_memory ? memory_limit(&sampler->memory) : 0;

	if (cgroup_folder_of_process(pid, "memory", &folder) < 0)
		return;
	limit = memory_limit(&folder);
	if (sampler->has_memory && !(limit > 0 && (known == 0 || limit < known)))
		return;
	sampler->memory = folder;
	sampler->has_memory = true;
	sampler->used_ns = 0;
}

/* Of two groups with limits of I/O, the first that was seen: they may be of different devices. */
static void follow_io(struct cgroup_sampler *sampler, pid_t pid)
{
	struct cgroup_folder folder;
	struct cgroup_io_limit limits[MOST_IO_LIMITS];

	if ((sampler->has_io && cgroup_read_io_limits(&sampler->io, limits)) ||
	    cgroup_folder_of_process(pid, "blkio", &folder) < 0)
		return;
	if (sampler->has_io && !cgroup_read_io_limits(&folder, limits))
		return;
	sampler->io = folder;
	sampler->has_io = true;
	sampler->done_ns = 0;
}

void cgroup_sampler_follow(struct cgroup_sampler *sampler, pid_t pid)
{
	if (!is_new(sampler, pid))
		return;
	follow_cpu(sampler, pid);
	follow_memory(sampler, pid);
	follow_io(sampler, pid);
}

static void read_throttling(struct cgroup_sampler *sampler, struct trace_writer *writer,
			    uint64_t now_ns)
{
	struct cgroup_throttling now, *last = &sampler->throttling;
	double elapsed_ns = (double)(now_ns - sampler->throttling_ns);
	bool is_first = sampler->throttling_ns == 0;

	if (cgroup_read_throttling(&sampler->cpu, &now) < 0)
		return;
	/* Without a quota there is nothing to say; one may be set at any time. */
	if (!is_first && now.periods > last->periods)
		sampler->has_quota = true;
	if (sampler->has_quota && !is_first && elapsed_ns > 0 &&
	    now.throttled_ns >= last->throttled_ns && now.periods >= last->periods) {
		int64_t at_ns = trace_time(writer, now_ns);

		/* Of all its CPUs together: may be more than 1000 ms a second. */
		trace_add_sample(writer, at_ns, "Throttled by the CPU quota (ms/s)", -1,
				 1e3 * (double)(now.throttled_ns - last->throttled_ns) /
					 elapsed_ns);
		trace_add_sample(writer, at_ns, "CPU quota used up (times/s)", -1,
				 1e9 * (double)(now.periods - last->periods) / elapsed_ns);
	}
	*last = now;
	sampler->throttling_ns = now_ns;
}

/* Seconds since it was read last; 0 = it was not. */
static double seconds_since(uint64_t last_ns, uint64_t now_ns)
{
	return last_ns == 0 || now_ns < last_ns ? 0 : (double)(now_ns - last_ns) / 1e9;
}

static void read_memory(struct cgroup_sampler *sampler, struct trace_writer *writer,
			uint64_t now_ns)
{
	struct cgroup_memory now;

	/* A group that is gone makes room for another. */
	if (cgroup_read_memory(&sampler->memory, &now) < 0) {
		sampler->has_memory = false;
		sampler->seen_count = 0;
		return;
	}
	cgroup_write_memory(writer, trace_time(writer, now_ns),
			    seconds_since(sampler->used_ns, now_ns), &now, &sampler->used);
	sampler->used = now;
	sampler->used_ns = now_ns;
}

static void read_io(struct cgroup_sampler *sampler, struct trace_writer *writer, uint64_t now_ns)
{
	struct cgroup_io now;

	now.count = cgroup_read_io_limits(&sampler->io, now.limits);
	cgroup_write_io(writer, trace_time(writer, now_ns), seconds_since(sampler->done_ns, now_ns),
			&now, &sampler->done);
	sampler->done = now;
	sampler->done_ns = now_ns;
}

void cgroup_sampler_read(struct cgroup_sampler *sampler, struct trace_writer *writer,
			 uint64_t now_ns)
{
	if (sampler->has_cpu)
		read_throttling(sampler, writer, now_ns);
	if (sampler->slow_ns != 0 && now_ns - sampler->slow_ns < SLOW_PERIOD_NS)
		return;
	sampler->slow_ns = now_ns;
	if (sampler->has_memory)
		read_memory(sampler, writer, now_ns);
	if (sampler->has_io)
		read_io(sampler, writer, now_ns);
}
