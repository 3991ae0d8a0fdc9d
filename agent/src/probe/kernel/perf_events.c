/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "perf_events.h"

static int open_event(int cpu, unsigned int config, unsigned int value, bool is_frequency)
{
	struct perf_event_attr attributes = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attributes),
		.config = config,
		.freq = is_frequency,
		.sample_period = value, /* the same member as sample_freq */
	};
	int fd = syscall(SYS_perf_event_open, &attributes, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static int attach_cpu(struct perf_events *events, const struct bpf_program *program, int fd)
{
	struct bpf_link *link = bpf_program__attach_perf_event(program, fd);

	if (!link) {
		int err = -errno;

		close(fd);
		return err;
	}
	events->links[events->count++] = link;
	return 0;
}

int perf_events_attach(struct perf_events *events, const struct bpf_program *program,
		       unsigned int config, unsigned int value, bool is_frequency)
{
	int cpus = libbpf_num_possible_cpus();
	int err = 0;

	if (cpus < 0)
		return cpus;
	events->links = calloc(cpus, sizeof(*events->links));
	if (!events->links)
		return -ENOMEM;
	for (int cpu = 0; cpu < cpus && !err; cpu++) {
		int fd = open_event(cpu, config, value, is_frequency);

		if (fd == -ENODEV)
			continue;
		err = fd < 0 ? fd : attach_cpu(events, program, fd);
	}
	if (!err && !events->count)
		err = -ENODEV;
	if (err)
		perf_events_detach(events);
	return err;
}

void perf_events_detach(struct perf_events *events)
{
	for (unsigned int i = 0; i < events->count; i++)
		bpf_link__destroy(events->links[i]);
	free(events->links);
	*events = (struct perf_events){0};
}
