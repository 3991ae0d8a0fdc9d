// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "events.h"
#include <math.h>
#include <stdbool.h>
#include <string.h>

/* As in src-main/trace/event-json: the longest event, the bytes of a text that are looked at, the longest search for one. */
#define MAX_EVENT_BYTES (1 << 22)
#define MAX_TEXT_BYTES 4096
#define MAX_PROBES 512
/* A process or thread that is not said, and the number from which on they are texts. */
#define NO_TASK 17179869184.0
#define TEXT_TASK 8589934592.0
#define MAX_U32 4294967295.0
#define MAX_I32 2147483647.0
#define MAX_SAFE 9007199254740991.0
/* So many figures are an exact float, whatever they are. */
#define EXACT_FIGURES 15

/* Where nothing could be read: the caller's JavaScript finds out why. */
#define STOP -1

struct scan {
	const uint8_t *bytes;
	double base_us;
	const uint8_t *text_bytes;
	const uint32_t *text_starts;
	const int32_t *text_slots;
	uint32_t text_mask;
};

static int32_t skip_space(const uint8_t *bytes, int32_t at, int32_t end)
{
	while (at < end && bytes[at] <= ' ')
		at++;
	return at;
}

/* Behind the string whose quote stands before `at`. */
static int32_t skip_string(const uint8_t *bytes, int32_t at, int32_t end)
{
	for (; at < end; at++) {
		uint8_t byte = bytes[at];

		if (byte == '"')
			return at + 1;
		if (byte == '\\')
			at++;
		else if (byte < ' ')
			return STOP;
	}
	return STOP;
}

static int32_t skip_nested(const uint8_t *bytes, int32_t at, int32_t end)
{
	int32_t depth = 0;

	while (at < end) {
		uint8_t byte = bytes[at++];

		if (byte == '"') {
			at = skip_string(bytes, at, end);
			if (at < 0)
				return STOP;
		} else if (byte == '{' || byte == '[') {
			depth++;
		} else if ((byte == '}' || byte == ']') && --depth == 0) {
			return at;
		}
	}
	return STOP;
}

static int32_t skip_word(const uint8_t *bytes, int32_t at, int32_t end)
{
	for (int32_t next = at; next < end; next++) {
		uint8_t byte = bytes[next];

		if (byte > ' ' && byte != ',' && byte != '}' && byte != ']')
			continue;
		return next == at ? STOP : next;
	}
	return STOP;
}

static int32_t skip_value(const uint8_t *bytes, int32_t at, int32_t end)
{
	if (at >= end)
		return STOP;
	if (bytes[at] == '"')
		return skip_string(bytes, at + 1, end);
	if (bytes[at] == '{' || bytes[at] == '[')
		return skip_nested(bytes, at, end);
	return skip_word(bytes, at, end);
}

static bool is_figure(uint8_t byte)
{
	return byte >= '0' && byte <= '9';
}

/* An integer of plain figures, also one in quotes or less than 0. */
static bool integer_at(const uint8_t *bytes, int32_t from, int32_t to, double *value)
{
	bool is_negative;
	int64_t sum = 0;

	if (from < to && bytes[from] == '"') {
		from++;
		to--;
	}
	is_negative = from < to && bytes[from] == '-';
	from += is_negative;
	if (from >= to || to - from > EXACT_FIGURES)
		return false;
	for (; from < to; from++) {
		if (!is_figure(bytes[from]))
			return false;
		sum = sum * 10 + (bytes[from] - '0');
	}
	/* -0 is no integer of C's. */
	if (is_negative && sum == 0)
		return false;
	*value = (double)(is_negative ? -sum : sum);
	return true;
}

/* ns of the figures behind the point; the fourth is rounded away. */
static int32_t fraction_ns(const uint8_t *bytes, int32_t from, int32_t to)
{
	int32_t tenths = 0;

	for (int32_t place = 0; place < 4; place++) {
		uint8_t byte = from + place < to ? bytes[from + place] : '0';

		if (!is_figure(byte))
			return STOP;
		tenths = tenths * 10 + (byte - '0');
	}
	for (int32_t rest = from + 4; rest < to; rest++)
		if (!is_figure(bytes[rest]))
			return STOP;
	return (tenths + 5) / 10;
}

