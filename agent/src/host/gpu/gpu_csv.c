// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "gpu_csv.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MAX_VALUE 128

enum value_kind { VALUE_NUMBER, VALUE_TIME, VALUE_TEXT, VALUE_BITS };

/* Names of `nvidia-smi --help-query-gpu`. The last one is called clocks_event_reasons since 535. */
static const struct {
	const char *query;
	enum value_kind kind;
} fields[GPU_FIELDS] = {
	[GPU_TIME] = {"timestamp", VALUE_TIME},
	[GPU_INDEX] = {"index", VALUE_NUMBER},
	[GPU_MODEL] = {"name", VALUE_TEXT},
	[GPU_DRIVER] = {"driver_version", VALUE_TEXT},
	[GPU_PCI_BUS_ID] = {"pci.bus_id", VALUE_TEXT},
	[GPU_MEMORY_TOTAL] = {"memory.total", VALUE_NUMBER},
	[GPU_USE] = {"utilization.gpu", VALUE_NUMBER},
	[GPU_MEMORY_USE] = {"utilization.memory", VALUE_NUMBER},
	[GPU_MEMORY_USED] = {"memory.used", VALUE_NUMBER},
	[GPU_POWER] = {"power.draw", VALUE_NUMBER},
	[GPU_TEMPERATURE] = {"temperature.gpu", VALUE_NUMBER},
	[GPU_SM_CLOCK] = {"clocks.sm", VALUE_NUMBER},
	[GPU_MEMORY_CLOCK] = {"clocks.mem", VALUE_NUMBER},
	[GPU_PCIE_GENERATION] = {"pcie.link.gen.current", VALUE_NUMBER},
	[GPU_PCIE_LANES] = {"pcie.link.width.current", VALUE_NUMBER},
	[GPU_CLOCK_LIMITS] = {"clocks_throttle_reasons.active", VALUE_BITS},
};

void gpu_query(unsigned int count, char *out, size_t size)
{
	size_t length = 0;

	out[0] = '\0';
	for (unsigned int field = 0; field < count && length < size; field++)
		length += (size_t)snprintf(out + length, size - length, "%s%s", field ? "," : "",
					   fields[field].query);
}

/* "2026/11/21 23:59:40.123", in UTC because we set its TZ. NAN where it is none. */
static double parse_time(const char *text)
{
	unsigned int year, month, day, hour, minute, second, milliseconds = 0;
	struct tm moment = {0};
	int read = -1;

	if (sscanf(text, "%4u/%2u/%2u %2u:%2u:%2u.%3u%n", &year, &month, &day, &hour, &minute,
		   &second, &milliseconds, &read) < 6)
		return NAN;
	if ((read < 0 && strchr(text, '.')) || (read >= 0 && text[read] != '\0'))
		return NAN;
	if (year < 1970 || month < 1 || month > 12 || day < 1 || day > 31 || hour > 23 ||
	    minute > 59 || second > 60)
		return NAN;
	moment.tm_year = (int)year - 1900;
	moment.tm_mon = (int)month - 1;
	moment.tm_mday = (int)day;
	moment.tm_hour = (int)hour;
	moment.tm_min = (int)minute;
	moment.tm_sec = (int)second;
	return (double)timegm(&moment) + milliseconds / 1e3;
}

/* NAN for "[N/A]", "[Not Supported]", "[Unknown Error]" and all that is more than a number. */
static double parse_number(const char *text)
{
	char *end;
	double value;

	/* strtod reads inf, nan and 0x1p3, too. */
	if (strspn(text, "+-.0123456789eE") != strlen(text))
		return NAN;
	value = strtod(text, &end);
	return end != text && *end == '\0' && isfinite(value) ? value : NAN;
}

static double parse_bits(const char *text)
{
	char *end;
	double value;

	if (strncmp(text, "0x", 2) != 0 || !isxdigit((unsigned char)text[2]))
		return NAN;
	value = (double)strtoull(text, &end, 16);
	/* Beyond 2^53 a double has not every bit. */
	return *end == '\0' && value <= 9007199254740992.0 ? value : NAN;
}

static double parse_value(enum value_kind kind, const char *text)
{
	switch (kind) {
	case VALUE_NUMBER:
		return parse_number(text);
	case VALUE_TIME:
		return parse_time(text);
	case VALUE_BITS:
		return parse_bits(text);
	default:
		return NAN;
	}
}

/* Copies the value up to the next comma without blanks around it. The rest, or NULL at the end. */
static const char *next_value(const char *line, char out[MAX_VALUE], bool *fits)
{
	size_t length = strcspn(line, ",\r\n");
	const char *rest = line[length] == ',' ? line + length + 1 : NULL;

	while (length > 0 && isblank((unsigned char)*line)) {
		line++;
		length--;
	}
	while (length > 0 && isblank((unsigned char)line[length - 1]))
		length--;
	*fits = length < MAX_VALUE;
	if (!*fits)
		length = 0;
	memcpy(out, line, length);
	out[length] = '\0';
	return rest;
}

static void keep_text(struct gpu_line *line, unsigned int field, const char *text)
{
	/* "[N/A]" and its like. */
	if (text[0] == '[')
		text = "";
	if (field == GPU_MODEL)
		snprintf(line->model, sizeof(line->model), "%s", text);
	else if (field == GPU_DRIVER)
		snprintf(line->driver, sizeof(line->driver), "%.63s", text);
	else
		snprintf(line->pci_bus_id, sizeof(line->pci_bus_id), "%.63s", text);
}

int gpu_parse_line(const char *line, unsigned int count, struct gpu_line *out)
{
	unsigned int field = 0;
	double index;

	memset(out, 0, sizeof(*out));
	for (unsigned int each = 0; each < GPU_FIELDS; each++)
		out->values[each] = NAN;
	for (; line; field++) {
		char value[MAX_VALUE];
		bool fits;

		if (field == count)
			return -EINVAL;
		line = next_value(line, value, &fits);
		if (!fits)
			return -EINVAL;
		out->values[field] = parse_value(fields[field].kind, value);
		if (fields[field].kind == VALUE_TEXT)
			keep_text(out, field, value);
	}
	index = out->values[GPU_INDEX];
	/* Everything else hangs on the GPU's number. */
	if (field != count || !(index >= 0 && index <= GPU_MAX_INDEX) || index != floor(index))
		return -EINVAL;
	return 0;
}
