/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* A line table of another process, and characters of one of its strings. */
#include <stdlib.h>
#include <string.h>
#include "../src/symbol/python/python_lines.h"
#include "../src/symbol/python/python_objects.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const unsigned int widths[] = {1, 2, 4};
	uint8_t header[9];
	int32_t first_line;
	int32_t instruction;
	char text[64];

	if (size < sizeof(header))
		return 0;
	memcpy(header, data, sizeof(header));
	memcpy(&first_line, header + 1, sizeof(first_line));
	memcpy(&instruction, header + 5, sizeof(instruction));
	data += sizeof(header);
	size -= sizeof(header);
	for (int kind = PYTHON_LNOTAB; kind <= PYTHON_LOCATION_TABLE; kind++)
		if (python_line_at(kind, data, size, first_line, instruction) < -1)
			abort();
	for (int i = 0; i < 3; i++)
		if (python_encode_text(data, size / widths[i], widths[i], text,
				       1 + header[0] % sizeof(text)) >= sizeof(text))
			abort();
	return 0;
}
