// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* inside/trampolines.S: a call through a wrapper is the call, whatever its function takes. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include "../inside/wrap.h"

/* As many words as fit: registers and stack. */
#define WORDS (REGISTER_WORDS + STACK_WORDS)
#define WRAPPER_BYTES 16

struct three {
	unsigned int x, y, z;
};
struct handle {
	char bytes[8 * STACK_WORDS];
};

extern const char import_wrappers[];

static void *target;
static unsigned int entered, left;
static uint64_t seen[WORDS], given[WORDS];
static int failures;

static void expect(int good, const char *what)
{
	if (good)
		return;
	printf("%s\n", what);
	failures++;
}

/* A test built to notice that looks at more than its own. */
__attribute__((no_sanitize("address"))) void *import_enter(struct import_frame *frame)
{
	entered = frame->wrapper;
	memcpy(seen, frame->registers, REGISTER_WORDS * sizeof(*seen));
	for (int i = 0; i < STACK_WORDS; i++)
		seen[REGISTER_WORDS + i] = ((const volatile uint64_t *)frame->stack)[i];
	return target;
}

void import_leave(struct import_frame *frame)
{
	left = (unsigned int)frame->result;
}

static int take_all(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f,
		    uint64_t g, uint64_t h, uint64_t i, uint64_t j, uint64_t k, uint64_t l,
		    uint64_t m, uint64_t n)
{
	const uint64_t words[] = {a, b, c, d, e, f, g, h, i, j, k, l, m, n};

	memcpy(given, words, sizeof(words));
	return 700;
}

static int take_launch(const void *function, struct three grid, struct three block,
		       void **arguments, size_t shared, void *stream)
{
	return function == &target && grid.x == 1 && grid.y == 2 && grid.z == 3 && block.x == 4 &&
			       block.y == 5 && block.z == 6 && !arguments && shared == 7 &&
			       stream == given ?
		       0 :
		       1;
}

static int take_handle(void **out, struct handle handle, unsigned int flags)
{
	*out = given;
	return handle.bytes[0] == 'a' && handle.bytes[sizeof(handle) - 1] == 'z' && flags == 9 ? 0 :
												 1;
}

static void *wrapper(unsigned int number)
{
	return (void *)(uintptr_t)(import_wrappers + (size_t)number * WRAPPER_BYTES);
}

static void check_words(unsigned int number)
{
	int (*call)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
		    uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t) = wrapper(number);
	uint64_t big = 1ull << 63;

	target = take_all;
	expect(call(big, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, big | 14) == 700, "the result");
	expect(entered == number, "which wrapper");
	expect(left == 700, "the result that is noted");
	for (uint64_t i = 0; i < 14; i++) {
		uint64_t word = i == 0 ? big : i == 13 ? big | 14 : i + 1;

		expect(given[i] == word, "a word that is passed on");
		expect(seen[i] == word, "a word that is seen");
	}
}

int main(void)
{
	struct three grid = {1, 2, 3}, block = {4, 5, 6};
	struct handle handle = {{'a'}};
	void *out = NULL;

	check_words(0);
	check_words(WRAPPERS - 1);
	target = take_launch;
	expect(!((int (*)(const void *, struct three, struct three, void **, size_t,
			  void *))wrapper(3))(&target, grid, block, NULL, 7, given),
	       "a launch");
	handle.bytes[sizeof(handle) - 1] = 'z';
	target = take_handle;
	expect(!((int (*)(void **, struct handle, unsigned int))wrapper(4))(&out, handle, 9) &&
		       out == given,
	       "a struct on the stack");
	return failures != 0;
}
