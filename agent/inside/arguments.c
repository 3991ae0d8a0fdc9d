// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * From the struct in which CUPTI hands over a call's arguments, or the registers, to the eight words that the agent decodes,
 * whoever took them: those of the first six registers, then what src/probe/cuda/functions.c asks for.
 */
#include <string.h>
#include "../src/probe/cuda/functions.h"
#include "inside.h"
#include "signatures.h"
#include "wrap.h"

#define MOST_WORDS 12

static const struct signature signatures[] = {SIGNATURES};
#define SIGNATURE_COUNT (sizeof(signatures) / sizeof(signatures[0]))

/* By function, from 1; 0 = not looked for yet, none = has none. */
static _Atomic uint8_t known[MAX_FUNCTIONS];
#define NO_SIGNATURE 0xff
_Static_assert(SIGNATURE_COUNT < NO_SIGNATURE, "signatures");

/* `name`, or `name` with the suffix of the per-thread default stream behind it. */
static bool is_symbol(const char *symbol, const char *name)
{
	size_t length = strlen(name);

	return !strncmp(symbol, name, length) &&
	       (!symbol[length] || !strcmp(symbol + length, "_ptsz") ||
		!strcmp(symbol + length, "_ptds"));
}

static uint8_t find_signature(uint16_t function)
{
	const struct cuda_function *known_function = &cuda_functions[function];

	for (size_t i = 0; i < SIGNATURE_COUNT; i++)
		if (is_symbol(known_function->symbol, signatures[i].name))
			return (uint8_t)(i + 1);
	for (size_t i = 0; i < SIGNATURE_COUNT; i++)
		if (!strcmp(known_function->name, signatures[i].name))
			return (uint8_t)(i + 1);
	return NO_SIGNATURE;
}

static const char *signature_of(uint16_t function)
{
	uint8_t number = atomic_load_explicit(&known[function], memory_order_relaxed);

	if (!number) {
		number = find_signature(function);
		atomic_store_explicit(&known[function], number, memory_order_relaxed);
	}
	return number == NO_SIGNATURE ? "" : signatures[number - 1].arguments;
}

/* `size` bytes of an argument aligned to `alignment`, and past it. */
static uint64_t take(const char **at, size_t size, size_t alignment)
{
	uint64_t word = 0;

	*at = (const char *)(((uintptr_t)*at + alignment - 1) & ~(alignment - 1));
	memcpy(&word, *at, size);
	*at += size;
	return word;
}

static unsigned int expand(const char *arguments, const void *parameters, uint64_t *words)
{
	const char *at = parameters;
	unsigned int count = 0;

	for (; *arguments && count + 1 < MOST_WORDS; arguments++) {
		switch (*arguments) {
		case 'p':
			words[count++] = take(&at, 8, 8);
			break;
		case 'i':
			words[count++] = take(&at, 4, 4);
			break;
		case 'h':
			words[count++] = take(&at, 2, 2);
			break;
		case 'c':
			words[count++] = take(&at, 1, 1);
			break;
		case 'l':
			words[count++] = take(&at, 8, 4);
			break;
		default: /* x and y share a register */
			words[count++] = take(&at, 8, 4);
			words[count++] = take(&at, 4, 4);
		}
	}
	return count;
}

void read_words(uint16_t function, const void *parameters, __u64 *words)
{
	const struct function_spec *spec = &cuda_functions[function].spec;
	uint64_t all[MOST_WORDS] = {0};

	memset(words, 0, CALL_WORDS * sizeof(*words));
	if (!parameters)
		return;
	expand(signature_of(function), parameters, all);
	memcpy(words, all, CALL_ARGUMENTS * sizeof(*words));
	if (spec->flags & FUNCTION_STACK_ARGUMENTS) {
		words[CALL_ARGUMENTS] = all[spec->argument];
		words[CALL_ARGUMENTS + 1] = all[spec->argument + 1];
	}
}

static uint64_t word_of(const struct import_frame *frame, unsigned int number)
{
	return number < REGISTER_WORDS ? frame->registers[number] :
					 frame->stack[(number - REGISTER_WORDS) % STACK_WORDS];
}

/* Of the stack what is the function's alone: the rest may be marked as nobody's (AddressSanitizer). */
void take_words(uint16_t function, const struct import_frame *frame, __u64 *words)
{
	const struct function_spec *spec = &cuda_functions[function].spec;

	memset(words, 0, CALL_WORDS * sizeof(*words));
	memcpy(words, frame->registers, CALL_ARGUMENTS * sizeof(*words));
	if (spec->flags & FUNCTION_STACK_ARGUMENTS) {
		words[CALL_ARGUMENTS] = word_of(frame, spec->argument);
		words[CALL_ARGUMENTS + 1] = word_of(frame, spec->argument + 1u);
	}
}

static uint64_t read_at(uint64_t address)
{
	uint64_t word;

	memcpy(&word, (const void *)(uintptr_t)address, sizeof(word));
	return word;
}

void read_behind_words(uint16_t function, __u64 *words, __u64 *out_value)
{
	const struct function_spec *spec = &cuda_functions[function].spec;
	uint64_t base = words[spec->argument & (CALL_WORDS - 1)];

	/* CUDA itself has just read and written there. */
	if ((spec->flags & FUNCTION_OUT_POINTER) && words[0])
		*out_value = read_at(words[0]);
	if (!(spec->flags & FUNCTION_DEREFERENCE))
		return;
	for (unsigned int i = 0; i < spec->fields && i < MAX_FIELDS; i++) {
		unsigned int word = (unsigned int)CALL_WORDS - spec->fields + i;

		if (i == 0 && spec->fields == MAX_FIELDS)
			word = spec->argument;
		words[word & (CALL_WORDS - 1)] = base ? read_at(base + spec->offset[i]) :
							UNREADABLE;
	}
}
