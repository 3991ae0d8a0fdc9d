/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* For the tests of the writer: a folder, a trace in it, questions to the finished file. */
#ifndef STALLTRACE_TEST_TRACE_FILE_H
#define STALLTRACE_TEST_TRACE_FILE_H

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "../src/clock.h"
#include "../src/trace/writer.h"

#define CHECK(condition)                                                                \
	do {                                                                            \
		if (!(condition)) {                                                     \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
			exit(1);                                                        \
		}                                                                       \
	} while (0)

#define BEGIN_UNIX_NS 1768644000000000000ull

static char folder[64];
/* A test holds them as long as it runs. */
static char *paths[256];
static unsigned int path_count;

__attribute__((unused)) static void make_folder(void)
{
	snprintf(folder, sizeof(folder), "/tmp/stalltrace-writer-XXXXXX");
	CHECK(mkdtemp(folder));
}

__attribute__((unused)) static const char *in_folder(const char *name)
{
	char *path = malloc(sizeof(folder) + strlen(name) + 2);

	CHECK(path && path_count < sizeof(paths) / sizeof(paths[0]));
	paths[path_count++] = path;
	snprintf(path, sizeof(folder) + strlen(name) + 2, "%s/%s", folder, name);
	return path;
}

__attribute__((unused)) static void remove_folder(void)
{
	char command[96];

	snprintf(command, sizeof(command), "rm -rf '%s'", folder);
	CHECK(system(command) == 0);
	while (path_count > 0)
		free(paths[--path_count]);
}

__attribute__((unused)) static uint64_t now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

__attribute__((unused)) static struct trace_writer *begin_trace(const char *path,
								uint64_t max_bytes)
{
	struct trace_options options = {.path = path,
					.begin_monotonic_ns = now_ns(),
					.begin_unix_ns = BEGIN_UNIX_NS,
					.max_bytes = max_bytes,
					.owner = (uid_t)-1,
					.group = (gid_t)-1};
	struct trace_writer *writer;
	char message[512];

	if (trace_create(&options, &writer, message, sizeof(message)) != 0) {
		fprintf(stderr, "%s\n", message);
		exit(1);
	}
	return writer;
}

__attribute__((unused)) static void append_wait(struct trace_writer *writer, int64_t number)
{
	int64_t *row = trace_append(writer, TABLE_OFF_CPU);

	row[OFF_CPU_START_NS] = number * 1000;
	row[OFF_CPU_DURATION_NS] = 700;
	row[OFF_CPU_THREAD_ID] = 1;
	row[OFF_CPU_STATE] = 1;
	row[OFF_CPU_RUN_QUEUE_NS] = number % 700;
	row[OFF_CPU_CPU_OUT] = 0;
	row[OFF_CPU_CPU_IN] = 1;
}

/* The first cell as an integer, or as a text when `text` is not NULL. */
static int64_t ask(const char *path, const char *sql, char *text, size_t size)
{
	sqlite3 *database;
	sqlite3_stmt *statement;
	int64_t answer;

	CHECK(sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK);
	if (sqlite3_prepare_v2(database, sql, -1, &statement, NULL) != SQLITE_OK) {
		fprintf(stderr, "%s: %s\n", sql, sqlite3_errmsg(database));
		exit(1);
	}
	CHECK(sqlite3_step(statement) == SQLITE_ROW);
	answer = sqlite3_column_int64(statement, 0);
	if (text) {
		const char *cell = (const char *)sqlite3_column_text(statement, 0);

		snprintf(text, size, "%s", cell ? cell : "(null)");
	}
	sqlite3_finalize(statement);
	sqlite3_close(database);
	return answer;
}

__attribute__((unused)) static int64_t number(const char *path, const char *sql)
{
	return ask(path, sql, NULL, 0);
}

__attribute__((unused)) static const char *text(const char *path, const char *sql)
{
	static char out[8192];

	ask(path, sql, out, sizeof(out));
	return out;
}

__attribute__((unused)) static void check_whole(const char *path)
{
	CHECK(strcmp(text(path, "PRAGMA integrity_check"), "ok") == 0);
	CHECK(number(path, "PRAGMA application_id") == TRACE_APPLICATION_ID);
}

#endif /* STALLTRACE_TEST_TRACE_FILE_H */
