/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Wrappers: each stands before one CUDA function, and records its calls as CUPTI's callbacks would be. */
#ifndef STALLTRACE_INSIDE_WRAP_H
#define STALLTRACE_INSIDE_WRAP_H

#include <stddef.h>
#include <stdint.h>

#define WRAPPERS 512 /* as in trampolines.S */
#if defined(__x86_64__)
#define REGISTER_WORDS 6
#else
#define REGISTER_WORDS 8
#endif
#define STACK_WORDS 8

/* What a wrapper was called with; trampolines.S writes it. */
struct import_frame {
	uint64_t registers[8];
	uint64_t other_register; /* rax, x8 */
	uint32_t wrapper;
	uint32_t began; /* the call is recorded, and its return will be */
	const uint64_t *stack;
	uint64_t result;
};
_Static_assert(offsetof(struct import_frame, wrapper) == 72, "trampolines.S");
_Static_assert(offsetof(struct import_frame, stack) == 80, "trampolines.S");
_Static_assert(offsetof(struct import_frame, result) == 88, "trampolines.S");

/* Stands before that function from now on, for calls of `function` (src/probe/cuda/functions.h); NULL = no more. */
void *wrap(uint16_t function, void *target);
/* What the wrapper at the address stands before; NULL = it is none of ours. */
void *unwrap(const void *wrapper);

/* trampolines.S */
void *import_enter(struct import_frame *frame);
void import_leave(struct import_frame *frame);

#endif /* STALLTRACE_INSIDE_WRAP_H */
