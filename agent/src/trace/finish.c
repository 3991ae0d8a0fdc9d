// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * From a file that is being recorded to one that is done. No index is made: the app reads whole
 * columns and needs none, SQLite makes its own for a join, and (thread_id, start_ns) would make the
 * file a third larger (14 bytes a row of 40) and the end slower.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "../watchdog.h"
#include "state.h"

static void write_last_rows(struct trace_writer *writer, int64_t end_ns)
{
	char text[256];

	/* A transaction that was refused before does not concern what is written here. */
	writer->refusing = false;
	provenance_settle(writer);
	if (writer->refused_names > 0) {
		snprintf(text, sizeof(text),
			 "%llu names (of files, mostly) beyond the first %d are not told apart.",
			 (unsigned long long)writer->refused_names, MAX_NAMES);
		trace_put_notice(writer, "warning", text);
	}
	if (writer->status != 0)
		trace_put_notice(writer, "warning", writer->message);
	trace_put_meta_integer(writer, "length_ns",
			       writer->status == 0 ? end_ns : (int64_t)writer->last_commit_ns);
	trace_put_meta_integer(writer, "finished_ns", end_ns);
	trace_commit_now(writer);
}

/* What is in the write-ahead log → the file, which then is all there is. */
static bool merge_log(struct trace_writer *writer)
{
	int log_frames = -1, done_frames = -1;
	int result;

	watchdog_step(STEP_ON_DISK);
	files_free_reserve(&writer->files);
	result = sqlite3_wal_checkpoint_v2(writer->database, NULL, SQLITE_CHECKPOINT_TRUNCATE,
					   &log_frames, &done_frames);
	if (result != SQLITE_OK)
		return false;
	watchdog_step(STEP_ON_DISK);
	/* The log goes now: what was in it must be on the disk. */
	if (files_sync(&writer->files) < 0)
		return false;
	return sqlite3_exec(writer->database, "PRAGMA journal_mode = DELETE", NULL, NULL, NULL) ==
		       SQLITE_OK &&
	       !files_have_log(&writer->files);
}

int trace_finish(struct trace_writer *writer, uint64_t end_monotonic_ns, char *message,
		 size_t message_size)
{
	int64_t end_ns = trace_time(writer, end_monotonic_ns);
	int status;

	trace_commit(writer);
	write_last_rows(writer, end_ns);
	if (!merge_log(writer) && writer->status == 0) {
		writer->status = -EIO;
		snprintf(writer->message, sizeof(writer->message),
			 "%s could not be finished: keep “%s-wal” beside it, the end of the "
			 "recording is in there.",
			 writer->files.path, writer->files.name);
	} else if (files_sync(&writer->files) < 0 && writer->status == 0) {
		writer->status = -EIO;
		snprintf(writer->message, sizeof(writer->message),
			 "%s is finished, but the disk did not confirm it: copy it elsewhere.",
			 writer->files.path);
	}
	status = writer->status;
	if (message_size > 0)
		snprintf(message, message_size, "%s", status == 0 ? "" : writer->message);
	writer_free(writer);
	return status;
}
