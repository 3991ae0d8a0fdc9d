// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Any bytes as a database, of which the table `events` is read. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "rows.h"

#define COLUMNS 3
#define STRIDE 64

/* As databaseLimits of guard-database.ts. */
static const int32_t limits[] = {64 << 20, 100000, 500, 50, 10, 100000, 16, 0, 100, 100, 1};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_all(struct row_query *query)
{
	/* Of that size exactly, so that what is written beyond it is seen. */
	double *cells = malloc(sizeof(*cells) * COLUMNS * STRIDE);

	if (cells) {
		row_query_read(query, INT64_MIN, INT64_MAX, cells, COLUMNS, STRIDE);
		row_query_read(query, 0, STRIDE, cells, COLUMNS, STRIDE);
	}
	free(cells);
}

static void read_file(const char *path)
{
	char url[64];
	struct row_database *database;
	struct row_query *query;
	int32_t code;

	snprintf(url, sizeof(url), "file:%s?immutable=1", path);
	database = row_database_open(url, limits, sizeof(limits) / sizeof(limits[0]), &code);
	if (!database)
		return;
	query = row_query_open(database, "events",
			       "SELECT id, a, b FROM events "
			       "WHERE rowid > ? AND rowid <= ? ORDER BY rowid",
			       &code);
	if (query)
		read_all(query);
	row_query_close(query);
	row_database_close(database);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* A file with a name: SQLite follows a link in /proc to where nothing is. */
	char path[] = "/dev/shm/stalltrace-fuzz-XXXXXX";
	int fd = mkstemp(path);

	if (fd < 0)
		abort();
	if (write(fd, data, size) == (ssize_t)size)
		read_file(path);
	close(fd);
	unlink(path);
	return 0;
}
