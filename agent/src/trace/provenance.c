// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* How far each table can be trusted, before anybody said so and after. */
#include <string.h>
#include "state.h"

static const char unsaid[] = "the recorder has not said how completely this was recorded";
static const char not_recorded[] = "not recorded";

struct table_default {
	const char *kind, *note;
	/* Layer and operation of the rows of a table without op_id. */
	const char *source, *op;
};

static const struct table_default defaults[TRACE_TABLES] = {
	[TABLE_GPU_WORK] = {"absent",
			    "neither the kernel nor the CUDA API shows what runs on the GPU", NULL,
			    NULL},
	[TABLE_OFF_CPU] = {NULL, NULL, "HOST", "sched_switch"},
	[TABLE_ON_CPU] = {NULL, NULL, "HOST", "sched_slice"},
	[TABLE_WAKEUP] = {"absent", "wake-ups stand in off_cpu, with who woke the thread", "HOST",
			  "wakeup"},
	[TABLE_PAGE_FAULT] = {NULL, NULL, "HOST", "page_fault"},
	[TABLE_PAGE_ALLOC] = {NULL, NULL, "HOST", "mm_page_alloc"},
	[TABLE_CPU_SAMPLE] = {NULL, NULL, "HOST", "cpu_sample"},
	[TABLE_RANGE] = {"absent", "ranges that programs name themselves are not recorded", NULL,
			 NULL},
	[TABLE_SAMPLE] = {NULL, NULL, "HOST", "sample"},
	[TABLE_CONNECTION] = {"absent", "no connections were read", "HOST", "connection"},
	[TABLE_GAP] = {"exact", "every loss that the recorder noticed", NULL, NULL},
};

static const struct table_default *default_of(const char *table)
{
	for (unsigned int index = 0; index < TRACE_TABLES; index++)
		if (strcmp(event_tables[index].name, table) == 0)
			return &defaults[index];
	return NULL;
}

void trace_put_provenance(struct trace_writer *writer, const char *table, const char *column,
			  const char *kind, int64_t every_ns, const char *note)
{
	const struct table_default *known = *column == '\0' ? default_of(table) : NULL;
	sqlite3_stmt *out = row_begin(writer, CLEAR_PROVENANCE);

	row_text(writer, out, 1, table, NAME_CHARACTERS);
	row_text(writer, out, 2, column, NAME_CHARACTERS);
	row_end(writer, out);
	out = row_begin(writer, PUT_PROVENANCE);
	row_text(writer, out, 1, table, NAME_CHARACTERS);
	row_text(writer, out, 2, column, NAME_CHARACTERS);
	row_text(writer, out, 3, kind, NAME_CHARACTERS);
	row_integer(writer, out, 4, every_ns > 0 ? every_ns : TRACE_NULL);
	row_text(writer, out, 5, note, LONG_CHARACTERS);
	row_text(writer, out, 6, known ? known->source : NULL, NAME_CHARACTERS);
	row_text(writer, out, 7, known ? known->op : NULL, NAME_CHARACTERS);
	row_end(writer, out);
}

void provenance_write_defaults(struct trace_writer *writer)
{
	for (unsigned int table = 0; table < TRACE_TABLES; table++) {
		const struct table_default *known = &defaults[table];

		trace_put_provenance(writer, event_tables[table].name, "",
				     known->kind ? known->kind : "partial", TRACE_NULL,
				     known->note ? known->note : unsaid);
	}
}

void provenance_settle(struct trace_writer *writer)
{
	for (unsigned int table = 0; table < TRACE_TABLES; table++) {
		sqlite3_stmt *out;

		if (writer->events[table].appended > 0)
			continue;
		out = row_begin(writer, SETTLE_PROVENANCE);
		row_text(writer, out, 1, not_recorded, NAME_CHARACTERS);
		row_text(writer, out, 2, event_tables[table].name, NAME_CHARACTERS);
		row_text(writer, out, 3, unsaid, NAME_CHARACTERS);
		row_end(writer, out);
	}
}
