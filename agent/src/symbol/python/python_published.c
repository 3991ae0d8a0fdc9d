// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * _Py_DebugOffsets (Include/internal/pycore_debug_offsets.h): CPython's own table for tools like
 * this one. Its layout is fixed within a minor version only.
 */
#include "python_layout.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "python_memory.h"

#define PUBLISHED_WORDS 81
#define MAX_RUNTIME_SIZE (64u << 20)
#define MAX_THREAD_STATE_SIZE 8192u

enum field {
	RUNTIME_SIZE,
	RUNTIME_INTERPRETERS,
	INTERPRETER_SIZE,
	INTERPRETER_ID,
	INTERPRETER_NEXT,
	INTERPRETER_THREADS,
	TSTATE_SIZE,
	TSTATE_NEXT,
	TSTATE_INTERPRETER,
	TSTATE_FRAME,
	TSTATE_THREAD_ID,
	FRAME_SIZE,
	FRAME_PREVIOUS,
	FRAME_CODE,
	FRAME_INSTRUCTION,
	FRAME_OWNER,
	CODE_SIZE,
	CODE_FILENAME,
	CODE_NAME,
	CODE_LINE_TABLE,
	CODE_FIRST_LINE,
	CODE_INSTRUCTIONS,
	OBJECT_SIZE,
	OBJECT_TYPE,
	TYPE_SIZE,
	TYPE_NAME,
	BYTES_SIZE,
	BYTES_LENGTH,
	BYTES_DATA,
	TEXT_SIZE,
	TEXT_STATE,
	TEXT_LENGTH,
	TEXT_ASCII,
	FIELDS,
};

/* Which 64-bit word of the table holds it; word 0 is the cookie, 1 the version, 2 free_threaded. */
static const uint8_t words[][FIELDS] = {
	[13] =
		{
			[RUNTIME_SIZE] = 3,        [RUNTIME_INTERPRETERS] = 5,
			[INTERPRETER_SIZE] = 6,    [INTERPRETER_ID] = 7,
			[INTERPRETER_NEXT] = 8,    [INTERPRETER_THREADS] = 9,
			[TSTATE_SIZE] = 19,        [TSTATE_NEXT] = 21,
			[TSTATE_INTERPRETER] = 22, [TSTATE_FRAME] = 23,
			[TSTATE_THREAD_ID] = 24,   [FRAME_SIZE] = 28,
			[FRAME_PREVIOUS] = 29,     [FRAME_CODE] = 30,
			[FRAME_INSTRUCTION] = 31,  [FRAME_OWNER] = 33,
			[CODE_SIZE] = 34,          [CODE_FILENAME] = 35,
			[CODE_NAME] = 37,          [CODE_LINE_TABLE] = 38,
			[CODE_FIRST_LINE] = 39,    [CODE_INSTRUCTIONS] = 43,
			[OBJECT_SIZE] = 44,        [OBJECT_TYPE] = 45,
			[TYPE_SIZE] = 46,          [TYPE_NAME] = 47,
			[BYTES_SIZE] = 64,         [BYTES_LENGTH] = 65,
			[BYTES_DATA] = 66,         [TEXT_SIZE] = 67,
			[TEXT_STATE] = 68,         [TEXT_LENGTH] = 69,
			[TEXT_ASCII] = 70,
		},
	[14] =
		{
			[RUNTIME_SIZE] = 3,        [RUNTIME_INTERPRETERS] = 5,
			[INTERPRETER_SIZE] = 6,    [INTERPRETER_ID] = 7,
			[INTERPRETER_NEXT] = 8,    [INTERPRETER_THREADS] = 9,
			[TSTATE_SIZE] = 22,        [TSTATE_NEXT] = 24,
			[TSTATE_INTERPRETER] = 25, [TSTATE_FRAME] = 26,
			[TSTATE_THREAD_ID] = 27,   [FRAME_SIZE] = 31,
			[FRAME_PREVIOUS] = 32,     [FRAME_CODE] = 33,
			[FRAME_INSTRUCTION] = 34,  [FRAME_OWNER] = 36,
			[CODE_SIZE] = 39,          [CODE_FILENAME] = 40,
			[CODE_NAME] = 42,          [CODE_LINE_TABLE] = 43,
			[CODE_FIRST_LINE] = 44,    [CODE_INSTRUCTIONS] = 48,
			[OBJECT_SIZE] = 50,        [OBJECT_TYPE] = 51,
			[TYPE_SIZE] = 52,          [TYPE_NAME] = 53,
			[BYTES_SIZE] = 74,         [BYTES_LENGTH] = 75,
			[BYTES_DATA] = 76,         [TEXT_SIZE] = 77,
			[TEXT_STATE] = 78,         [TEXT_LENGTH] = 79,
			[TEXT_ASCII] = 80,
		},
};

