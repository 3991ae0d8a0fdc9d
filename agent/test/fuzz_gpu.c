// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Any bytes as a line of nvidia-smi: no overrun, and values that can be written as they are. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "../src/host/gpu/gpu_csv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct gpu_line *line, unsigned int fields)
{
	double index = line->values[GPU_INDEX];

	if (!(index >= 0 && index <= GPU_MAX_INDEX) || index != floor(index))
		abort();
	for (unsigned int field = 0; field < GPU_FIELDS; field++)
		if (isinf(line->values[field]) || (field >= fields && !isnan(line->values[field])))
			abort();
	if (strlen(line->model) >= sizeof(line->model) ||
	    strlen(line->driver) >= sizeof(line->driver))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	struct gpu_line line;

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	if (gpu_parse_line(text, GPU_FIELDS, &line) == 0)
		check(&line, GPU_FIELDS);
	if (gpu_parse_line(text, GPU_BASIC_FIELDS, &line) == 0)
		check(&line, GPU_BASIC_FIELDS);
	free(text);
	return 0;
}
