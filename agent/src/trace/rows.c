// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Rows of the tables that events refer to, one at a time. */
#include <math.h>
#include "../watchdog.h"
#include "state.h"

/* The host that is recorded: the only one in a file of ours, and its clock is the file's. */
#define HOST "1"

/* What a row costs beside its texts, about. */
#define ROW_BYTES 64

static const char *const statements[ENTITY_STATEMENTS] = {
	[PUT_PROCESS] =
		"INSERT OR REPLACE INTO process VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?," HOST
		",NULL,?,?)",
	[PUT_THREAD] = "INSERT OR REPLACE INTO thread VALUES (?,?,?,?,?,?,?,?,?,?,?)",
	[PUT_NAME] = "INSERT INTO name VALUES (?,?,?)",
	[PUT_STREAM] = "INSERT INTO stream (id, name, handle) VALUES (?,?,?)",
	[PUT_STACK] = "INSERT OR REPLACE INTO stack VALUES (?,?,?)",
	[PUT_FRAME] = "INSERT INTO frame VALUES (?,?,?,?,?,?)",
	[CLEAR_FRAMES] = "DELETE FROM frame",
	[CLEAR_STACKS] = "DELETE FROM stack",
	[PUT_MAPPING] = "INSERT INTO mapping VALUES (?,?,?,?,?,?,?)",
	[PUT_MACHINE] = "INSERT OR REPLACE INTO host VALUES (" HOST ",?,?,?,?,?,?,?,?)",
	[PUT_CLOCK] = "INSERT OR REPLACE INTO clock VALUES (" HOST "," HOST ",0,0)",
	[PUT_VERSIONS] = "UPDATE host SET cuda_version = coalesce(?, cuda_version), "
			 "python_version = coalesce(?, python_version)",
	[PUT_GPU] = "INSERT OR REPLACE INTO gpu VALUES (?1,?2,?3,?4,?5," HOST
		    ",coalesce(?6, (SELECT uuid FROM gpu WHERE id = ?1))"
		    ",coalesce(?7, (SELECT numa_node FROM gpu WHERE id = ?1)))",
	[SEE_GPU] = "INSERT OR IGNORE INTO gpu (id, host_id) VALUES (?," HOST ")",
	[PUT_CONTEXT] = "INSERT OR REPLACE INTO context VALUES (?,?,?,?)",
	[PUT_CPU] = "INSERT OR REPLACE INTO cpu VALUES (?1,?2,?3,?4," HOST ",?1)",
	[CLEAR_PROVENANCE] = "DELETE FROM provenance WHERE table_name = ? AND column_name = ?",
	[PUT_PROVENANCE] = "INSERT INTO provenance VALUES (?,?,?,?,?,?,?)",
	[SETTLE_PROVENANCE] = "UPDATE provenance SET kind = 'absent', note = ? "
			      "WHERE table_name = ? AND column_name = '' AND note = ?",
	[PUT_CAPABILITY] = "INSERT INTO capability VALUES (?,?,?)",
	[PUT_META] = "INSERT OR REPLACE INTO meta VALUES (?,?)",
	[PUT_CLOCK_READING] = "INSERT INTO clock_reading VALUES (" HOST ",?,?,?,?,?)",
	[PUT_NOTICE] = "INSERT INTO notice VALUES (?,?)",
	[PUT_README] = "INSERT INTO README VALUES (?,?,?,?)",
};

/* A statement with nothing bound; NULL where nothing may be written. */
sqlite3_stmt *row_begin(struct trace_writer *writer, enum entity_statement statement)
{
	sqlite3_stmt **prepared = &writer->entities[statement];

	if (!trace_writable(writer, false))
		return NULL;
	if (!*prepared)
		trace_check(writer, sqlite3_prepare_v3(writer->database, statements[statement], -1,
						       SQLITE_PREPARE_PERSISTENT, prepared, NULL));
	if (*prepared)
		sqlite3_clear_bindings(*prepared);
	return *prepared;
}

/* NULL stays NULL; anything else is cleaned and cut. */
void row_text(struct trace_writer *writer, sqlite3_stmt *row, int column, const char *text,
	      size_t max_characters)
{
	size_t length;

	if (!row || !text)
		return;
	length = text_clean(text, max_characters, writer->text);
	writer->transaction_bytes += length;
	writer->unchecked_bytes += length;
	if (sqlite3_bind_text(row, column, writer->text, (int)length, SQLITE_TRANSIENT) ==
	    SQLITE_NOMEM)
		trace_check(writer, SQLITE_NOMEM);
}

void row_integer(struct trace_writer *writer, sqlite3_stmt *row, int column, int64_t value)
{
	if (row && value != TRACE_NULL)
		sqlite3_bind_int64(row, column, value);
}

void row_real(struct trace_writer *writer, sqlite3_stmt *row, int column, double value)
{
	if (row && isfinite(value))
		sqlite3_bind_double(row, column, value);
}

bool row_end(struct trace_writer *writer, sqlite3_stmt *row)
{
	uint64_t before_ns = 0;
	int result;

	/* Without memory for a text the row must not be written with NULL in its place. */
	if (!row || !trace_writable(writer, false))
		return false;
	/* Without a commit on the way the rows outgrow the cache, and go to the disk one by one. */
	if (writer->atomic)
		before_ns = watchdog_begin(STEP_ON_DISK);
	result = sqlite3_step(row);
	sqlite3_reset(row);
	if (writer->atomic)
		watchdog_end(before_ns);
	if (!trace_check(writer, result))
		return false;
	trace_wrote(writer, 1, ROW_BYTES);
	return true;
}

void entities_free(struct trace_writer *writer)
{
	for (unsigned int statement = 0; statement < ENTITY_STATEMENTS; statement++)
		sqlite3_finalize(writer->entities[statement]);
	sqlite3_finalize(writer->page_count);
}
