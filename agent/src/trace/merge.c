// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* The end that a killed recorder could not make: log → file. */
#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "files.h"
#include "writer.h"

/* Another of us may be at it; that takes a second for the largest log. A recorder takes longer. */
#define TRIES 50
#define PAUSE_NS 100000000

static bool has_log(const char *path)
{
	char log[PATH_MAX];
	struct stat status;

	return snprintf(log, sizeof(log), "%s-wal", path) < (int)sizeof(log) &&
	       lstat(log, &status) == 0;
}

/* https://sqlite.org/fileformat2.html#file_format_version_numbers */
#define VERSION_AT 18
#define VERSION_WAL 2

/* Where there is no log, another of us has removed it, and writes into the file once more: that. */
static bool says_log(const char *path)
{
	char version = 0;
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	bool says = fd >= 0 && pread(fd, &version, 1, VERSION_AT) == 1 && version == VERSION_WAL;

	if (fd >= 0)
		close(fd);
	return says;
}

static bool is_database(const struct trace_files *files)
{
	static const char magic[16] = "SQLite format 3";
	char begin[sizeof(magic)];

	return pread(files->file_fd, begin, sizeof(begin), 0) == sizeof(begin) &&
	       memcmp(begin, magic, sizeof(begin)) == 0;
}

static int application_id(sqlite3 *database, int *out)
{
	sqlite3_stmt *statement = NULL;
	int result = sqlite3_prepare_v2(database, "PRAGMA application_id", -1, &statement, NULL);

	if (result == SQLITE_OK)
		result = sqlite3_step(statement);
	if (result == SQLITE_ROW)
		*out = sqlite3_column_int(statement, 0);
	sqlite3_finalize(statement);
	return result == SQLITE_ROW ? SQLITE_OK : result;
}

/* SQLite's code; SQLITE_OK for what is no trace, too. */
static int merge_into(sqlite3 *database, const struct trace_files *files)
{
	int id = 0, result;

	/* A log that was not merged whole must stay. */
	result = sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
	/* As the recorder had it: the log's index in memory, and everyone else kept out. */
	if (result == SQLITE_OK)
		result =
			sqlite3_exec(database, "PRAGMA locking_mode = EXCLUSIVE", NULL, NULL, NULL);
	if (result == SQLITE_OK)
		result = application_id(database, &id);
	if (result != SQLITE_OK || id != TRACE_APPLICATION_ID)
		return result;
	result = sqlite3_wal_checkpoint_v2(database, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
	if (result == SQLITE_OK && files_sync(files) < 0)
		result = SQLITE_IOERR;
	if (result == SQLITE_OK)
		result = sqlite3_exec(database, "PRAGMA journal_mode = DELETE", NULL, NULL, NULL);
	if (result == SQLITE_OK && files_have_log(files))
		result = SQLITE_IOERR;
	return result == SQLITE_OK && files_sync(files) < 0 ? SQLITE_IOERR : result;
}

static int merge_once(const struct trace_files *files)
{
	sqlite3 *database = NULL;
	int result = sqlite3_open_v2(
		files->path, &database,
		SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE, "unix");

	if (result == SQLITE_OK)
		result = merge_into(database, files);
	sqlite3_close(database);
	return result & 0xff;
}

static int merge(const struct trace_files *files)
{
	static const struct timespec pause = {.tv_nsec = PAUSE_NS};
	int result = SQLITE_BUSY;

	for (int i = 0; i < TRIES && (result == SQLITE_BUSY || result == SQLITE_LOCKED); i++) {
		if (i)
			nanosleep(&pause, NULL);
		result = merge_once(files);
	}
	switch (result) {
	case SQLITE_OK:
		return 0;
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return -EBUSY;
	case SQLITE_FULL:
		return -ENOSPC;
	case SQLITE_NOMEM:
		return -ENOMEM;
	default:
		return -EIO;
	}
}

int trace_merge_log(const char *path, char *message, size_t message_size)
{
	struct trace_files files;
	bool log = has_log(path);
	int error;

	if (!log && !says_log(path))
		return 0;
	error = files_open(&files, path);
	if (error == 0) {
		if (is_database(&files))
			error = merge(&files);
		files_close(&files);
	}
	/* A file that came without its log is sent as it is. */
	if (!log && error != -EBUSY)
		return 0;
	if (error == -EBUSY)
		snprintf(message, message_size,
			 "%s is still being recorded: it can be sent once the capture has ended.",
			 path);
	else if (error)
		snprintf(message, message_size,
			 "What its recorder left in %s-wal can't be brought into the file (%s).",
			 path, strerror(-error));
	return error;
}
