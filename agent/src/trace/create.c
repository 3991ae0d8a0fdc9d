// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* From a path to a file that is ready for rows. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include "state.h"
#include "../version.h"

/* Pages kept in memory; tables grow at their ends, so that few are touched. */
#define CACHE_KIB 8192

static const char *const readme_rows[][4] = {TRACE_README_ROWS};

/* Of the log, before it is brought into the file: a third of the reserve, which pays for that. */
static unsigned int checkpoint_pages(const struct trace_writer *writer)
{
	uint64_t reserve = writer->files.reserve_bytes ? writer->files.reserve_bytes :
							 RESERVE_BYTES;

	return (unsigned int)(reserve / 3 / PAGE_BYTES);
}

static bool configure(struct trace_writer *writer)
{
	char sql[640];

	/* Exclusive before WAL: the log's index then is in memory, and there is no -shm file. */
	snprintf(
		sql, sizeof(sql),
		"PRAGMA page_size = %d; PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL;"
		"PRAGMA synchronous = OFF; PRAGMA secure_delete = OFF; PRAGMA temp_store = MEMORY;"
		"PRAGMA cache_size = -%d; PRAGMA wal_autocheckpoint = %u;"
		"PRAGMA application_id = %d; PRAGMA user_version = %d",
		PAGE_BYTES, CACHE_KIB, checkpoint_pages(writer), TRACE_APPLICATION_ID,
		TRACE_FORMAT_VERSION);
	if (!trace_execute(writer, sql))
		return false;
	trace_limit_pages(writer, 0);
	return trace_check(writer, sqlite3_prepare_v3(writer->database, "PRAGMA page_count", -1,
						      SQLITE_PREPARE_PERSISTENT,
						      &writer->page_count, NULL));
}

static void write_readme(struct trace_writer *writer)
{
	for (size_t index = 0; index < sizeof(readme_rows) / sizeof(readme_rows[0]); index++) {
		sqlite3_stmt *out = row_begin(writer, PUT_README);

		for (int column = 0; column < 4; column++)
			row_text(writer, out, column + 1, readme_rows[index][column],
				 LONG_CHARACTERS);
		row_end(writer, out);
	}
}

static int write_first_rows(struct trace_writer *writer)
{
	if (!trace_writable(writer, false) || !trace_execute(writer, TRACE_CREATE_STATEMENTS))
		return writer->status;
	write_readme(writer);
	trace_put_meta_integer(writer, "begin_unix_ns", (int64_t)writer->begin_unix_ns);
	trace_put_meta_integer(writer, "begin_monotonic_ns", (int64_t)writer->begin_monotonic_ns);
	trace_put_meta(writer, "recorder", "Stalltrace agent " AGENT_VERSION);
	provenance_write_defaults(writer);
	names_reserve(writer);
	if (writer->files.reserve_bytes < RESERVE_BYTES)
		trace_put_notice(writer, "info",
				 "The disk had little room: where it got full, the end of this "
				 "recording may be missing.");
	return trace_commit(writer);
}

static bool allocate(struct trace_writer *writer)
{
	writer->names = names_new();
	if (!writer->names)
		return false;
	for (unsigned int table = 0; table < TRACE_TABLES; table++) {
		writer->events[table].rows = calloc(
			(size_t)ROWS_PER_INSERT * event_tables[table].columns, sizeof(int64_t));
		if (!writer->events[table].rows)
			return false;
	}
	return true;
}

static int open_database(struct trace_writer *writer)
{
	int result = sqlite3_open_v2(
		writer->files.path, &writer->database,
		SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE, "unix");

	if (!writer->database)
		return -ENOMEM;
	if (!trace_check(writer, result) || !configure(writer))
		return writer->status;
	return write_first_rows(writer);
}

void writer_free(struct trace_writer *writer)
{
	if (!writer)
		return;
	events_free(writer);
	entities_free(writer);
	sqlite3_close(writer->database);
	names_free(writer->names);
	free(writer->streams.keys);
	stacks_forget(&writer->stacks);
	files_close(&writer->files);
	free(writer);
}

int trace_create(const struct trace_options *options, struct trace_writer **out, char *message,
		 size_t message_size)
{
	struct trace_writer *writer;
	int error;

	*out = NULL;
	if (options->max_bytes != 0 && options->max_bytes < TRACE_SMALLEST_MAX_BYTES) {
		snprintf(message, message_size,
			 "A trace needs more than %llu bytes: allow at least 4 MiB.",
			 (unsigned long long)options->max_bytes);
		return -EINVAL;
	}
	writer = calloc(1, sizeof(*writer));
	if (!writer) {
		snprintf(message, message_size, "There is no memory left to begin a recording.");
		return -ENOMEM;
	}
	writer->begin_monotonic_ns = options->begin_monotonic_ns;
	writer->begin_unix_ns = options->begin_unix_ns;
	writer->max_bytes = options->max_bytes;
	error = files_create(&writer->files, options->path, options->owner, options->group, message,
			     message_size);
	if (error) {
		free(writer);
		return error;
	}
	files_reserve(&writer->files);
	error = allocate(writer) ? open_database(writer) : -ENOMEM;
	if (error == 0) {
		*out = writer;
		return 0;
	}
	snprintf(message, message_size, "The trace %s cannot be begun (%s)%s.", writer->files.path,
		 error == -ENOMEM ? "no memory" : sqlite3_errmsg(writer->database),
		 error == -ENOSPC ? ": free some space" : ": choose another folder");
	files_remove(&writer->files);
	writer_free(writer);
	return error;
}
