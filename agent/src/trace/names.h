/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Texts and streams → the numbers that rows know them by, counted from 1. */
#ifndef STALLTRACE_TRACE_NAMES_H
#define STALLTRACE_TRACE_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Readers keep 16 bits of a name's number. */
#define MAX_NAMES 60000
#define MAX_NAME_BYTES (16u << 20)
#define MAX_STREAMS 4096

struct name_table;
struct name_table *names_new(void);
void names_free(struct name_table *names);

/*
 * The number of a pair of clean texts; *is_new: it has to be written. -ENOSPC where there are too
 * many, -ENOMEM.
 */
int64_t names_intern(struct name_table *names, const char *source, const char *text, bool *is_new);
/* What was interned up to now is in the file. */
void names_commit(struct name_table *names);
/* Forgets what came after the last commit. */
void names_rollback(struct name_table *names);

struct stream_key {
	int64_t process_id, handle;
	int64_t ordinal; /* of its process, from 1; the default streams have none */
};

struct stream_table {
	struct stream_key *keys; /* by number - 1 */
	unsigned int count, committed, capacity;
};
/* As names_intern. */
int64_t streams_intern(struct stream_table *streams, int64_t process_id, int64_t handle,
		       bool *is_new);

#endif /* STALLTRACE_TRACE_NAMES_H */
