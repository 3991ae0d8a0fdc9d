// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Arguments as CUPTI hands them over, into the words that BPF takes from registers. */
#include <assert.h>
#include <stdio.h>
#include "../inside/arguments.c"

static uint16_t find(const char *symbol)
{
	for (unsigned int i = 0; i < cuda_function_count; i++)
		if (!strcmp(cuda_functions[i].symbol, symbol))
			return (uint16_t)i;
	assert(!"a function that is known");
	return 0;
}

/* Words that are there once the function's arguments were taken apart: a bit each, from 1. */
static unsigned int words_there(uint16_t function)
{
	const struct function_spec *spec = &cuda_functions[function].spec;
	char parameters[256] = {0};
	uint64_t all[MOST_WORDS];
	unsigned int count = expand(signature_of(function), parameters, all), there = 0;

	for (unsigned int i = 0; i < CALL_ARGUMENTS && i < count; i++)
		there |= 2u << i;
	for (unsigned int i = 0; (spec->flags & FUNCTION_STACK_ARGUMENTS) && i < 2; i++)
		if (spec->argument + i < count)
			there |= 2u << (CALL_ARGUMENTS + i);
	for (unsigned int i = 0; (spec->flags & FUNCTION_DEREFERENCE) && i < spec->fields; i++)
		there |= i == 0 && spec->fields == MAX_FIELDS ?
				 2u << spec->argument :
				 2u << (CALL_WORDS - spec->fields + i);
	return there;
}

static void every_word_that_is_read_is_there(void)
{
	for (unsigned int i = 0; i < cuda_function_count; i++) {
		const struct call_shape *shape = &cuda_functions[i].shape;
		const uint8_t read[] = {shape->kind,    shape->source_type, shape->destination_type,
					shape->source,  shape->destination, shape->size[0],
					shape->size[1], shape->size[2],     shape->stream};
		unsigned int there = words_there((uint16_t)i);

		for (size_t j = 0; j < sizeof(read); j++) {
			if (read[j] && !(there & 1u << read[j]))
				fprintf(stderr, "%s lacks word %u\n", cuda_functions[i].symbol,
					read[j]);
			assert(!read[j] || (there & 1u << read[j]));
		}
		if (cuda_functions[i].spec.flags & FUNCTION_OUT_POINTER)
			assert(!shape->size[0] || (there & 2u));
	}
}

static void a_copy(void)
{
	struct {
		void *to;
		const void *from;
		size_t count;
		int kind;
		void *stream;
	} given = {(void *)1, (void *)2, 3, 4, (void *)5};
	__u64 words[CALL_WORDS];

	read_words(find("cudaMemcpyAsync_ptsz"), &given, words);
	for (unsigned int i = 0; i < 5; i++)
		assert(words[i] == i + 1);
	assert(!words[5] && !words[6] && !words[7]);
}

/* The stream is the eighth register's worth: two dim3 take two each. */
static void a_launch(void)
{
	struct {
		const void *function;
		unsigned int grid[3], block[3];
		void **arguments;
		size_t shared;
		void *stream;
	} given = {(void *)1, {2, 3, 4}, {5, 6, 7}, (void **)8, 9, (void *)10};
	__u64 words[CALL_WORDS];

	read_words(find("cudaLaunchKernel"), &given, words);
	assert(words[0] == 1 && words[1] == (3ull << 32 | 2) && words[2] == 4);
	assert(words[5] == 8 && words[6] == 9 && words[7] == 10);
}

static void narrow_arguments(void)
{
	struct {
		unsigned long long to;
		unsigned short value;
		size_t count;
		void *stream;
	} given = {1, 0xffff, 3, (void *)4};
	__u64 words[CALL_WORDS];

	read_words(find("cuMemsetD16Async"), &given, words);
	assert(words[0] == 1 && words[1] == 0xffff && words[2] == 3 && words[3] == 4);
}

static void versions_of_one_name(void)
{
	struct {
		unsigned long long address;
		size_t count;
		int device;
		void *stream;
	} before = {1, 2, 3, (void *)4};
	struct {
		unsigned long long address;
		size_t count;
		struct {
			int type, id;
		} location;
		unsigned int flags;
		void *stream;
	} since = {1, 2, {3, 4}, 5, (void *)6};
	__u64 words[CALL_WORDS];

	read_words(find("cuMemPrefetchAsync"), &before, words);
	assert(words[3] == 4);
	read_words(find("cuMemPrefetchAsync_v2_ptsz"), &since, words);
	assert(words[3] == 5 && words[4] == 6);
}

/* The fields of a struct become the last words; the first of seven replaces its address. */
static void what_pointers_lead_to(void)
{
	char copy[208] = {0};
	uint64_t depth = 7, out = 0;
	__u64 words[CALL_WORDS] = {(uintptr_t)copy}, unread = 0;

	memcpy(copy + 192, &depth, sizeof(depth));
	read_behind_words(find("cuMemcpy3D_v2"), words, &unread);
	assert(words[0] == 7 && !unread);
	out = 99;
	words[0] = (uintptr_t)&out;
	read_behind_words(find("cudaMalloc"), words, &unread);
	assert(unread == 99);
	words[0] = 0;
	read_behind_words(find("cuMemcpy3D_v2"), words, &unread);
	assert(words[0] == UNREADABLE);
}

int main(void)
{
	every_word_that_is_read_is_there();
	a_copy();
	a_launch();
	narrow_arguments();
	versions_of_one_name();
	what_pointers_lead_to();
	return 0;
}
