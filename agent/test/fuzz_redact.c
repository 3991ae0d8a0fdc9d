// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Any bytes as an argument vector: no overrun, no endless loop. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "../src/host/proc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t length = size < 65536 ? size : 65536, capacity = 2 * length + 16;
	char *text = malloc(capacity);

	if (!text)
		return 0;
	memcpy(text, data, length);
	if (redact_arguments(text, &length, capacity) < 0 || length > capacity)
		abort();
	free(text);
	return 0;
}
