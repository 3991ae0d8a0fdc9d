// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* A ring of perf events as the kernel fills it: around its end, in any order, with what is not known. */
#include <assert.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "../src/record/perf/ring_reader.h"

#define RING_BYTES 4096

struct tail {
	uint32_t pid, tid;
	uint64_t time_ns;
	uint32_t cpu, reserved;
};

static struct perf_event_mmap_page *page;

static void put_bytes(const void *bytes, size_t size)
{
	char *data = (char *)page + page->data_offset;

	for (size_t i = 0; i < size; i++)
		data[(page->data_head + i) & (RING_BYTES - 1)] = ((const char *)bytes)[i];
	page->data_head += size;
}

static void put(uint32_t type, uint16_t misc, const void *body, size_t size, pid_t tid,
		uint64_t time_ns)
{
	struct perf_event_header header = {
		.type = type,
		.misc = misc,
		.size = (uint16_t)(sizeof(header) + size + sizeof(struct tail)),
	};
	struct tail tail = {.pid = 7, .tid = (uint32_t)tid, .time_ns = time_ns, .cpu = 1};

	put_bytes(&header, sizeof(header));
	put_bytes(body, size);
	put_bytes(&tail, sizeof(tail));
}

static void test_kinds(struct ring_reader *reader)
{
	struct ring_records records = {0};
	uint32_t fork[6] = {8, 7, 9, 7};
	struct {
		uint32_t pid, tid;
		char comm[8];
	} comm = {8, 9, "name"};
	uint64_t lost[2] = {1, 5};

	put(PERF_RECORD_SWITCH, PERF_RECORD_MISC_SWITCH_OUT, NULL, 0, 7, 100);
	put(PERF_RECORD_SWITCH, PERF_RECORD_MISC_SWITCH_OUT | PERF_RECORD_MISC_SWITCH_OUT_PREEMPT,
	    NULL, 0, 8, 300);
	put(PERF_RECORD_FORK, 0, fork, sizeof(fork), 7, 200);
	put(PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, &comm, sizeof(comm), 9, 310);
	put(PERF_RECORD_LOST, 0, lost, sizeof(lost), 9, 400);
	put(PERF_RECORD_THROTTLE, 0, lost, sizeof(lost), 9, 410);
	put(PERF_RECORD_SWITCH, 0, NULL, 0, 8, 420);
	ring_reader_read(reader, 1, &records);
	assert(page->data_tail == page->data_head && !ring_reader_was_full(reader));
	assert(records.count == 6);
	assert(ring_records_sort(&records, 410) == 5);
	assert(records.all[0].kind == PERF_OUT && !records.all[0].preempted);
	assert(records.all[1].kind == PERF_FORK && records.all[1].tid == 9 &&
	       records.all[1].parent_tid == 7);
	assert(records.all[2].preempted && records.all[2].tid == 8);
	assert(records.all[3].kind == PERF_COMM && records.all[3].exec &&
	       !strcmp(records.all[3].comm, "name"));
	/* From the last one that came through. */
	assert(records.all[4].kind == PERF_LOST && records.all[4].lost == 5 &&
	       records.all[4].since_ns == 310);
	ring_records_drop(&records, 5);
	assert(records.count == 1 && records.all[0].kind == PERF_IN &&
	       records.all[0].time_ns == 420);
	ring_records_free(&records);
}

/* Records lie across the ring's end; those of one time stay in their order. */
static void test_wrap(struct ring_reader *reader)
{
	struct ring_records records = {0};
	size_t written = 0;

	for (int round = 0; round < 40; round++) {
		for (int i = 0; i < 100; i++)
			put(PERF_RECORD_SWITCH, 0, NULL, 0, (pid_t)(1000 + written++),
			    1000 + (uint64_t)round);
		ring_reader_read(reader, 0, &records);
	}
	assert(records.count == written);
	assert(ring_records_sort(&records, UINT64_MAX) == written);
	for (size_t i = 0; i < written; i++)
		assert(records.all[i].tid == (pid_t)(1000 + i));
	ring_records_free(&records);
}

