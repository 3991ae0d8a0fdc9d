// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Transactions, and what becomes of the file when one fails. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>
#include <time.h>
#include "../clock.h"
#include "../watchdog.h"
#include "state.h"

/* The size is asked for after this many bytes of rows. */
#define CHECK_EVERY_BYTES (64u << 10)
/* So is the disk's room, which others take too, after these. */
#define CHECK_DISK_EVERY_BYTES (1u << 20)
/* Full disks are tried this often; then there really is no room. */
#define MAX_ROLLBACKS 4

static uint64_t now_ns(const struct trace_writer *writer)
{
	return (uint64_t)trace_time(writer, clock_ns(CLOCK_MONOTONIC));
}

/* A transaction adds at most this to the log, whose second writing the reserve is for. */
static uint64_t transaction_limit(const struct trace_writer *writer)
{
	uint64_t reserve = writer->files.reserve_bytes;

	return reserve >= RESERVE_BYTES || reserve == 0 ? RESERVE_BYTES / 6 : reserve / 6;
}

static uint64_t page_count(struct trace_writer *writer)
{
	uint64_t pages = 0;

	if (sqlite3_step(writer->page_count) == SQLITE_ROW)
		pages = (uint64_t)sqlite3_column_int64(writer->page_count, 0);
	sqlite3_reset(writer->page_count);
	return pages;
}

void trace_limit_pages(struct trace_writer *writer, uint64_t bytes)
{
	char sql[64];
	uint64_t limit = writer->max_bytes;

	if (limit == 0 || (bytes != 0 && bytes < limit))
		limit = bytes;
	snprintf(sql, sizeof(sql), "PRAGMA max_page_count = %llu",
		 (unsigned long long)(limit / PAGE_BYTES));
	sqlite3_exec(writer->database, sql, NULL, NULL, NULL);
}

static void forget_uncommitted(struct trace_writer *writer)
{
	events_discard(writer);
	names_rollback(writer->names);
	writer->streams.count = writer->streams.committed;
	writer->in_transaction = false;
	writer->transaction_rows = 0;
	writer->transaction_bytes = 0;
}

static void roll_back(struct trace_writer *writer)
{
	if (!sqlite3_get_autocommit(writer->database))
		sqlite3_exec(writer->database, "ROLLBACK", NULL, NULL, NULL);
	forget_uncommitted(writer);
	writer->refusing = true;
	writer->rollbacks++;
}

/* SQLite has one code for a full disk and for its own limit of pages. */
static bool disk_has_room(const struct trace_writer *writer)
{
	struct statvfs space;

	return fstatvfs(writer->files.directory_fd, &space) == 0 &&
	       (uint64_t)space.f_bavail * space.f_frsize > (1u << 20);
}

static int failure_of(struct trace_writer *writer, int result)
{
	int last_error = errno;
	int system_error = sqlite3_system_errno(writer->database);

	switch (result & 0xff) {
	case SQLITE_FULL:
		return writer->max_bytes != 0 && disk_has_room(writer) ? -EFBIG : -ENOSPC;
	case SQLITE_NOMEM:
		return -ENOMEM;
	case SQLITE_IOERR:
		/* SQLite has a code of its own for ENOSPC alone, and forgets the number in WAL mode. */
		if (system_error == 0)
			system_error = last_error;
		if (system_error == EDQUOT || system_error == EFBIG || system_error == ENOSPC)
			return -ENOSPC;
		return -EIO;
	case SQLITE_READONLY:
	case SQLITE_CANTOPEN:
	case SQLITE_PERM:
		return -EACCES;
	default:
		return -EIO;
	}
}

static void say_failure(struct trace_writer *writer, int status, int result)
{
	double at_s = (double)writer->last_commit_ns / 1e9;
	const char *path = writer->files.path;

	writer->status = status;
	if (status == -ENOSPC)
		snprintf(writer->message, sizeof(writer->message),
			 "The disk of %s is full: the recording ended at %.1f s; everything up to "
			 "then is in the file. Free some space to record for longer.",
			 path, at_s);
	else if (status == -EFBIG)
		snprintf(writer->message, sizeof(writer->message),
			 "%s reached its largest size of %.1f MiB: the recording ended at %.1f s; "
			 "everything up to then is in the file. Allow a larger one to record for "
			 "longer.",
			 path, (double)writer->max_bytes / (1 << 20), at_s);
	else
		snprintf(writer->message, sizeof(writer->message),
			 "%s can no longer be written (%s): the recording ended at %.1f s; "
			 "everything up to then is in the file.",
			 path, sqlite3_errstr(result), at_s);
}

/*
 * Brings what is in the log into the file while there is the reserve for it; the emptied log is
 * room for what explains the events: ends of processes, symbols, provenance.
 */
