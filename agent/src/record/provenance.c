// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* What the file says of itself: how each table was recorded, and what could not be. */
#include <string.h>
#include "session.h"

#define NOT_OF_RECLAIM "Direct reclaim has none, and no other range is recorded."

/* Of what no recorder records. */
static const struct provenance absent[] = {
	{
		.table = "wakeup",
		.kind = "absent",
		.note = "Wake-ups are part of off_cpu.",
	},
	{
		.table = "cuda_call",
		.column = "stolen_ns",
		.kind = "absent",
		.note = "Not known per call; off_cpu.executed_ns has the CPU time of each slice.",
	},
	{
		.table = "range",
		.column = "domain_id",
		.kind = "absent",
		.note = NOT_OF_RECLAIM,
	},
	{
		.table = "range",
		.column = "parent_range_id",
		.kind = "absent",
		.note = NOT_OF_RECLAIM,
	},
	{
		.table = "range",
		.column = "end_thread_id",
		.kind = "absent",
		.note = NOT_OF_RECLAIM,
	},
	{
		.table = "range",
		.column = "value",
		.kind = "absent",
		.note = NOT_OF_RECLAIM,
	},
	{
		.table = "range",
		.column = "stack_id",
		.kind = "absent",
		.note = NOT_OF_RECLAIM,
	},
	{
		.table = "cuda_call",
		.column = "correlation",
		.kind = "absent",
		.note = "Only CUPTI numbers calls: see gpu_work.",
	},
};

static bool is_same(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

/* Whether a source that is recorded writes into the same column. */
static bool is_written_by_other(const struct session *session, const struct provenance *known)
{
	for (unsigned int source = 0; source < SOURCE_COUNT; source++) {
		const struct provenance *row = event_sources[source]->provenance;
		const size_t room = sizeof(event_sources[source]->provenance) / sizeof(*row);

		for (size_t i = 0; session->status[source].available && i < room && row[i].table;
		     i++)
			if (is_same(row[i].table, known->table) &&
			    is_same(row[i].column, known->column))
				return true;
	}
	return false;
}

static void write_source(struct session *session, enum source source)
{
	const struct event_source *row = event_sources[source];
	const struct source_status *status = &session->status[source];
	const size_t room = sizeof(row->provenance) / sizeof(row->provenance[0]);

	for (size_t i = 0; i < room && row->provenance[i].table; i++) {
		const struct provenance *known = &row->provenance[i];
		const char *column = known->column ? known->column : "";

		if (status->available)
			trace_put_provenance(session->writer, known->table, column, known->kind,
					     known->every_ns ?
						     (int64_t)known->every_ns(session->options) :
						     TRACE_NULL,
					     known->note);
		else if (!is_written_by_other(session, known))
			trace_put_provenance(
				session->writer, known->table, column, "absent", TRACE_NULL,
				row->profile && !status->wanted ? "Not asked for: see --profile." :
								  status->detail);
	}
}

void session_write_provenance(struct session *session, uint32_t sources)
{
	for (unsigned int i = 0; i < SOURCE_COUNT; i++) {
		if (sources & SOURCE_BIT(i))
			write_source(session, i);
	}
}

/* Of what the recording is made, in the words of `check`. What inside comes to is known at the end. */
static void write_tiers(struct session *session)
{
	for (unsigned int i = 0; i < TIER_COUNT; i++) {
		const struct tier_status *status = &session->tiers[i];

		if (status->available && i != TIER_INSIDE)
			trace_put_capability(session->writer, tiers[i].id, true,
					     status->detail[0] ? status->detail :
								 tiers[i].sees[0].text);
		else if (!status->available && status->detail[0])
			trace_put_capability(session->writer, tiers[i].id, false, status->detail);
	}
}

void session_write_sources(struct session *session)
{
	write_tiers(session);
	session_write_provenance(session, ALL_SOURCES & ~session->recorded);
	trace_put_provenance(session->writer, "sample", "", "sampled", SAMPLE_PERIOD_NS,
			     "Read from /proc, cgroups and nvidia-smi.");
	trace_put_provenance(session->writer, "gap", "", "exact", TRACE_NULL,
			     "Counted where the buffer to the recorder was full.");
	for (size_t i = 0; i < sizeof(absent) / sizeof(absent[0]); i++)
		trace_put_provenance(session->writer, absent[i].table,
				     absent[i].column ? absent[i].column : "", absent[i].kind,
				     TRACE_NULL, absent[i].note);
	for (unsigned int i = 0; i < SOURCE_COUNT; i++) {
		const struct source_status *status = &session->status[i];

		/* Whether the GPU's work could be told is known at the end. */
		if (status->wanted && !(i == SOURCE_GPU_WORK && status->available))
			trace_put_capability(session->writer, event_sources[i]->probe.name,
					     status->available, status->detail);
	}
}

void session_write_clock(struct session *session)
{
	trace_put_clock_reading(session->writer, clock_ns(CLOCK_MONOTONIC),
				clock_ns(CLOCK_BOOTTIME), clock_ns(CLOCK_MONOTONIC_RAW),
				clock_ns(CLOCK_REALTIME));
}
