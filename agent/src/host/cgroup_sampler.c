// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "cgroup_sampler.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "../clock.h"
#include "cgroup.h"
#include "file_text.h"

/* Memory changes slowly, and the kernel sums it up over all CPUs for each reader. */
#define MEMORY_PERIOD_NS NS_PER_SECOND

struct cgroup_sampler {
	struct cgroup_cpu cpu;
	struct cgroup_throttling last;
	uint64_t last_ns; /* 0 = throttling was not read yet */
	bool has_cpu;
	bool has_quota; /* or had one: it was throttled */
	int memory_fd;
	uint64_t memory_ns;
};

/* Path behind "N:…memory…:" of /proc/PID/cgroup; "" where version 1 has no such hierarchy. */
static void memory_group_v1(const char *text, char *out, size_t size)
{
	char line[1400];

	out[0] = '\0';
	for (; *text; text += strcspn(text, "\n"), text += *text == '\n') {
		char *list, *path;

		snprintf(line, sizeof(line), "%.*s", (int)strcspn(text, "\n"), text);
		list = strchr(line, ':');
		path = list ? strchr(list + 1, ':') : NULL;
		if (!path)
			continue;
		*path = '\0';
		if (strcmp(list + 1, "memory") == 0) {
			snprintf(out, size, "%s", path + 1);
			return;
		}
	}
}

/* -errno where its memory is not to be seen: a root group counts none. */
static int open_memory(const struct cgroup_sampler *sampler, pid_t pid)
{
	char path[1600], text[8192], group[1200];

	snprintf(path, sizeof(path), "/proc/%d/cgroup", (int)pid);
	if (file_text_read(path, text, sizeof(text)) <= 0)
		return -1;
	memory_group_v1(text, group, sizeof(group));
	if (group[0] == '/' && !strstr(group, "/.."))
		snprintf(path, sizeof(path), "/sys/fs/cgroup/memory%s/memory.usage_in_bytes",
			 group);
	else if (sampler->has_cpu && sampler->cpu.version == 2)
		snprintf(path, sizeof(path), "%s/memory.current", sampler->cpu.directory);
	else
		return -1;
	return file_text_open(path);
}

struct cgroup_sampler *cgroup_sampler_new(pid_t pid)
{
	struct cgroup_sampler *sampler = calloc(1, sizeof(*sampler));

	if (!sampler)
		return NULL;
	sampler->has_cpu = cgroup_cpu_of_process(pid, &sampler->cpu) == 0;
	sampler->has_quota = sampler->has_cpu && cgroup_cpu_quota(&sampler->cpu) > 0;
	sampler->memory_fd = open_memory(sampler, pid);
	if (sampler->has_cpu || sampler->memory_fd >= 0)
		return sampler;
	cgroup_sampler_free(sampler);
	return NULL;
}

void cgroup_sampler_free(struct cgroup_sampler *sampler)
{
	if (!sampler)
		return;
	if (sampler->memory_fd >= 0)
		close(sampler->memory_fd);
	free(sampler);
}

static void write_throttling(struct cgroup_sampler *sampler, struct trace_writer *writer,
			     uint64_t now_ns)
{
	struct cgroup_throttling now;
	double elapsed_ns = (double)(now_ns - sampler->last_ns);

	if (cgroup_read_throttling(&sampler->cpu, &now) < 0)
		return;
	/* Without a quota there is nothing to say; one may be set at any time. */
	if (sampler->last_ns != 0 && now.periods > sampler->last.periods)
		sampler->has_quota = true;
	if (sampler->has_quota && sampler->last_ns != 0 && now_ns > sampler->last_ns &&
	    now.throttled_ns >= sampler->last.throttled_ns &&
	    now.periods >= sampler->last.periods) {
		/* Of all its CPUs together: may be more than 1000 ms a second. */
		trace_add_sample(
			writer, trace_time(writer, now_ns), "Throttled by the CPU quota (ms/s)", -1,
			1e3 * (double)(now.throttled_ns - sampler->last.throttled_ns) / elapsed_ns);
		trace_add_sample(writer, trace_time(writer, now_ns), "CPU quota used up (times/s)",
				 -1,
				 1e9 * (double)(now.periods - sampler->last.periods) / elapsed_ns);
	}
	sampler->last = now;
	sampler->last_ns = now_ns;
}

static void write_memory(struct cgroup_sampler *sampler, struct trace_writer *writer,
			 uint64_t now_ns)
{
	char text[64];
	char *end;
	unsigned long long bytes;

	if (sampler->memory_fd < 0 ||
	    (sampler->memory_ns != 0 && now_ns - sampler->memory_ns < MEMORY_PERIOD_NS))
		return;
	sampler->memory_ns = now_ns;
	if (file_text_read_fd(sampler->memory_fd, text, sizeof(text)) <= 0)
		return;
	bytes = strtoull(text, &end, 10);
	if (end != text)
		trace_add_sample(writer, trace_time(writer, now_ns), "Control group memory (MiB)",
				 -1, (double)bytes / (1 << 20));
}

void cgroup_sampler_read(struct cgroup_sampler *sampler, struct trace_writer *writer,
			 uint64_t now_ns)
{
	if (!sampler)
		return;
	if (sampler->has_cpu)
		write_throttling(sampler, writer, now_ns);
	write_memory(sampler, writer, now_ns);
}