static void make_room(struct trace_writer *writer)
{
	uint64_t before_ns = watchdog_begin(STEP_ON_DISK);

	files_free_reserve(&writer->files);
	sqlite3_wal_checkpoint_v2(writer->database, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
	trace_limit_pages(writer, page_count(writer) * PAGE_BYTES + FULL_DISK_ROOM +
					  writer->files.floor_bytes / 2);
	watchdog_end(before_ns);
}

static void fail(struct trace_writer *writer, int result)
{
	int status = failure_of(writer, result);

	if (writer->phase == PHASE_DEAD)
		return;
	roll_back(writer);
	if (writer->status == 0)
		say_failure(writer, status, result);
	if ((status != -ENOSPC && status != -EFBIG) || writer->rollbacks >= MAX_ROLLBACKS) {
		writer->phase = PHASE_DEAD;
		return;
	}
	/* Also where it had ended at its largest size, with the reserve still there. */
	if (status == -ENOSPC && (writer->phase == PHASE_RECORDING || writer->files.reserve_bytes))
		make_room(writer);
	writer->phase = PHASE_ENDING;
}

bool trace_check(struct trace_writer *writer, int result)
{
	if (result == SQLITE_OK || result == SQLITE_ROW || result == SQLITE_DONE)
		return true;
	fail(writer, result);
	return false;
}

bool trace_execute(struct trace_writer *writer, const char *sql)
{
	return trace_check(writer, sqlite3_exec(writer->database, sql, NULL, NULL, NULL));
}

bool trace_writable(struct trace_writer *writer, bool event)
{
	if (writer->phase == PHASE_DEAD || writer->refusing)
		return false;
	if (event && writer->phase != PHASE_RECORDING)
		return false;
	if (writer->in_transaction)
		return true;
	writer->in_transaction = trace_execute(writer, "BEGIN");
	return writer->in_transaction;
}

bool trace_commit_now(struct trace_writer *writer)
{
	uint64_t moment_ns = now_ns(writer), before_ns = watchdog_begin(STEP_ON_DISK);
	bool committed;

	committed = events_flush(writer) &&
		    (!writer->in_transaction || trace_execute(writer, "COMMIT"));
	watchdog_end(before_ns);
	if (!committed)
		return false;
	writer->in_transaction = false;
	writer->transaction_rows = 0;
	writer->transaction_bytes = 0;
	if (writer->phase == PHASE_RECORDING)
		writer->last_commit_ns = moment_ns;
	names_commit(writer->names);
	writer->streams.committed = writer->streams.count;
	for (unsigned int table = 0; table < TRACE_TABLES; table++)
		writer->events[table].committed = writer->events[table].appended;
	return true;
}

/* What finishing and the stacks' symbols may need. */
static uint64_t room_to_finish(uint64_t max_bytes)
{
	uint64_t room = max_bytes / 8;

	return room < (1u << 20) ? 1u << 20 : room > (64u << 20) ? 64u << 20 : room;
}

static void check_size(struct trace_writer *writer)
{
	writer->unchecked_bytes = 0;
	if (writer->max_bytes == 0 || writer->phase != PHASE_RECORDING)
		return;
	if (page_count(writer) * PAGE_BYTES < writer->max_bytes - room_to_finish(writer->max_bytes))
		return;
	if (!trace_commit_now(writer))
		return;
	writer->phase = PHASE_ENDING;
	say_failure(writer, -EFBIG, SQLITE_FULL);
}

static void say_floor(struct trace_writer *writer)
{
	writer->status = -ENOSPC;
	snprintf(
		writer->message, sizeof(writer->message),
		"The disk of %s is nearly full: the recording ended at %.1f s, to leave %.1f MB of "
		"it free; everything up to then is in the file. Free some space to record for "
		"longer.",
		writer->files.path, (double)writer->last_commit_ns / 1e9,
		(double)writer->files.floor_bytes / 1e6);
}

static void check_disk(struct trace_writer *writer)
{
	writer->unchecked_disk_bytes = 0;
	if (writer->phase != PHASE_RECORDING || !files_reached_floor(&writer->files) ||
	    !trace_commit_now(writer))
		return;
	writer->phase = PHASE_ENDING;
	say_floor(writer);
	make_room(writer);
}

void trace_wrote(struct trace_writer *writer, unsigned int rows, uint64_t bytes)
{
	writer->transaction_rows += rows;
	writer->transaction_bytes += bytes;
	writer->unchecked_bytes += bytes;
	writer->unchecked_disk_bytes += bytes;
	if (writer->unchecked_bytes >= CHECK_EVERY_BYTES && !writer->atomic)
		check_size(writer);
	if (writer->unchecked_disk_bytes >= CHECK_DISK_EVERY_BYTES && !writer->atomic)
		check_disk(writer);
	if (writer->atomic || !writer->in_transaction)
		return;
	if (writer->transaction_rows >= ROWS_PER_TRANSACTION ||
	    writer->transaction_bytes >= transaction_limit(writer))
		trace_commit_now(writer);
}

int trace_commit(struct trace_writer *writer)
{
	writer->atomic = false;
	writer->refusing = false;
	if (writer->phase != PHASE_DEAD && trace_commit_now(writer)) {
		check_size(writer);
		check_disk(writer);
	}
	return writer->status;
}

int trace_status(const struct trace_writer *writer, const char **message)
{
	*message = writer->status == 0 ? NULL : writer->message;
	return writer->status;
}

uint64_t trace_bytes(const struct trace_writer *writer)
{
	return files_bytes(&writer->files);
}

int64_t trace_time(const struct trace_writer *writer, uint64_t monotonic_ns)
{
	const uint64_t latest = (UINT64_C(1) << 53) - 1;
	uint64_t from_begin;

	if (monotonic_ns <= writer->begin_monotonic_ns)
		return 0;
	from_begin = monotonic_ns - writer->begin_monotonic_ns;
	return (int64_t)(from_begin < latest ? from_begin : latest);
}

int64_t trace_duration(const struct trace_writer *writer, uint64_t start_monotonic_ns,
		       uint64_t duration_ns)
{
	uint64_t before_ns = 0;

	if (start_monotonic_ns < writer->begin_monotonic_ns)
		before_ns = writer->begin_monotonic_ns - start_monotonic_ns;
	if (duration_ns <= before_ns)
		return 0;
	duration_ns -= before_ns;
	return duration_ns > INT64_MAX ? INT64_MAX : (int64_t)duration_ns;
}
