// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * A perf event that counts nothing, on every CPU, only for the record that the kernel writes of each
 * executable mapping (perf_event_open(2), "mmap2").
 */
#include "../../host/file_text.h"
#include "../../host/cpu_list.h"
#include "libraries.h"
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

/* A process maps some hundred libraries at once, at 100 to 200 bytes each. A power of two. */
#define RING_PAGES 16
#define MAX_WATCHED_CPUS 4096

struct perf_ring {
	int fd;
	struct perf_event_mmap_page *page; /* and the data behind it */
	uint64_t head, tail;
	uint64_t next_time_ns; /* of the record at tail */
};

struct mapping_watch {
	int epoll_fd;
	size_t page_bytes, data_bytes;
	struct perf_ring *rings;
	size_t ring_count;
	unsigned char record[65536]; /* a record's size has 16 bits */
	char path[65536];
};

static int open_event(int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TIME,
		.sample_id_all = 1,
		.mmap = 1,
		.mmap2 = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.watermark = 1,
		.wakeup_watermark = 1,
	};
	int fd = syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static int open_ring(void *context, unsigned int cpu)
{
	struct mapping_watch *watch = context;
	struct epoll_event event = {.events = EPOLLIN};
	struct perf_ring *ring = &watch->rings[watch->ring_count];
	void *page;

	if (watch->ring_count == MAX_WATCHED_CPUS)
		return -ERANGE;
	ring->fd = open_event((int)cpu);
	/* It went offline meanwhile. */
	if (ring->fd == -ENODEV)
		return 0;
	if (ring->fd < 0)
		return ring->fd;
	page = mmap(NULL, watch->page_bytes + watch->data_bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
		    ring->fd, 0);
	if (page == MAP_FAILED) {
		int err = -errno;

		close(ring->fd);
		return err;
	}
	ring->page = page;
	watch->ring_count++;
	event.data.fd = ring->fd;
	return epoll_ctl(watch->epoll_fd, EPOLL_CTL_ADD, ring->fd, &event) == 0 ? 0 : -errno;
}

static int open_rings(struct mapping_watch *watch)
{
	char online[4096];
	ssize_t length = file_text_read("/sys/devices/system/cpu/online", online, sizeof(online));

	return length < 0 ? (int)length : cpu_list_each(online, open_ring, watch);
}

int mapping_watch_open(struct mapping_watch **out)
{
	struct mapping_watch *watch = calloc(1, sizeof(*watch));
	int err;

	if (!watch)
		return -ENOMEM;
	watch->page_bytes = sysconf(_SC_PAGESIZE);
	watch->data_bytes = watch->page_bytes * RING_PAGES;
	watch->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	err = watch->epoll_fd < 0 ? -errno : 0;
	if (!err) {
		watch->rings = calloc(MAX_WATCHED_CPUS, sizeof(*watch->rings));
		err = watch->rings ? open_rings(watch) : -ENOMEM;
	}
	if (!err && watch->ring_count == 0)
		err = -ENODEV;
	if (err) {
		mapping_watch_close(watch);
		return err;
	}
	*out = watch;
	return 0;
}

void mapping_watch_close(struct mapping_watch *watch)
{
	if (!watch)
		return;
	for (size_t i = 0; i < watch->ring_count; i++) {
		munmap(watch->rings[i].page, watch->page_bytes + watch->data_bytes);
		close(watch->rings[i].fd);
	}
	free(watch->rings);
	if (watch->epoll_fd >= 0)
		close(watch->epoll_fd);
	free(watch);
}

int mapping_watch_fd(const struct mapping_watch *watch)
{
	return watch->epoll_fd;
}

/* Copies what may wrap round the end of the ring. */
static void copy_from_ring(const struct mapping_watch *watch, const struct perf_ring *ring,
			   uint64_t position, void *out, size_t size)
{
	const unsigned char *data = (const unsigned char *)ring->page + watch->page_bytes;
	size_t at = position & (watch->data_bytes - 1);
	size_t first = watch->data_bytes - at < size ? watch->data_bytes - at : size;

	memcpy(out, data + at, first);
	memcpy((unsigned char *)out + first, data, size - first);
}

