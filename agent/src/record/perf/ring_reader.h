/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* One ring of perf events, as perf_event_open(2) lays it out, and what was read of it. */
#ifndef STALLTRACE_RING_READER_H
#define STALLTRACE_RING_READER_H

#include "rings.h"

struct perf_event_mmap_page;

struct ring_reader {
	struct perf_event_mmap_page *page; /* NULL = not mapped */
	size_t bytes;                      /* of its records: a power of two */
	uint64_t latest_ns;                /* of what was read */
	uint64_t full_at; /* where its head was when it had no room; 0 = it always had */
};

struct ring_records {
	struct perf_record *all;
	size_t count, room;
	uint64_t next_order;
	uint64_t refused; /* for lack of memory */
};

/* -ENOBUFS: more than the user may lock. */
int ring_reader_map(struct ring_reader *reader, int fd, size_t bytes);
void ring_reader_unmap(struct ring_reader *reader);
/* Appends what came to `records`. */
void ring_reader_read(struct ring_reader *reader, uint32_t cpu, struct ring_records *records);

/*
 * Whether it had no room when its last record came, so that something may have been lost since: the next one
 * would tell.
 */
bool ring_reader_was_full(const struct ring_reader *reader);

/* Sorts them by time; returns how many are from until_ns or before. */
size_t ring_records_sort(struct ring_records *records, uint64_t until_ns);
/* Without the first of them. */
void ring_records_drop(struct ring_records *records, size_t count);
void ring_records_free(struct ring_records *records);

#endif /* STALLTRACE_RING_READER_H */
