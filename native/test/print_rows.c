// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * print_rows URL TABLE SQL COLUMNS BELOW LAST: the cells of these rows as %a, a row each line. For machines on which
 * no Node runs here.
 */
#include <stdio.h>
#include <stdlib.h>
#include "rows.h"

#define MOST_ROWS 1000

static int print_rows(struct row_query *query, int32_t columns, int64_t below, int64_t last)
{
	double *cells = calloc((size_t)columns * MOST_ROWS, sizeof(*cells));
	int32_t rows;

	if (!cells)
		return 1;
	rows = row_query_read(query, below, last, cells, columns, MOST_ROWS);
	for (int32_t row = 0; row < rows; row++)
		for (int32_t column = 0; column < columns; column++)
			printf("%a%c", cells[column * MOST_ROWS + row],
			       column + 1 < columns ? ' ' : '\n');
	free(cells);
	return rows < 0 ? -rows : 0;
}

int main(int argc, char **argv)
{
	/* As SQLite has them: nothing is limited here. */
	int32_t code = 1;
	struct row_database *database;
	struct row_query *query;

	if (argc != 7 || stalltrace_native_abi() != STALLTRACE_NATIVE_ABI)
		return 2;
	database = row_database_open(argv[1], NULL, 0, &code);
	if (!database)
		return code;
	query = row_query_open(database, argv[2], argv[3], &code);
	if (query)
		code = print_rows(query, atoi(argv[4]), atoll(argv[5]), atoll(argv[6]));
	row_query_close(query);
	row_database_close(database);
	return code;
}
