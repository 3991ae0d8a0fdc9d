// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* A line of /proc/PID/maps, names to cut and a kallsyms file: any bytes, no overrun. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../src/symbol/kallsyms.h"
#include "../src/symbol/maps_parser.h"
#include "../src/symbol/symbols.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void parse_as_maps(const uint8_t *data, size_t size)
{
	static struct maps_line line;
	/* Of just this size, so that a read beyond it is seen. */
	char *copy = malloc(size ? size : 1);

	if (!copy)
		return;
	memcpy(copy, data, size);
	if (maps_parse_line(copy, size, &line) == 0 &&
	    (line.end <= line.start || strlen(line.path) >= sizeof(line.path)))
		abort();
	free(copy);
}

static void cut_as_name(const uint8_t *data, size_t size)
{
	char *name = malloc(size + 1);

	if (!name)
		return;
	memcpy(name, data, size);
	name[size] = '\0';
	symbol_cut_name(name, 8);
	if (strlen(name) > 8)
		abort();
	free(name);
}

static void read_as_kallsyms(const uint8_t *data, size_t size)
{
	FILE *file = size ? fmemopen((void *)data, size, "r") : NULL;
	struct kallsyms *kallsyms;
	char name[64];
	uint64_t begin;

	if (!file)
		return;
	if (kallsyms_read(file, &kallsyms) == 0) {
		kallsyms_find(kallsyms, 0, name, sizeof(name), &begin);
		kallsyms_find(kallsyms, UINT64_MAX, name, sizeof(name), &begin);
		kallsyms_free(kallsyms);
	}
	fclose(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	parse_as_maps(data, size);
	cut_as_name(data, size);
	read_as_kallsyms(data, size);
	return 0;
}
