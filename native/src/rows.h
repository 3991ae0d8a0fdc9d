/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Rows of a database that may be hostile, as numbers in an array of the caller's: what
 * src-main/trace/sqlite/chunk-query.ts does in JavaScript, and cell for cell the same.
 */
#ifndef STALLTRACE_NATIVE_ROWS_H
#define STALLTRACE_NATIVE_ROWS_H

#include <stdint.h>
#include "native.h"

/* Used by one thread at a time. */
struct row_database;
struct row_query;

/*
 * Opens `url` (file:…?immutable=1, so that nothing is locked or written) to be read only. `limits` has values
 * for the first of SQLite's run-time limits, in the order of their numbers. NULL, and SQLite's extended code in *code, where
 * it can't be opened.
 */
EXPORT struct row_database *row_database_open(const char *url, const int32_t *limits,
					      int32_t limit_count, int32_t *code);
/* Its queries are closed before. NULL is no database. */
EXPORT void row_database_close(struct row_database *database);

/*
 * `sql` may read the columns of `table` and nothing else, without any function; it takes two rowids. NULL, and the
 * code, where it is anything else, or SQLite can't prepare it.
 */
EXPORT struct row_query *row_query_open(struct row_database *database, const char *table,
					const char *sql, int32_t *code);
EXPORT void row_query_close(struct row_query *query);

/*
 * The rows whose rowids are above `below` and no higher than `last`, at most `stride`: column c of row r in
 * cells[c * stride + r]. NULL is -infinity; a text, a blob and what is no finite number are NaN; an integer beyond
 * 2^53 is the nearest float. `columns` is how many there is room for. How many rows there were, or SQLite's extended
 * code, negative: SQLITE_TOOBIG for more rows, SQLITE_MISMATCH for other columns; the cells hold anything then.
 */
EXPORT int32_t row_query_read(struct row_query *query, int64_t below, int64_t last, double *cells,
			      int32_t columns, int32_t stride);

#endif /* STALLTRACE_NATIVE_ROWS_H */
