/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What the files of trace/ share; nobody else includes it. */
#ifndef STALLTRACE_TRACE_STATE_H
#define STALLTRACE_TRACE_STATE_H

#include <limits.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>
#include "files.h"
#include "names.h"
#include "text.h"
#include "writer.h"

#define PAGE_BYTES 16384
/* Rows of one INSERT: 8 make 1.7 times the rows a second of 1, more make no difference. */
#define ROWS_PER_INSERT 8
#define ROWS_PER_TRANSACTION 65536
/* Room of which only finishing makes use, on a disk that got full. */
#define FULL_DISK_ROOM (8u << 20)

enum trace_phase {
	PHASE_RECORDING,
	PHASE_ENDING, /* full: no more events, but what explains those that are there */
	PHASE_DEAD,
};

enum entity_statement {
	PUT_PROCESS,
	PUT_THREAD,
	PUT_NAME,
	PUT_STREAM,
	PUT_STACK,
	PUT_FRAME,
	CLEAR_FRAMES,
	CLEAR_STACKS,
	PUT_MAPPING,
	PUT_MACHINE,
	PUT_VERSIONS,
	PUT_GPU,
	SEE_GPU,
	PUT_CONTEXT,
	PUT_CPU,
	CLEAR_PROVENANCE,
	PUT_PROVENANCE,
	SETTLE_PROVENANCE,
	PUT_CAPABILITY,
	PUT_META,
	PUT_CLOCK,
	PUT_CLOCK_READING,
	PUT_NOTICE,
	PUT_README,
	ENTITY_STATEMENTS,
};

struct event_buffer {
	sqlite3_stmt *eight, *one; /* prepared at their first use */
	int64_t *rows;             /* ROWS_PER_INSERT of them */
	unsigned int filled;
	uint64_t appended, committed;
};

/* Ids of rows by what is in them. */
struct known_row {
	uint64_t key[2];
	int64_t id; /* 0 = a free place */
};
struct known_rows {
	struct known_row *slots;
	size_t capacity, count;
};
struct stack_table {
	struct known_rows frames, stacks;
	int64_t last_frame, last_stack;
	unsigned int rollbacks; /* of the writer, as they were */
};

/* GPUs that can be told by their PCI bus. */
#define MOST_BUSES 64

struct trace_writer {
	struct trace_files files;
	sqlite3 *database;
	uint64_t begin_monotonic_ns, begin_unix_ns;
	uint64_t max_bytes;

	enum trace_phase phase;
	int status; /* the first failure */
	char message[PATH_MAX + 256];
	unsigned int rollbacks;
	/* Parts of a transaction that was rolled back must not follow it: nothing until a commit. */
	bool refusing;

	bool in_transaction;
	bool atomic; /* no commit on the way: frames are being replaced */
	unsigned int transaction_rows;
	uint64_t transaction_bytes, unchecked_bytes, unchecked_disk_bytes;
	uint64_t last_commit_ns; /* from the begin */

	struct event_buffer events[TRACE_TABLES];
	int64_t unused_row[TRACE_WIDEST_TABLE];
	sqlite3_stmt *entities[ENTITY_STATEMENTS];
	sqlite3_stmt *page_count;
	struct name_table *names;
	int64_t too_many_names; /* what stands for the names beyond the greatest number */
	uint64_t refused_names;
	struct stream_table streams;
	struct stack_table stacks;
	char buses[MOST_BUSES][32]; /* of GPUs, by id; "" = not known */
	char text[TEXT_BYTES];
};

struct event_table {
	const char *name;
	unsigned int columns;
};
extern const struct event_table event_tables[TRACE_TABLES];

/* transaction.c */
/* Whether a row may be written; opens a transaction. `event`: a row that is refused once full. */
bool trace_writable(struct trace_writer *writer, bool event);
/* Counts rows that were written; commits and checks the size when it is time. */
void trace_wrote(struct trace_writer *writer, unsigned int rows, uint64_t bytes);
/* SQLITE_OK, _ROW, _DONE: true. Else the first failure is kept and the transaction rolled back. */
bool trace_check(struct trace_writer *writer, int result);
/* Writes the open transaction without asking for the size. */
bool trace_commit_now(struct trace_writer *writer);
bool trace_execute(struct trace_writer *writer, const char *sql);
/* Limits the file to the lower of `bytes` and max_bytes; 0 = that alone. */
void trace_limit_pages(struct trace_writer *writer, uint64_t bytes);

/* events.c */
bool events_flush(struct trace_writer *writer);
void events_discard(struct trace_writer *writer);
void events_free(struct trace_writer *writer);

/* create.c */
void writer_free(struct trace_writer *writer);

/* interned.c */
/* Makes the name that stands for those beyond the greatest number. */
void names_reserve(struct trace_writer *writer);

/* stacks.c */
/* What is written of them from now on is written anew. */
void stacks_forget(struct stack_table *stacks);

/* provenance.c */
void provenance_write_defaults(struct trace_writer *writer);
/* Tables of which nobody said anything and that stayed empty: not recorded. */
void provenance_settle(struct trace_writer *writer);

/* rows.c */
sqlite3_stmt *row_begin(struct trace_writer *writer, enum entity_statement statement);
void row_text(struct trace_writer *writer, sqlite3_stmt *row, int column, const char *text,
	      size_t max_characters);
void row_integer(struct trace_writer *writer, sqlite3_stmt *row, int column, int64_t value);
void row_real(struct trace_writer *writer, sqlite3_stmt *row, int column, double value);
bool row_end(struct trace_writer *writer, sqlite3_stmt *row);
void entities_free(struct trace_writer *writer);

#endif /* STALLTRACE_TRACE_STATE_H */