/* A struct: which word is its size, which offsets lie in it, how large it may be. */
static const struct {
	enum field size, first, last;
	uint32_t max_size;
} structs[] = {
	{RUNTIME_SIZE, RUNTIME_INTERPRETERS, RUNTIME_INTERPRETERS, MAX_RUNTIME_SIZE},
	{INTERPRETER_SIZE, INTERPRETER_ID, INTERPRETER_THREADS, MAX_RUNTIME_SIZE},
	{TSTATE_SIZE, TSTATE_NEXT, TSTATE_THREAD_ID, MAX_THREAD_STATE_SIZE},
	{FRAME_SIZE, FRAME_PREVIOUS, FRAME_OWNER, PYTHON_OBJECT_SIZE},
	{CODE_SIZE, CODE_FILENAME, CODE_INSTRUCTIONS, PYTHON_OBJECT_SIZE},
	{OBJECT_SIZE, OBJECT_TYPE, OBJECT_TYPE, PYTHON_OBJECT_SIZE},
	{TYPE_SIZE, TYPE_NAME, TYPE_NAME, MAX_THREAD_STATE_SIZE},
	{BYTES_SIZE, BYTES_LENGTH, BYTES_DATA, PYTHON_OBJECT_SIZE},
	{TEXT_SIZE, TEXT_STATE, TEXT_ASCII, PYTHON_OBJECT_SIZE},
};

static bool offsets_lie_in_their_structs(const uint64_t value[FIELDS])
{
	for (size_t i = 0; i < sizeof(structs) / sizeof(structs[0]); i++) {
		uint64_t size = value[structs[i].size];

		if (size < sizeof(uint64_t) || size > structs[i].max_size)
			return false;
		for (int field = structs[i].first; field <= (int)structs[i].last; field++)
			if (value[field] >= size)
				return false;
	}
	return true;
}

static void fill_layout(const uint64_t value[FIELDS], unsigned int minor, struct python_layout *out)
{
	*out = (struct python_layout){
		.line_table = PYTHON_LOCATION_TABLE,
		.runtime_interpreters = value[RUNTIME_INTERPRETERS],
		.interpreter_next = value[INTERPRETER_NEXT],
		.interpreter_id = value[INTERPRETER_ID],
		.interpreter_threads = value[INTERPRETER_THREADS],
		.tstate_interpreter = value[TSTATE_INTERPRETER],
		.code_filename = value[CODE_FILENAME],
		.code_name = value[CODE_NAME],
		.code_first_line = value[CODE_FIRST_LINE],
		.code_line_table = value[CODE_LINE_TABLE],
		.object_type = value[OBJECT_TYPE],
		.object_size = value[BYTES_LENGTH],
		.type_name = value[TYPE_NAME],
		.bytes_data = value[BYTES_DATA],
		.text_length = value[TEXT_LENGTH],
		.text_state = value[TEXT_STATE],
		.text_ascii = value[TEXT_ASCII],
		/* PyUnicodeObject is a PyCompactUnicodeObject and a pointer. */
		.text_compact = value[TEXT_SIZE] - sizeof(uint64_t),
		.walk =
			{
				/* 3.14 keeps the reference's tag in the two lowest bits (Py_TAG_BITS). */
				.code_mask = minor >= 14 ? ~3ULL : ~0ULL,
				.source = PYTHON_CURRENT_FRAME,
				.tstate_next = value[TSTATE_NEXT],
				.tstate_thread_id = value[TSTATE_THREAD_ID],
				.tstate_frame = value[TSTATE_FRAME],
				.frame_previous = value[FRAME_PREVIOUS],
				.frame_code = value[FRAME_CODE],
				.frame_instruction = value[FRAME_INSTRUCTION],
				.frame_owner = value[FRAME_OWNER],
				/* FRAME_OWNED_BY_CSTACK in 3.13; in 3.14 _INTERPRETER and _CSTACK */
				.owner_skip = 3,
				.code_instructions = value[CODE_INSTRUCTIONS],
			},
	};
}

int python_published_layout(pid_t pid, uint64_t runtime, unsigned int minor,
			    struct python_layout *out, char *detail, size_t detail_size)
{
	uint64_t table[PUBLISHED_WORDS], value[FIELDS];
	int error;

	if (minor < 13 || minor >= sizeof(words) / sizeof(words[0])) {
		snprintf(detail, detail_size, "the layout of its offsets is not known");
		return -ENOTSUP;
	}
	error = memory_read(pid, runtime, table, sizeof(table));
	if (error)
		return error;
	if (memcmp(table, "xdebugpy", 8) || table[1] >> 16 != (3u << 8 | minor)) {
		snprintf(detail, detail_size, "it does not publish its offsets");
		return -ENOTSUP;
	}
	if (table[2]) {
		snprintf(detail, detail_size, "it is a free-threaded build");
		return -ENOTSUP;
	}
	for (int field = 0; field < FIELDS; field++)
		value[field] = table[words[minor][field]];
	if (!offsets_lie_in_their_structs(value)) {
		snprintf(detail, detail_size, "the offsets it publishes make no sense");
		return -ENOTSUP;
	}
	fill_layout(value, minor, out);
	return 0;
}
