/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Events of the Trace Event Format out of the bytes of a file that may be hostile: what readEvent and WorkArgs of
 * src-main/trace do in JavaScript, and number for number the same. What is out of the ordinary is left to them.
 */
#ifndef STALLTRACE_NATIVE_EVENTS_H
#define STALLTRACE_NATIVE_EVENTS_H

#include <stdint.h>
#include "native.h"

/* What is told of an event, in this order; src-main/native/event-scan.ts has the same. */
enum event_cell {
	EVENT_BEHIND,
	EVENT_PHASE,
	EVENT_CATEGORY,
	EVENT_NAME,
	EVENT_PROCESS,
	EVENT_THREAD,
	EVENT_START_NS,
	EVENT_DURATION_NS,
	EVENT_ID_FROM,
	EVENT_ID_TO,
	EVENT_ARGS_FROM,
	EVENT_ARGS_TO,
	EVENT_CORRELATION,
	EVENT_DEVICE,
	EVENT_CONTEXT,
	EVENT_STREAM,
	EVENT_BYTES,
	EVENT_GRAPH,
	EVENT_NODE,
	EVENT_GRID,
	EVENT_BLOCK = EVENT_GRID + 3,
	EVENT_CELLS = EVENT_BLOCK + 3,
};

/*
 * The events between `at` and `end` of `bytes`, with commas and white space between them, at most `rows`: cell c of
 * event r in cells[r * EVENT_CELLS + c]. Times are ns after `base_us` µs. Texts are numbers of a table that the caller keeps
 * as src-main/trace/event-json/text-table.ts: number n is text_bytes[text_starts[n] … text_starts[n + 1]], and `text_slots`
 * are 2^k slots of open addressing. It ends before the first event that is not whole, no JSON, has a text that is not in
 * the table, or a number that is none of plain figures. How many events there were.
 */
EXPORT int32_t events_scan(const uint8_t *bytes, int32_t at, int32_t end, double base_us,
			   const uint8_t *text_bytes, const uint32_t *text_starts,
			   const int32_t *text_slots, int32_t text_slot_count, double *cells,
			   int32_t rows);

#endif /* STALLTRACE_NATIVE_EVENTS_H */
