// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Rows of the event tables: the hot path. */
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include "state.h"

const struct event_table event_tables[TRACE_TABLES] = {TRACE_TABLE_LIST};

/* Bytes of a row in the file: measured 1.9 a column where half of them are NULL, at most 9. */
#define BYTES_PER_COLUMN 4

static sqlite3_stmt *prepare_insert(struct trace_writer *writer, enum trace_table table,
				    unsigned int rows)
{
	const struct event_table *spec = &event_tables[table];
	char sql[64 + ROWS_PER_INSERT * (2 * TRACE_WIDEST_TABLE + 3)];
	size_t length = (size_t)snprintf(sql, sizeof(sql), "INSERT INTO %s VALUES ", spec->name);
	sqlite3_stmt *statement = NULL;

	for (unsigned int row = 0; row < rows; row++) {
		sql[length++] = row == 0 ? ' ' : ',';
		for (unsigned int column = 0; column < spec->columns; column++) {
			sql[length++] = column == 0 ? '(' : ',';
			sql[length++] = '?';
		}
		sql[length++] = ')';
	}
	trace_check(writer, sqlite3_prepare_v3(writer->database, sql, (int)length,
					       SQLITE_PREPARE_PERSISTENT, &statement, NULL));
	return statement;
}

static bool is_real(enum trace_table table, unsigned int column)
{
	return table == TABLE_SAMPLE && column == SAMPLE_VALUE;
}

static bool insert(struct trace_writer *writer, enum trace_table table, sqlite3_stmt **statement,
		   const int64_t *values, unsigned int rows)
{
	unsigned int columns = event_tables[table].columns;
	bool ok;

	if (!*statement)
		*statement = prepare_insert(writer, table, rows);
	if (!*statement)
		return false;
	sqlite3_clear_bindings(*statement);
	for (unsigned int index = 0; index < rows * columns; index++) {
		if (values[index] == TRACE_NULL)
			continue;
		if (is_real(table, index % columns)) {
			double value;

			memcpy(&value, &values[index], sizeof(value));
			sqlite3_bind_double(*statement, (int)index + 1, value);
		} else {
			sqlite3_bind_int64(*statement, (int)index + 1, values[index]);
		}
	}
	ok = trace_check(writer, sqlite3_step(*statement));
	sqlite3_reset(*statement);
	return ok;
}

static bool flush_table(struct trace_writer *writer, enum trace_table table)
{
	struct event_buffer *buffer = &writer->events[table];
	unsigned int columns = event_tables[table].columns;
	unsigned int rows = buffer->filled;

	if (rows == 0)
		return true;
	if (!trace_writable(writer, table != TABLE_GAP))
		return false;
	buffer->filled = 0;
	if (rows == ROWS_PER_INSERT)
		return insert(writer, table, &buffer->eight, buffer->rows, rows);
	for (unsigned int row = 0; row < rows; row++)
		if (!insert(writer, table, &buffer->one, buffer->rows + row * columns, 1))
			return false;
	return true;
}

bool events_flush(struct trace_writer *writer)
{
	for (unsigned int table = 0; table < TRACE_TABLES; table++)
		if (!flush_table(writer, table))
			return false;
	return true;
}

void events_discard(struct trace_writer *writer)
{
	for (unsigned int table = 0; table < TRACE_TABLES; table++) {
		writer->events[table].filled = 0;
		writer->events[table].appended = writer->events[table].committed;
	}
}

void events_free(struct trace_writer *writer)
{
	for (unsigned int table = 0; table < TRACE_TABLES; table++) {
		sqlite3_finalize(writer->events[table].eight);
		sqlite3_finalize(writer->events[table].one);
		free(writer->events[table].rows);
	}
}

int64_t *trace_append(struct trace_writer *writer, enum trace_table table)
{
	struct event_buffer *buffer = &writer->events[table];
	unsigned int columns = event_tables[table].columns;
	int64_t *row = writer->unused_row;

	if (trace_writable(writer, table != TABLE_GAP)) {
		if (buffer->filled == ROWS_PER_INSERT && flush_table(writer, table))
			trace_wrote(writer, ROWS_PER_INSERT,
				    ROWS_PER_INSERT * columns * BYTES_PER_COLUMN);
		/* The size or the disk may have ended it just now. */
		if (trace_writable(writer, table != TABLE_GAP)) {
			row = buffer->rows + buffer->filled++ * columns;
			buffer->appended++;
		}
	}
	for (unsigned int column = 0; column < columns; column++)
		row[column] = TRACE_NULL;
	return row;
}

void trace_add_sample(struct trace_writer *writer, int64_t start_ns, const char *metric, int gpu,
		      double value)
{
	int64_t metric_id = trace_name(writer, "", metric);
	/* -0.0 has the bits of TRACE_NULL. */
	double positive_zero = value + 0.0;
	int64_t *row;

	/* Not a number is not known: a row that says nothing. */
	if (value != value || value > 1e300 || value < -1e300)
		return;
	row = trace_append(writer, TABLE_SAMPLE);
	row[SAMPLE_START_NS] = start_ns;
	row[SAMPLE_METRIC_ID] = metric_id;
	if (gpu >= 0)
		row[SAMPLE_GPU_ID] = gpu;
	memcpy(&row[SAMPLE_VALUE], &positive_zero, sizeof(positive_zero));
}

void trace_put_gap(struct trace_writer *writer, const char *table, int64_t start_ns,
		   int64_t duration_ns, int64_t lost)
{
	int64_t name = trace_name(writer, "LOST", table);
	int64_t *row = trace_append(writer, TABLE_GAP);

	row[GAP_START_NS] = start_ns;
	row[GAP_DURATION_NS] = duration_ns;
	if (lost >= 0)
		row[GAP_LOST] = lost;
	row[GAP_OP_ID] = name;
}

uint64_t trace_rows(const struct trace_writer *writer, enum trace_table table)
{
	return writer->events[table].appended;
}
