// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "rows.h"
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include "sqlite3.h"

struct row_database {
	sqlite3 *sqlite;
	/* The only table that a statement may read which is being prepared. */
	const char *table;
	/* It is asked for its columns just now, and nothing else. */
	bool describes;
};

struct row_query {
	sqlite3_stmt *statement;
};

/* As guard-database.ts, and stricter: of one table, and no function at all. */
static int authorize(void *context, int action, const char *first, const char *second,
		     const char *schema, const char *view_or_trigger)
{
	const struct row_database *database = context;

	(void)second;
	if (action == SQLITE_PRAGMA && database->describes)
		return SQLITE_OK;
	if (action == SQLITE_SELECT && !view_or_trigger)
		return SQLITE_OK;
	if (action == SQLITE_READ && !view_or_trigger && database->table && first && schema &&
	    !sqlite3_stricmp(schema, "main") && !sqlite3_stricmp(first, database->table))
		return SQLITE_OK;
	return SQLITE_DENY;
}

static int configure(sqlite3 *sqlite)
{
	static const struct {
		int option, value;
	} options[] = {
		{SQLITE_DBCONFIG_DEFENSIVE, 1},      {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
		{SQLITE_DBCONFIG_ENABLE_TRIGGER, 0}, {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
		{SQLITE_DBCONFIG_ENABLE_FKEY, 0},    {SQLITE_DBCONFIG_WRITABLE_SCHEMA, 0},
	};
	int code = SQLITE_OK;

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]) && code == SQLITE_OK; i++)
		code = sqlite3_db_config(sqlite, options[i].option, options[i].value, NULL);
	return code;
}

static int guard(struct row_database *database, const int32_t *limits, int32_t limit_count)
{
	sqlite3 *sqlite = database->sqlite;
	int code;

	sqlite3_extended_result_codes(sqlite, 1);
	for (int i = 0; i < limit_count; i++)
		sqlite3_limit(sqlite, i, limits[i]);
	code = configure(sqlite);
	if (code == SQLITE_OK)
		code = sqlite3_exec(
			sqlite,
			"PRAGMA cell_size_check=ON; PRAGMA mmap_size=0; PRAGMA query_only=ON", NULL,
			NULL, NULL);
	if (code == SQLITE_OK)
		code = sqlite3_set_authorizer(sqlite, authorize, database);
	return code;
}

struct row_database *row_database_open(const char *url, const int32_t *limits, int32_t limit_count,
				       int32_t *code)
{
	struct row_database *database = calloc(1, sizeof(*database));
	int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX |
		    SQLITE_OPEN_PRIVATECACHE;

	*code = SQLITE_NOMEM;
	if (!database)
		return NULL;
	*code = sqlite3_open_v2(url, &database->sqlite, flags, NULL);
	if (*code == SQLITE_OK)
		*code = guard(database, limits, limit_count);
	if (*code == SQLITE_OK)
		return database;
	row_database_close(database);
	return NULL;
}

void row_database_close(struct row_database *database)
{
	if (!database)
		return;
	/* A statement that is still open keeps the connection, and must not ask who is gone. */
	if (database->sqlite)
		sqlite3_set_authorizer(database->sqlite, NULL, NULL);
	sqlite3_close_v2(database->sqlite);
	free(database);
}

/* The function of a generated column is nobody's who could be asked: the authorizer hears nothing of it. */
static int refuse_generated(struct row_database *database, const char *table)
{
	char *sql = sqlite3_mprintf("PRAGMA table_xinfo(%Q)", table);
	sqlite3_stmt *statement = NULL;
	int code = SQLITE_NOMEM;
	bool generated = false;

	if (!sql)
		return code;
	database->describes = true;
	code = sqlite3_prepare_v2(database->sqlite, sql, -1, &statement, NULL);
	database->describes = false;
	sqlite3_free(sql);
	while (code == SQLITE_OK || code == SQLITE_ROW) {
		code = sqlite3_step(statement);
		/* cid, name, type, notnull, dflt_value, pk, hidden */
		if (code == SQLITE_ROW)
			generated |= sqlite3_column_int(statement, 6) != 0;
	}
	sqlite3_finalize(statement);
	if (code != SQLITE_DONE)
		return code;
	return generated ? SQLITE_AUTH : SQLITE_OK;
}

struct row_query *row_query_open(struct row_database *database, const char *table, const char *sql,
				 int32_t *code)
{
	struct row_query *query = calloc(1, sizeof(*query));
	const char *rest = NULL;

	*code = SQLITE_NOMEM;
	if (!query)
		return NULL;
	*code = refuse_generated(database, table);
	if (*code == SQLITE_OK) {
		database->table = table;
		*code = sqlite3_prepare_v3(database->sqlite, sql, -1, SQLITE_PREPARE_PERSISTENT,
					   &query->statement, &rest);
		database->table = NULL;
	}
	if (*code == SQLITE_OK && query->statement && !*rest &&
	    sqlite3_bind_parameter_count(query->statement) == 2)
		return query;
	if (*code == SQLITE_OK)
		*code = SQLITE_MISUSE;
	row_query_close(query);
	return NULL;
}

void row_query_close(struct row_query *query)
{
	if (!query)
		return;
	sqlite3_finalize(query->statement);
	free(query);
}

/* As writeCells of number-cells.ts. Nobody else uses the connection: its values need no protection. */
static double number_of(sqlite3_value *cell)
{
	double value;

	switch (sqlite3_value_type(cell)) {
	case SQLITE_INTEGER:
		return (double)sqlite3_value_int64(cell);
	case SQLITE_FLOAT:
		value = sqlite3_value_double(cell);
		return isfinite(value) ? value : (double)NAN;
	case SQLITE_NULL:
		return (double)-INFINITY;
	default:
		return (double)NAN;
	}
}

static int32_t read_rows(sqlite3_stmt *statement, double *cells, int32_t columns, int32_t stride)
{
	int code, rows = 0;

	while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
		if (rows == stride)
			return -SQLITE_TOOBIG;
		for (int32_t column = 0; column < columns; column++)
			cells[(size_t)column * (size_t)stride + (size_t)rows] =
				number_of(sqlite3_column_value(statement, column));
		rows++;
	}
	return code == SQLITE_DONE ? rows : -code;
}

int32_t row_query_read(struct row_query *query, int64_t below, int64_t last, double *cells,
		       int32_t columns, int32_t stride)
{
	sqlite3_stmt *statement = query->statement;
	int32_t rows;

	if (sqlite3_column_count(statement) != columns)
		return -SQLITE_MISMATCH;
	sqlite3_bind_int64(statement, 1, below);
	sqlite3_bind_int64(statement, 2, last);
	rows = read_rows(statement, cells, columns, stride);
	sqlite3_reset(statement);
	return rows;
}
