// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Names and streams: written once, in the transaction of the first row that refers to them. */
#include <errno.h>
#include <stdio.h>
#include "state.h"

/* What stands for the names beyond the greatest number of them. */
static const char too_many[] = "(one of too many names)";

static int64_t intern(struct trace_writer *writer, const char *source, const char *text)
{
	bool is_new;
	int64_t id = names_intern(writer->names, source, text, &is_new);
	sqlite3_stmt *out;

	if (id == -ENOMEM)
		trace_check(writer, SQLITE_NOMEM);
	if (!is_new)
		return id;
	out = row_begin(writer, PUT_NAME);
	row_integer(writer, out, 1, id);
	row_text(writer, out, 2, source, NAME_CHARACTERS);
	row_text(writer, out, 3, text, NAME_CHARACTERS);
	row_end(writer, out);
	return id;
}

int64_t trace_name(struct trace_writer *writer, const char *source, const char *text)
{
	char clean_source[NAME_BYTES], clean_text[NAME_BYTES];
	int64_t id;

	/* A number that was given out but not written would be taken for written later. */
	if (!text || !trace_writable(writer, false))
		return TRACE_NULL;
	text_clean(source ? source : "", NAME_CHARACTERS, clean_source);
	text_clean(text, NAME_CHARACTERS, clean_text);
	id = intern(writer, clean_source, clean_text);
	if (id == -ENOSPC) {
		writer->refused_names++;
		return writer->too_many_names;
	}
	return id > 0 ? id : TRACE_NULL;
}

void names_reserve(struct trace_writer *writer)
{
	writer->too_many_names = intern(writer, "", too_many);
}

static void describe_stream(const struct stream_key *stream, char *out, size_t size)
{
	if (stream->handle == 0)
		snprintf(out, size, "default stream");
	else if (stream->handle == 1)
		snprintf(out, size, "legacy default stream");
	else if (stream->handle == 2)
		snprintf(out, size, "per-thread default stream");
	else
		snprintf(out, size, "stream %lld", (long long)stream->ordinal);
}

int64_t trace_stream(struct trace_writer *writer, int64_t process_id, int64_t handle)
{
	sqlite3_stmt *out;
	char name[48];
	bool is_new;
	int64_t id;

	if (!trace_writable(writer, false))
		return TRACE_NULL;
	id = streams_intern(&writer->streams, process_id, handle, &is_new);
	if (id == -ENOMEM)
		trace_check(writer, SQLITE_NOMEM);
	if (id < 0)
		return TRACE_NULL;
	if (!is_new)
		return id;
	describe_stream(&writer->streams.keys[id - 1], name, sizeof(name));
	out = row_begin(writer, PUT_STREAM);
	row_integer(writer, out, 1, id);
	row_text(writer, out, 2, name, NAME_CHARACTERS);
	row_integer(writer, out, 3, handle);
	row_end(writer, out);
	return id;
}
