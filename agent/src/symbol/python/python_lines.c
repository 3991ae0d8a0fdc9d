// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "python_lines.h"

#include <limits.h>

/* Sums of hostile increments may leave the range of int; such a line is no line. */
static int checked_line(int64_t line)
{
	return line >= 0 && line <= INT_MAX ? (int)line : -1;
}

/* Pairs of unsigned address and signed line increments; the last entry goes on to the end. */
static int line_in_lnotab(const uint8_t *table, size_t size, int64_t line, int64_t instruction)
{
	int64_t address = 0;

	for (size_t i = 0; i + 1 < size; i += 2) {
		address += table[i];
		if (address > instruction)
			break;
		line += (int8_t)table[i + 1];
	}
	return checked_line(line);
}

/* Pairs of a range's size and its line's increment, −128 for a range without a line. */
static int line_in_ranges(const uint8_t *table, size_t size, int64_t line, int64_t instruction)
{
	int64_t end = 0;

	for (size_t i = 0; i + 1 < size; i += 2) {
		int8_t increment = (int8_t)table[i + 1];

		end += table[i];
		if (increment != INT8_MIN)
			line += increment;
		if (instruction < end)
			return increment == INT8_MIN ? -1 : checked_line(line);
	}
	return -1;
}

/* Six bits a byte, least significant first, bit 6 set where more follow; bit 0 is the sign. */
static int64_t read_signed_varint(const uint8_t *table, size_t size, size_t *position)
{
	uint64_t value = 0;
	unsigned int shift = 0;

	while (*position < size) {
		uint8_t byte = table[(*position)++];

		if (shift < 32)
			value |= (uint64_t)(byte & 63) << shift;
		shift += 6;
		if (!(byte & 64))
			break;
	}
	return value & 1 ? -(int64_t)(value >> 1) : (int64_t)(value >> 1);
}

enum {
	LOCATION_ONE_LINE = 10, /* 10 to 12: increment 0 to 2 and columns; below: no increment */
	LOCATION_NO_COLUMNS = 13,
	LOCATION_LONG = 14,
	LOCATION_NONE = 15,
};

/*
 * An entry begins with the only byte that has bit 7 set: its kind in bits 3 to 6, its number of
 * two-byte code units, less one, in bits 0 to 2.
 */
static int line_in_locations(const uint8_t *table, size_t size, int64_t line, int64_t instruction)
{
	int64_t end = 0;
	size_t position = 0;

	while (position < size) {
		uint8_t first = table[position++];
		unsigned int kind = first >> 3 & 15;

		end += 2 * ((first & 7) + 1);
		if (kind == LOCATION_LONG || kind == LOCATION_NO_COLUMNS)
			line += read_signed_varint(table, size, &position);
		else if (kind >= LOCATION_ONE_LINE && kind != LOCATION_NONE)
			line += kind - LOCATION_ONE_LINE;
		if (instruction < end)
			return kind == LOCATION_NONE ? -1 : checked_line(line);
		while (position < size && !(table[position] & 128))
			position++;
	}
	return -1;
}

int python_line_at(enum python_line_table kind, const uint8_t *table, size_t size, int first_line,
		   int64_t instruction)
{
	if (instruction < 0)
		return -1;
	switch (kind) {
	case PYTHON_LNOTAB:
		return line_in_lnotab(table, size, first_line, instruction);
	case PYTHON_LINE_RANGES:
		return line_in_ranges(table, size, first_line, instruction);
	case PYTHON_LOCATION_TABLE:
		return line_in_locations(table, size, first_line, instruction);
	}
	return -1;
}
