// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "rings.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "../../reserve.h"
#include "ring_reader.h"

/*
 * kernel.perf_event_mlock_kb gives each user 516 KiB a CPU unless somebody changed it: two captures fit. What
 * comes within 10 ms, between two looks, has to fit into the least: 100,000 switches a second.
 */
#define MOST_BYTES (256u << 10)
#define LEAST_BYTES (32u << 10)
#define MOST_CPUS 4096
/* Beside events, what else of the agent needs descriptors: files of threads are kept open where there are more. */
#define OTHER_DESCRIPTORS 256

struct perf_rings {
	unsigned int cpu_count;
	int *cpus;
	struct ring_reader *readers; /* of each CPU */
	size_t bytes;
	int *events; /* of each thread, one a CPU; the first thread's have the rings */
	size_t event_count, event_room;
	struct ring_records records;
	size_t returned; /* of these, by the last call */
};

static int open_event(pid_t tid, int cpu, bool inherit, bool disabled, size_t watermark)
{
	struct perf_event_attr attributes = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attributes),
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU,
		.sample_id_all = 1,
		.context_switch = 1,
		.task = 1,
		.comm = 1,
		.comm_exec = 1,
		.inherit = inherit,
		.disabled = disabled,
		/* Without it the sysctl's usual value refuses the event. */
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.watermark = 1,
		.wakeup_watermark = (uint32_t)watermark,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attributes, tid, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/* All that its control group has, whatever the process is bound to now: a job may unbind itself. */
static int allowed_cpus(pid_t pid, cpu_set_t *out, size_t size)
{
	cpu_set_t *all = CPU_ALLOC(MOST_CPUS), *own = CPU_ALLOC(MOST_CPUS);
	int err = all && own ? 0 : -ENOMEM;

	CPU_ZERO_S(size, out);
	if (!err && (sched_getaffinity(pid, size, out) || sched_getaffinity(0, size, own)))
		err = -errno;
	if (!err) {
		memset(all, 0xff, size);
		if (!sched_setaffinity(0, size, all) && !sched_getaffinity(0, size, all))
			CPU_OR_S(size, out, out, all);
		sched_setaffinity(0, size, own);
	}
	CPU_FREE(all);
	CPU_FREE(own);
	return err;
}

static int list_cpus(struct perf_rings *rings, pid_t pid)
{
	size_t size = CPU_ALLOC_SIZE(MOST_CPUS);
	cpu_set_t *set = CPU_ALLOC(MOST_CPUS);
	int err = set ? allowed_cpus(pid, set, size) : -ENOMEM;

	if (!err) {
		int count = CPU_COUNT_S(size, set);

		rings->cpus = calloc((size_t)count + 1, sizeof(*rings->cpus));
		rings->readers = calloc((size_t)count + 1, sizeof(*rings->readers));
		if (!rings->cpus || !rings->readers)
			err = -ENOMEM;
	}
	for (int cpu = 0; !err && cpu < MOST_CPUS; cpu++)
		if (CPU_ISSET_S((size_t)cpu, size, set))
			rings->cpus[rings->cpu_count++] = cpu;
	CPU_FREE(set);
	return err;
}

int perf_rings_new(pid_t pid, struct perf_rings **out)
{
	struct perf_rings *rings = calloc(1, sizeof(*rings));
	int err = rings ? list_cpus(rings, pid) : -ENOMEM;

	if (err) {
		perf_rings_free(rings);
		return err;
	}
	*out = rings;
	return 0;
}

void perf_rings_free(struct perf_rings *rings)
{
	if (!rings)
		return;
	for (unsigned int i = 0; rings->readers && i < rings->cpu_count; i++)
		ring_reader_unmap(&rings->readers[i]);
	for (size_t i = 0; i < rings->event_count; i++)
		close(rings->events[i]);
	ring_records_free(&rings->records);
	free(rings->events);
	free(rings->readers);
	free(rings->cpus);
	free(rings);
}

static int grow_events(struct perf_rings *rings)
{
	return reserve((void **)&rings->events, &rings->event_room,
		       rings->event_count + rings->cpu_count, sizeof(*rings->events), SIZE_MAX);
}