/* Once it has been full, only the next record tells whether one was lost. */
static void test_full(struct ring_reader *reader)
{
	struct ring_records records = {0};

	for (int i = 0; i < RING_BYTES / 32; i++)
		put(PERF_RECORD_SWITCH, 0, NULL, 0, 7, 2000);
	ring_reader_read(reader, 0, &records);
	assert(ring_reader_was_full(reader) && records.count == RING_BYTES / 32);
	ring_reader_read(reader, 0, &records);
	assert(ring_reader_was_full(reader));
	put(PERF_RECORD_SWITCH, 0, NULL, 0, 7, 2001);
	ring_reader_read(reader, 0, &records);
	assert(!ring_reader_was_full(reader));
	ring_records_free(&records);
}

/* As the kernel does: until there is no room for one more, which is lost. */
static void *fill_up(void *argument)
{
	struct perf_event_header header = {.type = PERF_RECORD_SWITCH, .size = 32};
	char *data = (char *)page + page->data_offset;
	uint64_t head = page->data_head;

	(void)argument;
	while (RING_BYTES - (head - __atomic_load_n(&page->data_tail, __ATOMIC_ACQUIRE)) > 32) {
		/* All sizes are multiples of 8: a header is never cut in two. */
		memcpy(data + (head & (RING_BYTES - 1)), &header, sizeof(header));
		head += 32;
		__atomic_store_n(&page->data_head, head, __ATOMIC_RELEASE);
	}
	return NULL;
}

/* However the reading and the last records fall together, a ring that ended full is known to have. */
static void test_full_meanwhile(struct ring_reader *reader)
{
	for (int round = 0; round < 2000; round++) {
		struct ring_records records = {0};
		pthread_t writer;

		for (int i = 0; i < round % 64; i++)
			put(PERF_RECORD_SWITCH, 0, NULL, 0, 7, 3000);
		assert(pthread_create(&writer, NULL, fill_up, NULL) == 0);
		ring_reader_read(reader, 0, &records);
		pthread_join(writer, NULL);
		ring_reader_read(reader, 0, &records);
		ring_reader_read(reader, 0, &records);
		assert(page->data_tail == page->data_head);
		assert(ring_reader_was_full(reader));
		ring_records_free(&records);
	}
}

/* What can't be a record ends the reading; it is not read for ever, nor beyond its end. */
static void test_nonsense(struct ring_reader *reader)
{
	struct ring_records records = {0};
	struct perf_event_header header = {.type = PERF_RECORD_SWITCH, .size = 0};

	put_bytes(&header, sizeof(header));
	header.size = sizeof(header);
	put_bytes(&header, sizeof(header));
	ring_reader_read(reader, 0, &records);
	assert(records.count == 0 && page->data_tail == page->data_head);
	ring_records_free(&records);
}

static void test_refusals(void)
{
	char why[256] = "";

	perf_rings_explain(-ENOBUFS, why, sizeof(why));
	assert(strstr(why, "ulimit -l"));
	perf_rings_explain(-EMFILE, why, sizeof(why));
	assert(strstr(why, "ulimit -n"));
	perf_rings_explain(-ENOSYS, why, sizeof(why));
	assert(strstr(why, "no perf events"));
}

int main(void)
{
	size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	struct ring_reader reader = {.bytes = RING_BYTES};

	page = aligned_alloc(page_bytes, page_bytes + RING_BYTES);
	assert(page);
	memset(page, 0, page_bytes + RING_BYTES);
	page->data_offset = page_bytes;
	/* Not at the begin of a record's size. */
	page->data_head = page->data_tail = RING_BYTES - 24;
	reader.page = page;
	test_kinds(&reader);
	test_wrap(&reader);
	test_full(&reader);
	test_full_meanwhile(&reader);
	test_nonsense(&reader);
	test_refusals();
	free(page);
	printf("perf_rings_test: ok\n");
	return 0;
}