/* As nsAfter of micros.ts: the figures before and behind the point apart. Compiled so that no product is fused with a sum. */
static bool ns_after(const uint8_t *bytes, int32_t from, int32_t to, double base_us, double *ns)
{
	int32_t nanos = 0, first;
	double whole = 0;
	bool is_negative;

	if (bytes[from] == '"') {
		from++;
		to--;
	}
	is_negative = from < to && bytes[from] == '-';
	from += is_negative;
	for (first = from; from < to && bytes[from] != '.'; from++) {
		if (!is_figure(bytes[from]) || from - first > EXACT_FIGURES)
			return false;
		whole = whole * 10 + (bytes[from] - '0');
	}
	if (from == first)
		return false;
	if (from < to)
		nanos = fraction_ns(bytes, from + 1, to);
	if (nanos < 0)
		return false;
	*ns = is_negative ? (-whole - base_us) * 1000 - nanos : (whole - base_us) * 1000 + nanos;
	return true;
}

static uint32_t hash_of(const uint8_t *bytes, int32_t length)
{
	uint32_t hash = 0x811c9dc5;

	for (int32_t at = 0; at < length; at++)
		hash = (hash ^ bytes[at]) * 0x01000193;
	return hash ^ (hash >> 15);
}

/* The number of a text that is known already. */
static int32_t known_text(const struct scan *scan, int32_t from, int32_t to)
{
	int32_t length = to - from > MAX_TEXT_BYTES ? MAX_TEXT_BYTES : to - from;
	const uint8_t *text = scan->bytes + from;
	uint32_t slot = hash_of(text, length) & scan->text_mask;

	for (uint32_t probe = 0; probe < MAX_PROBES && probe <= scan->text_mask; probe++) {
		int32_t number = scan->text_slots[slot] - 1;
		uint32_t start;

		if (number < 0)
			return STOP;
		start = scan->text_starts[number];
		if (scan->text_starts[number + 1] - start == (uint32_t)length &&
		    memcmp(scan->text_bytes + start, text, (size_t)length) == 0)
			return number;
		slot = (slot + 1) & scan->text_mask;
	}
	return STOP;
}

/* Also of what is no text but a number. */
static int32_t text_at(const struct scan *scan, int32_t from, int32_t to)
{
	return scan->bytes[from] == '"' ? known_text(scan, from + 1, to - 1) :
					  known_text(scan, from, to);
}

static bool is_letter(uint8_t byte)
{
	return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
}

/* A number of the system; what begins with a letter is none in any notation, and a text. */
static bool task_at(const struct scan *scan, int32_t from, int32_t to, double *task)
{
	const uint8_t *bytes = scan->bytes;
	int32_t text;

	if (integer_at(bytes, from, to, task))
		return fabs(*task) <= MAX_U32;
	if (bytes[from] != '"' || to - from < 3 || !is_letter(bytes[from + 1]))
		return false;
	text = known_text(scan, from + 1, to - 1);
	*task = TEXT_TASK + text;
	return text >= 0;
}

/* False where it is no plain integer; one that is out of bounds says nothing. */
static bool set_number(const uint8_t *bytes, int32_t from, int32_t to, double most,
		       double otherwise, double *cell)
{
	double value;

	if (!integer_at(bytes, from, to, &value))
		return false;
	*cell = value >= 0 && value <= most ? value : otherwise;
	return true;
}

static bool set_shape(const uint8_t *bytes, int32_t from, int32_t to, double *cells)
{
	int32_t next, behind;

	if (bytes[from] != '[')
		return true;
	next = skip_space(bytes, from + 1, to);
	for (int32_t place = 0; next < to && bytes[next] != ']'; place++) {
		behind = skip_value(bytes, next, to);
		if (behind < 0)
			return true;
		if (place < 3 && !set_number(bytes, next, behind, MAX_I32, -1, cells + place))
			return false;
		next = skip_space(bytes, behind, to);
		if (next < to && bytes[next] == ',')
			next = skip_space(bytes, next + 1, to);
	}
	return true;
}

struct argument {
	const char *name;
	enum event_cell cell;
	double most, otherwise;
};

