// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "ring_reader.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "../../reserve.h"

/* Longer than any that is asked for; the kernel writes none beyond 64 KiB. */
#define MOST_RECORD_BYTES 512

/* Of those that are asked for: a name. What has no room for it may have lost one. */
#define LONGEST_BYTES 64

/* What sample_id_all appends to each: sample_type is TID, TIME and CPU. */
struct record_tail {
	uint32_t pid, tid;
	uint64_t time_ns;
	uint32_t cpu, reserved;
};

struct task_body { /* PERF_RECORD_FORK, PERF_RECORD_EXIT */
	uint32_t pid, parent_pid, tid, parent_tid;
	uint64_t time_ns;
};

struct comm_body {
	uint32_t pid, tid;
	char comm[16];
};

struct lost_body {
	uint64_t id, lost;
};

int ring_reader_map(struct ring_reader *reader, int fd, size_t bytes)
{
	size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	void *page = mmap(NULL, page_bytes + bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	/* Not to be taken for what perf_event_open itself is refused with. */
	if (page == MAP_FAILED)
		return errno == EPERM ? -ENOBUFS : -errno;
	reader->page = page;
	reader->bytes = bytes;
	return 0;
}

void ring_reader_unmap(struct ring_reader *reader)
{
	if (reader->page)
		munmap(reader->page, (size_t)sysconf(_SC_PAGESIZE) + reader->bytes);
	reader->page = NULL;
}

static struct perf_record *append(struct ring_records *records)
{
	struct perf_record *record;

	if (reserve((void **)&records->all, &records->room, records->count + 1,
		    sizeof(*records->all), SIZE_MAX)) {
		records->refused++;
		return NULL;
	}
	record = &records->all[records->count++];
	*record = (struct perf_record){.order = records->next_order++};
	return record;
}

static void set_task(struct perf_record *record, const struct task_body *body)
{
	record->pid = (pid_t)body->pid;
	record->tid = (pid_t)body->tid;
	record->parent_pid = (pid_t)body->parent_pid;
	record->parent_tid = (pid_t)body->parent_tid;
}

static void set_comm(struct perf_record *record, const struct comm_body *body, size_t bytes,
		     unsigned int flags)
{
	size_t length = bytes - offsetof(struct comm_body, comm);

	record->pid = (pid_t)body->pid;
	record->tid = (pid_t)body->tid;
	memcpy(record->comm, body->comm, length < 15 ? length : 15);
	record->exec = flags & PERF_RECORD_MISC_COMM_EXEC;
}

/* The record's own part; false: none that is wanted. */
static bool set_body(struct perf_record *record, const struct perf_event_header *header,
		     size_t bytes, uint64_t since_ns)
{
	const void *body = header + 1;
	const struct lost_body *lost = body;

	switch (header->type) {
	case PERF_RECORD_SWITCH:
		record->kind = header->misc & PERF_RECORD_MISC_SWITCH_OUT ? PERF_OUT : PERF_IN;
		record->preempted = header->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;
		return true;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		record->kind = header->type == PERF_RECORD_FORK ? PERF_FORK : PERF_EXIT;
		if (bytes >= sizeof(struct task_body))
			set_task(record, body);
		return bytes >= sizeof(struct task_body);
	case PERF_RECORD_COMM:
		record->kind = PERF_COMM;
		if (bytes > offsetof(struct comm_body, comm))
			set_comm(record, body, bytes, header->misc);
		return bytes > offsetof(struct comm_body, comm);
	case PERF_RECORD_LOST:
		record->kind = PERF_LOST;
		record->since_ns = since_ns;
		record->lost = bytes >= sizeof(*lost) ? lost->lost : 1;
		return true;
	default:
		return false;
	}
}

static void take(struct ring_reader *reader, const struct perf_event_header *header, uint32_t cpu,
		 struct ring_records *records)
{
	const struct record_tail *tail;
	struct perf_record *record;
	size_t bytes;

	if (header->size < sizeof(*header) + sizeof(*tail))
		return;
	record = append(records);
	if (!record)
		return;
	bytes = header->size - sizeof(*header) - sizeof(*tail);
	tail = (const void *)((const char *)(header + 1) + bytes);
	record->time_ns = tail->time_ns;
	record->pid = (pid_t)tail->pid;
	record->tid = (pid_t)tail->tid;
	record->cpu = cpu;
	if (!set_body(record, header, bytes, reader->latest_ns))
		records->count--;
	if (tail->time_ns > reader->latest_ns)
		reader->latest_ns = tail->time_ns;
}

/* Copies what may begin at the ring's end and go on at its begin. */
static void copy_out(const struct ring_reader *reader, uint64_t at, void *out, size_t bytes)
{
	const char *data = (const char *)reader->page + reader->page->data_offset;
	size_t begin = at & (reader->bytes - 1);
	size_t first = reader->bytes - begin < bytes ? reader->bytes - begin : bytes;

	memcpy(out, data + begin, first);
	memcpy((char *)out + first, data, bytes - first);
}

void ring_reader_read(struct ring_reader *reader, uint32_t cpu, struct ring_records *records)
{
	uint64_t head = __atomic_load_n(&reader->page->data_head, __ATOMIC_ACQUIRE);
	const uint64_t began = reader->page->data_tail;
	uint64_t tail = began, used;
	union {
		struct perf_event_header header;
		char bytes[MOST_RECORD_BYTES];
	} record;

	while (head - tail >= sizeof(record.header)) {
		copy_out(reader, tail, &record, sizeof(record.header));
		if (record.header.size < sizeof(record.header))
			break;
		if (record.header.size <= sizeof(record)) {
			copy_out(reader, tail, &record, record.header.size);
			take(reader, &record.header, cpu, records);
		}
		tail += record.header.size;
	}
	__atomic_store_n(&reader->page->data_tail, head, __ATOMIC_RELEASE);
	/* Else the head may be read before the kernel sees the room that was made. */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	/* What came while this was reading, however long that took, found the room from before. */
	head = __atomic_load_n(&reader->page->data_head, __ATOMIC_ACQUIRE);
	used = head - began;
	if (used <= reader->bytes && reader->bytes - used < LONGEST_BYTES)
		reader->full_at = head;
}

bool ring_reader_was_full(const struct ring_reader *reader)
{
	return reader->full_at &&
	       reader->full_at == __atomic_load_n(&reader->page->data_head, __ATOMIC_ACQUIRE);
}

static int compare(const void *left, const void *right)
{
	const struct perf_record *a = left, *b = right;

	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

size_t ring_records_sort(struct ring_records *records, uint64_t until_ns)
{
	size_t low = 0, high = records->count;

	if (records->count)
		qsort(records->all, records->count, sizeof(*records->all), compare);
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (records->all[middle].time_ns <= until_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

void ring_records_drop(struct ring_records *records, size_t count)
{
	if (!count)
		return;
	records->count -= count;
	memmove(records->all, records->all + count, records->count * sizeof(*records->all));
}

void ring_records_free(struct ring_records *records)
{
	free(records->all);
	*records = (struct ring_records){0};
}
