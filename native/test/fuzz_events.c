// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Any bytes as events, with a table of a few texts. */
#include <stdlib.h>
#include <string.h>
#include "events.h"

#define ROWS 16
#define SLOTS 8

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint8_t texts[] = {'a'};
	static const uint32_t starts[] = {0, 1};
	/* Every slot is the text of "a": whichever is asked for is looked at. */
	static const int32_t slots[SLOTS] = {1, 1, 1, 1, 1, 1, 1, 1};
	/* Of their sizes exactly, so that what is read or written beyond them is seen. */
	uint8_t *bytes = malloc(size > 0 ? size : 1);
	double *cells = malloc(sizeof(*cells) * ROWS * EVENT_CELLS);

	if (bytes && cells) {
		int32_t at = 0, count;

		memcpy(bytes, data, size);
		do {
			count = events_scan(bytes, at, (int32_t)size, 1e15, texts, starts, slots,
					    SLOTS, cells, ROWS);
			if (count > 0)
				at = (int32_t)cells[(count - 1) * EVENT_CELLS + EVENT_BEHIND];
			if (count < 0 || count > ROWS || at > (int32_t)size)
				abort();
		} while (count == ROWS);
	}
	free(bytes);
	free(cells);
	return 0;
}