/* Which number an argument is by its length; none of the same length begin alike. */
static const struct argument *number_called(const uint8_t *key, int32_t length)
{
	static const struct argument numbers[] = {
		{"bytes", EVENT_BYTES, MAX_SAFE, -1},
		{"Bytes", EVENT_BYTES, MAX_SAFE, -1},
		{"device", EVENT_DEVICE, MAX_I32, -1},
		{"stream", EVENT_STREAM, MAX_I32, -1},
		{"context", EVENT_CONTEXT, MAX_I32, -1},
		{"graph id", EVENT_GRAPH, MAX_U32, 0},
		{"correlation", EVENT_CORRELATION, MAX_U32, 0},
		{"graph node id", EVENT_NODE, MAX_SAFE, -1},
	};
	static const uint8_t lengths[] = {5, 5, 6, 6, 7, 8, 11, 13};

	for (size_t i = 0; i < sizeof(lengths); i++)
		if (lengths[i] == length && numbers[i].name[0] == (char)key[0] &&
		    memcmp(key, numbers[i].name, (size_t)length) == 0)
			return &numbers[i];
	return NULL;
}

static bool set_argument(const uint8_t *bytes, int32_t key_from, int32_t key_to, int32_t from,
			 int32_t to, double *cells)
{
	const uint8_t *key = bytes + key_from;
	int32_t length = key_to - key_from;
	const struct argument *number = number_called(key, length);

	if (number)
		return set_number(bytes, from, to, number->most, number->otherwise,
				  cells + number->cell);
	if (length == 4 && memcmp(key, "grid", 4) == 0)
		return set_shape(bytes, from, to, cells + EVENT_GRID);
	if (length == 5 && memcmp(key, "block", 5) == 0)
		return set_shape(bytes, from, to, cells + EVENT_BLOCK);
	return true;
}

static bool is_plain_word(const uint8_t *bytes, int32_t from, int32_t to)
{
	for (; from < to; from++)
		if (bytes[from] == '"' || bytes[from] == '{' || bytes[from] == '[')
			return false;
	return true;
}

/* Where the value of a key begins whose string ends before `key_end`; STOP where it has none. */
static int32_t value_of_key(const uint8_t *bytes, int32_t key_end, int32_t end)
{
	int32_t colon = key_end < 0 ? end : skip_space(bytes, key_end, end);

	return colon < end && bytes[colon] == ':' ? skip_space(bytes, colon + 1, end) : STOP;
}

/*
 * Behind the arguments whose brace stands at `at`, which are read on the way. Where they are anything but keys and values
 * that go on to their brace, they may end elsewhere for whoever only counts braces: that is left to JavaScript.
 */
static int32_t read_arguments(const uint8_t *bytes, int32_t at, int32_t end, double *cells)
{
	int32_t next = skip_space(bytes, at + 1, end);

	while (next < end && bytes[next] == '"') {
		int32_t key = next + 1, key_end = skip_string(bytes, key, end);
		int32_t value = value_of_key(bytes, key_end, end), behind;

		if (value < 0)
			return STOP;
		behind = skip_value(bytes, value, end);
		if (behind < 0)
			return STOP;
		if (bytes[value] != '"' && bytes[value] != '{' && bytes[value] != '[' &&
		    !is_plain_word(bytes, value, behind))
			return STOP;
		if (!set_argument(bytes, key, key_end - 1, value, behind, cells))
			return STOP;
		next = skip_space(bytes, behind, end);
		if (next >= end || bytes[next] != ',')
			break;
		next = skip_space(bytes, next + 1, end);
		/* A comma too many. */
		if (next >= end || bytes[next] != '"')
			return STOP;
	}
	return next < end && bytes[next] == '}' ? next + 1 : STOP;
}

/* A key is told by its length, first and last letter, as in JavaScript. */
static bool has_ends(const uint8_t *key, int32_t length, const char *name)
{
	size_t last = strlen(name) - 1;

	return (size_t)length == last + 1 && key[0] == name[0] && key[last] == name[last];
}

static bool set_text(const struct scan *scan, int32_t from, int32_t to, double *cell)
{
	int32_t text = text_at(scan, from, to);

	*cell = text;
	return text >= 0;
}