/* The size of the record at tail, with its time in the ring; 0 = none is left. */
static size_t peek(const struct mapping_watch *watch, struct perf_ring *ring)
{
	struct perf_event_header header;

	if (ring->head - ring->tail < sizeof(header))
		return 0;
	copy_from_ring(watch, ring, ring->tail, &header, sizeof(header));
	/* sample_id_all: every record ends with its time. */
	if (header.size < sizeof(header) + sizeof(uint64_t) ||
	    header.size > ring->head - ring->tail) {
		ring->tail = ring->head;
		return 0;
	}
	copy_from_ring(watch, ring, ring->tail + header.size - sizeof(uint64_t),
		       &ring->next_time_ns, sizeof(uint64_t));
	return header.size;
}

/* The ring whose next record is the earliest. */
static struct perf_ring *earliest(const struct mapping_watch *watch, size_t *size)
{
	struct perf_ring *found = NULL;

	for (size_t i = 0; i < watch->ring_count; i++) {
		struct perf_ring *ring = &watch->rings[i];
		size_t bytes = peek(watch, ring);

		if (bytes && (!found || ring->next_time_ns < found->next_time_ns)) {
			found = ring;
			*size = bytes;
		}
	}
	return found;
}

/* perf_event_open(2), PERF_RECORD_MMAP and PERF_RECORD_MMAP2, without the header. */
struct mmap_body {
	uint32_t pid, tid;
	uint64_t address, size, offset;
};
struct mmap2_body {
	uint32_t major, minor;
	uint64_t inode, generation;
	uint32_t protection, flags;
};

/* False where it is the kernel's own (modules), of another PID namespace, or damaged. */
static bool parse_mapping(struct mapping_watch *watch, size_t size, uint64_t time_ns,
			  struct file_mapping *out)
{
	static const char deleted[] = " (deleted)";
	const struct perf_event_header *header = (const void *)watch->record;
	const unsigned char *at = watch->record + sizeof(*header);
	const unsigned char *end = watch->record + size - sizeof(uint64_t);
	struct mmap2_body file = {};
	struct mmap_body body;
	size_t length;

	if ((size_t)(end - at) < sizeof(body))
		return false;
	memcpy(&body, at, sizeof(body));
	at += sizeof(body);
	if (header->type == PERF_RECORD_MMAP2) {
		if ((size_t)(end - at) < sizeof(file))
			return false;
		memcpy(&file, at, sizeof(file));
		at += sizeof(file);
	}
	if ((int32_t)body.pid <= 0)
		return false;
	length = strnlen((const char *)at, end - at);
	memcpy(watch->path, at, length);
	watch->path[length] = '\0';
	if (length > strlen(deleted) &&
	    strcmp(watch->path + length - strlen(deleted), deleted) == 0)
		watch->path[length - strlen(deleted)] = '\0';
	*out = (struct file_mapping){
		.tgid = body.pid,
		.time_ns = time_ns,
		.address = body.address,
		.size = body.size,
		.offset = body.offset,
		.device = makedev(file.major, file.minor),
		.inode = file.inode,
		.path = watch->path,
	};
	return true;
}

/* struct { header; u64 id; u64 lost; sample_id } */
static uint64_t lost_records(const unsigned char *record, size_t size)
{
	uint64_t lost = 0;
	size_t at = sizeof(struct perf_event_header) + sizeof(uint64_t);

	if (size >= at + sizeof(lost))
		memcpy(&lost, record + at, sizeof(lost));
	return lost;
}

int mapping_watch_read(struct mapping_watch *watch,
		       void (*handle)(void *context, const struct file_mapping *mapping),
		       void *context)
{
	struct perf_ring *ring;
	uint64_t lost = 0;
	size_t size;

	for (size_t i = 0; i < watch->ring_count; i++) {
		ring = &watch->rings[i];
		ring->head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
		ring->tail = ring->page->data_tail;
	}
	while ((ring = earliest(watch, &size))) {
		const struct perf_event_header *header = (const void *)watch->record;
		struct file_mapping mapping;

		copy_from_ring(watch, ring, ring->tail, watch->record, size);
		ring->tail += size;
		if (header->type == PERF_RECORD_LOST)
			lost += lost_records(watch->record, size);
		else if ((header->type == PERF_RECORD_MMAP || header->type == PERF_RECORD_MMAP2) &&
			 parse_mapping(watch, size, ring->next_time_ns, &mapping))
			handle(context, &mapping);
	}
	for (size_t i = 0; i < watch->ring_count; i++)
		__atomic_store_n(&watch->rings[i].page->data_tail, watch->rings[i].tail,
				 __ATOMIC_RELEASE);
	return lost > INT32_MAX ? INT32_MAX : (int)lost;
}