/* Into the ring of its CPU, which the first thread's event has. */
static int add_event(struct perf_rings *rings, pid_t tid, unsigned int at, bool first)
{
	int fd = open_event(tid, rings->cpus[at], true, true, MOST_BYTES / 4), err = 0;

	if (fd < 0)
		return fd;
	if (!first && ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, rings->events[at]))
		err = -errno;
	if (err)
		close(fd);
	else
		rings->events[rings->event_count++] = fd;
	return err;
}

int perf_rings_add(struct perf_rings *rings, pid_t tid)
{
	size_t before = rings->event_count;
	int err = grow_events(rings);

	for (unsigned int at = 0; !err && at < rings->cpu_count; at++)
		err = add_event(rings, tid, at, before == 0);
	while (err && rings->event_count > before)
		close(rings->events[--rings->event_count]);
	return err;
}

int perf_rings_map(struct perf_rings *rings)
{
	int err = -ENOBUFS;

	for (size_t bytes = MOST_BYTES; err && bytes >= LEAST_BYTES; bytes /= 2) {
		err = 0;
		for (unsigned int at = 0; !err && at < rings->cpu_count; at++)
			err = ring_reader_map(&rings->readers[at], rings->events[at], bytes);
		for (unsigned int at = 0; err && at < rings->cpu_count; at++)
			ring_reader_unmap(&rings->readers[at]);
		if (err && err != -ENOBUFS)
			return err;
		rings->bytes = bytes;
	}
	return err;
}

bool perf_rings_have_room(const struct perf_rings *rings, size_t threads)
{
	size_t needed = threads * rings->cpu_count + OTHER_DESCRIPTORS;
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files))
		return false;
	if (files.rlim_cur < files.rlim_max) {
		files.rlim_cur = files.rlim_max;
		setrlimit(RLIMIT_NOFILE, &files);
	}
	return needed <= files.rlim_cur;
}

void perf_rings_switch(struct perf_rings *rings, bool on)
{
	for (size_t i = 0; i < rings->event_count; i++)
		ioctl(rings->events[i], on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
}

/*
 * A thread that came on one CPU had left another one before: once a moment has passed, the rings read after
 * it lack nothing from before it. What is younger than that moment waits for the next call.
 */
const struct perf_record *perf_rings_read(struct perf_rings *rings, uint64_t until_ns,
					  size_t *count)
{
	struct ring_records *records = &rings->records;

	ring_records_drop(records, rings->returned);
	for (unsigned int at = 0; at < rings->cpu_count; at++)
		ring_reader_read(&rings->readers[at], (uint32_t)rings->cpus[at], records);
	*count = rings->returned = ring_records_sort(records, until_ns);
	return records->all;
}

bool perf_rings_end(const struct perf_rings *rings, unsigned int at, uint64_t end_ns,
		    struct perf_record *out)
{
	*out = (struct perf_record){
		.kind = PERF_LOST,
		.time_ns = end_ns,
		.cpu = (uint32_t)rings->cpus[at],
		.since_ns = rings->readers[at].latest_ns,
	};
	return ring_reader_was_full(&rings->readers[at]);
}

void perf_rings_watch(const struct perf_rings *rings, int epoll_fd)
{
	for (unsigned int at = 0; at < rings->cpu_count; at++) {
		struct epoll_event event = {.events = EPOLLIN | EPOLLET,
					    .data.fd = rings->events[at]};

		epoll_ctl(epoll_fd, EPOLL_CTL_ADD, rings->events[at], &event);
	}
}

size_t perf_rings_bytes(const struct perf_rings *rings)
{
	return rings->bytes;
}

unsigned int perf_rings_cpus(const struct perf_rings *rings)
{
	return rings->cpu_count;
}

/* Asleep for a moment, the thread has left a CPU and come back. */
int perf_rings_try(char *why, size_t why_size)
{
	const struct timespec moment = {.tv_nsec = 1000000};
	struct ring_records records = {0};
	struct ring_reader reader = {0};
	int fd = open_event(0, -1, false, false, 0), err = fd < 0 ? fd : 0;

	if (!err)
		err = ring_reader_map(&reader, fd, (size_t)sysconf(_SC_PAGESIZE));
	if (!err) {
		nanosleep(&moment, NULL);
		ring_reader_read(&reader, 0, &records);
		err = records.count >= 2 ? 0 : -ENODATA;
	}
	ring_records_free(&records);
	ring_reader_unmap(&reader);
	if (fd >= 0)
		close(fd);
	if (err)
		perf_rings_explain(err, why, why_size);
	return err;
}