static bool set_field(const struct scan *scan, int32_t key_from, int32_t key_to, int32_t from,
		      int32_t to, double *cells)
{
	const uint8_t *bytes = scan->bytes, *key = bytes + key_from;
	int32_t length = key_to - key_from;

	if (has_ends(key, length, "ph")) {
		cells[EVENT_PHASE] = bytes[from] == '"' && to - from == 3 ? bytes[from + 1] : 0;
		return true;
	}
	if (has_ends(key, length, "ts"))
		return ns_after(bytes, from, to, scan->base_us, cells + EVENT_START_NS);
	if (has_ends(key, length, "id")) {
		cells[EVENT_ID_FROM] = from;
		cells[EVENT_ID_TO] = to;
		return true;
	}
	if (has_ends(key, length, "dur"))
		return ns_after(bytes, from, to, 0, cells + EVENT_DURATION_NS);
	if (has_ends(key, length, "cat"))
		return set_text(scan, from, to, cells + EVENT_CATEGORY);
	if (has_ends(key, length, "name"))
		return set_text(scan, from, to, cells + EVENT_NAME);
	if (has_ends(key, length, "pid"))
		return task_at(scan, from, to, cells + EVENT_PROCESS);
	if (has_ends(key, length, "tid"))
		return task_at(scan, from, to, cells + EVENT_THREAD);
	return true;
}

static void clear_cells(double *cells)
{
	static const double none[EVENT_CELLS] = {
		[EVENT_CATEGORY] = -1,    [EVENT_NAME] = -1,      [EVENT_PROCESS] = NO_TASK,
		[EVENT_THREAD] = NO_TASK, [EVENT_START_NS] = NAN, [EVENT_DURATION_NS] = NAN,
		[EVENT_DEVICE] = -1,      [EVENT_CONTEXT] = -1,   [EVENT_STREAM] = -1,
		[EVENT_BYTES] = -1,       [EVENT_NODE] = -1,      [EVENT_GRID] = -1,
		[EVENT_GRID + 1] = -1,    [EVENT_GRID + 2] = -1,  [EVENT_BLOCK] = -1,
		[EVENT_BLOCK + 1] = -1,   [EVENT_BLOCK + 2] = -1,
	};

	memcpy(cells, none, sizeof(none));
}

/* Behind the event whose brace stands at `at`. */
static int32_t read_event(const struct scan *scan, int32_t at, int32_t end, double *cells)
{
	const uint8_t *bytes = scan->bytes;
	int32_t next = skip_space(bytes, at + 1, end);

	clear_cells(cells);
	for (;;) {
		int32_t key, key_end, value, value_end;

		if (next >= end)
			return STOP;
		if (bytes[next] == '}')
			break;
		if (bytes[next] != '"')
			return STOP;
		key = next + 1;
		key_end = skip_string(bytes, key, end);
		value = value_of_key(bytes, key_end, end);
		if (value < 0)
			return STOP;
		if (has_ends(bytes + key, key_end - 1 - key, "args")) {
			/* Those of a key that is there twice would be mixed up. */
			if (cells[EVENT_ARGS_TO] > 0 || value >= end || bytes[value] != '{')
				return STOP;
			value_end = read_arguments(bytes, value, end, cells);
			cells[EVENT_ARGS_FROM] = value;
			cells[EVENT_ARGS_TO] = value_end;
		} else {
			value_end = skip_value(bytes, value, end);
		}
		if (value_end < 0 || !set_field(scan, key, key_end - 1, value, value_end, cells))
			return STOP;
		next = skip_space(bytes, value_end, end);
		if (next < end && bytes[next] == ',')
			next = skip_space(bytes, next + 1, end);
		else if (next >= end || bytes[next] != '}')
			return STOP;
	}
	cells[EVENT_BEHIND] = next + 1;
	return next + 1;
}

int32_t events_scan(const uint8_t *bytes, int32_t at, int32_t end, double base_us,
		    const uint8_t *text_bytes, const uint32_t *text_starts,
		    const int32_t *text_slots, int32_t text_slot_count, double *cells, int32_t rows)
{
	const struct scan scan = {
		.bytes = bytes,
		.base_us = base_us,
		.text_bytes = text_bytes,
		.text_starts = text_starts,
		.text_slots = text_slots,
		.text_mask = (uint32_t)text_slot_count - 1,
	};
	int32_t count = 0;

	while (count < rows) {
		int32_t last, behind;

		at = skip_space(bytes, at, end);
		if (at < end && bytes[at] == ',') {
			at++;
			continue;
		}
		if (at >= end || bytes[at] != '{')
			break;
		last = end - at > MAX_EVENT_BYTES ? at + MAX_EVENT_BYTES : end;
		behind = read_event(&scan, at, last, cells + (int64_t)count * EVENT_CELLS);
		if (behind < 0)
			break;
		at = behind;
		count++;
	}
	return count;
}
