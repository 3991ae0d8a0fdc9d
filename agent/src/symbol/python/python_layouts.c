// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Offsets of 64-bit release builds, from each version's own headers; they have not moved within a
 * minor version. python_prove_layout has the last word.
 */
#include "python_layout.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "python_memory.h"

#define NO_OWNER 0
#define OBJECTS                                                                                    \
	.object_type = 8, .object_size = 16, .type_name = 24, .bytes_data = 32, .text_length = 16, \
	.text_state = 32

#define FRAME_OBJECT_CODE                                                                      \
	.code_filename = 104, .code_name = 112, .code_first_line = 40, .code_line_table = 120, \
	.code_bytes = 48
#define FRAME_OBJECT_WALK(last_instruction, scale)                                   \
	{                                                                            \
		.code_mask = ~0ULL, .source = PYTHON_FRAME_OBJECT, .tstate_next = 8, \
		.tstate_thread_id = 176, .tstate_frame = 24, .frame_previous = 24,   \
		.frame_code = 32, .frame_instruction = (last_instruction),           \
		.frame_owner = NO_OWNER, .instruction_scale = (scale),               \
	}

static const struct python_layout layouts[] = {
	[8] =
		{
			.line_table = PYTHON_LNOTAB,
			.runtime_interpreters = 32,
			.interpreter_id = 16,
			.interpreter_threads = 8,
			.tstate_interpreter = 16,
			FRAME_OBJECT_CODE,
			OBJECTS,
			.text_ascii = 48,
			.text_compact = 72,
			.walk = FRAME_OBJECT_WALK(104, 1),
		},
	[9] =
		{
			.line_table = PYTHON_LNOTAB,
			.runtime_interpreters = 32,
			.interpreter_id = 24,
			.interpreter_threads = 8,
			.tstate_interpreter = 16,
			FRAME_OBJECT_CODE,
			OBJECTS,
			.text_ascii = 48,
			.text_compact = 72,
			.walk = FRAME_OBJECT_WALK(104, 1),
		},
	[10] =
		{
			.line_table = PYTHON_LINE_RANGES,
			.runtime_interpreters = 32,
			.interpreter_id = 24,
			.interpreter_threads = 8,
			.tstate_interpreter = 16,
			FRAME_OBJECT_CODE,
			OBJECTS,
			.text_ascii = 48,
			.text_compact = 72,
			.walk = FRAME_OBJECT_WALK(96, 2),
		},
	[11] =
		{
			.line_table = PYTHON_LOCATION_TABLE,
			.runtime_interpreters = 40,
			.interpreter_id = 48,
			.interpreter_threads = 16,
			.tstate_interpreter = 16,
			.code_filename = 112,
			.code_name = 128,
			.code_first_line = 72,
			.code_line_table = 136,
			OBJECTS,
			.text_ascii = 48,
			.text_compact = 72,
			.walk =
				{
					.code_mask = ~0ULL,
					.source = PYTHON_CFRAME,
					.tstate_next = 8,
					.tstate_thread_id = 152,
					.tstate_frame = 56,
					.cframe_current_frame = 8,
					.frame_previous = 48,
					.frame_code = 32,
					.frame_instruction = 56,
					.frame_owner =
						NO_OWNER, /* has one, but no frames of the interpreter's own */
					.code_instructions = 184,
				},
		},
	[12] =
		{
			.line_table = PYTHON_LOCATION_TABLE,
			.runtime_interpreters = 40,
			.interpreter_id = 8,
			.interpreter_threads = 72,
			.tstate_interpreter = 16,
			.code_filename = 112,
			.code_name = 128,
			.code_first_line = 68,
			.code_line_table = 136,
			OBJECTS,
			.text_ascii = 40,
			.text_compact = 56,
			.walk =
				{
					.code_mask = ~0ULL,
					.source = PYTHON_CFRAME,
					.tstate_next = 8,
					.tstate_thread_id = 136,
					.tstate_frame = 56,
					.cframe_current_frame = 0,
					.frame_previous = 8,
					.frame_code = 0,
					.frame_instruction = 56,
					.frame_owner = 70,
					.owner_skip = 3,
					.code_instructions = 192,
				},
		},
};

const struct python_layout *python_known_layout(unsigned int minor)
{
	if (minor < PYTHON_OLDEST_MINOR || minor >= sizeof(layouts) / sizeof(layouts[0]))
		return NULL;
	return &layouts[minor];
}
