// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* The rows of src/record/sources, held against the wire, the BPF object and the trace's schema. */
#include <assert.h>
#include <bpf/libbpf.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include "../generated/schema.h"
#include "../src/record/event_source.h"
#include "../src/record/recorder.h"
#include "stalltrace.skel.h"

#define ROWS (SOURCE_COUNT + 1)
#define ROOM(array) (sizeof(array) / sizeof((array)[0]))

/* All rows, that without a name last. */
static const struct event_source *row_at(unsigned int i)
{
	return i < SOURCE_COUNT ? event_sources[i] : &targets_source;
}

/* How many rows say that such a record is theirs. */
static unsigned int rows_of_record(unsigned int kind)
{
	unsigned int found = 0;

	for (unsigned int i = 0; i < ROWS; i++) {
		const struct event_source *row = row_at(i);

		for (size_t j = 0; j < ROOM(row->records); j++)
			found += row->records[j].kind == kind;
	}
	return found;
}

static void check_record(const struct record_type *type)
{
	assert(type->kind < RECORD_KINDS && type->add && type->name && type->name[0]);
	assert(type->least_bytes > sizeof(struct record_header) && type->least_bytes <= UINT16_MAX);
}

static void every_record_is_in_one_row(void)
{
	for (unsigned int kind = 1; kind < RECORD_KINDS; kind++) {
		if (rows_of_record(kind) != 1)
			fprintf(stderr, "records of kind %u are in %u rows\n", kind,
				rows_of_record(kind));
		assert(rows_of_record(kind) == 1);
	}
	for (unsigned int i = 0; i < ROWS; i++) {
		const struct event_source *row = row_at(i);

		for (size_t j = 0; j < ROOM(row->records) && row->records[j].kind; j++)
			check_record(&row->records[j]);
		/* The last one of a list would not be its end. */
		assert(row->probe.programs[SOURCE_PROGRAMS - 1].program == NULL);
	}
}

static unsigned int rows_of_program(const char *name)
{
	unsigned int found = 0;

	for (unsigned int i = 0; i < ROWS; i++) {
		const struct source_program *program = row_at(i)->probe.programs;

		for (size_t j = 0; j < SOURCE_PROGRAMS && program[j].program; j++)
			found += !strcmp(program[j].program, name);
	}
	return found;
}

static void every_program_is_in_one_row(void)
{
	struct stalltrace_bpf *object = stalltrace_bpf__open();
	struct bpf_program *program;

	assert(object);
	bpf_object__for_each_program(program, object->obj) {
		const char *name = bpf_program__name(program);
		/* Those of the CUDA functions come in several kinds: apply_plan.c. */
		unsigned int wanted = strncmp(name, "call_", 5) != 0;

		if (rows_of_program(name) != wanted)
			fprintf(stderr, "the program %s is in %u rows\n", name,
				rows_of_program(name));
		assert(rows_of_program(name) == wanted);
	}
	for (unsigned int i = 0; i < ROWS; i++) {
		const struct source_program *named = row_at(i)->probe.programs;

		for (size_t j = 0; j < SOURCE_PROGRAMS && named[j].program; j++)
			assert(bpf_object__find_program_by_name(object->obj, named[j].program));
	}
	stalltrace_bpf__destroy(object);
}

/* column NULL = any. */
static void check_in_schema(sqlite3 *schema, const char *table, const char *column)
{
	sqlite3_stmt *statement = NULL;
	char text[256];
	int result;

	snprintf(text, sizeof(text), "SELECT %s%s%s FROM [%s]", column ? "[" : "",
		 column ? column : "*", column ? "]" : "", table);
	result = sqlite3_prepare_v2(schema, text, -1, &statement, NULL);
	if (result != SQLITE_OK)
		fprintf(stderr, "%s: %s\n", text, sqlite3_errmsg(schema));
	assert(result == SQLITE_OK);
	sqlite3_finalize(statement);
}

static void tables_and_columns_exist(void)
{
	sqlite3 *schema = NULL;

	assert(sqlite3_open(":memory:", &schema) == SQLITE_OK);
	assert(sqlite3_exec(schema, TRACE_CREATE_STATEMENTS, NULL, NULL, NULL) == SQLITE_OK);
	for (unsigned int i = 0; i < ROWS; i++) {
		const struct event_source *row = row_at(i);

		for (size_t j = 0; j < ROOM(row->records) && row->records[j].kind; j++) {
			if (row->records[j].table)
				check_in_schema(schema, row->records[j].table, NULL);
		}
		for (size_t j = 0; j < ROOM(row->provenance) && row->provenance[j].table; j++) {
			assert(row->provenance[j].kind && row->provenance[j].note);
			check_in_schema(schema, row->provenance[j].table,
					row->provenance[j].column);
		}
	}
	sqlite3_close(schema);
}

static bool is_event_source(const struct probe_source *probe)
{
	for (unsigned int i = 0; i < SOURCE_COUNT; i++) {
		if (probe_sources[i] == probe)
			return true;
	}
	return false;
}

/* How many have the same name, or the same word in --profile. */
static unsigned int rows_like(const struct event_source *row)
{
	unsigned int found = 0;

	for (unsigned int i = 0; i < SOURCE_COUNT; i++) {
		const struct event_source *other = event_sources[i];

		found += !strcmp(other->probe.name, row->probe.name) ||
			 (row->profile && other->profile && !strcmp(other->profile, row->profile));
	}
	return found;
}

static void words_are_complete(void)
{
	unsigned int uprobes = 0;

	for (unsigned int i = 0; i < SOURCE_COUNT; i++) {
		const struct event_source *row = event_sources[i];

		assert(row->probe.name && row->label && rows_like(row) == 1);
		assert(!row->profile == !row->help);
		assert(!row->probe.needs ||
		       (is_event_source(row->probe.needs) && row->probe.without_needed));
		uprobes += row->probe.uprobes;
	}
	assert(uprobes == 1);
}

static void recorders_are_complete(void)
{
	static const struct recorder *const all[] = {
#define ROW(name) &name##_recorder,
		RECORDERS(ROW)
#undef ROW
	};

	for (size_t i = 0; i < ROOM(all); i++) {
		assert(all[i]->wait_ms > 0);
		assert(all[i]->sources && !(all[i]->sources & ~ALL_SOURCES));
		assert(all[i]->open && all[i]->begin && all[i]->add_target && all[i]->consume &&
		       all[i]->finish && all[i]->close);
	}
}

int main(void)
{
	every_record_is_in_one_row();
	every_program_is_in_one_row();
	tables_and_columns_exist();
	words_are_complete();
	recorders_are_complete();
	return 0;
}
