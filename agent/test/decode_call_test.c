// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* decode_call: what each kind of signature says, and what memory a process is known to have. */
#include "../src/probe/cuda/functions.h"
#include <stdio.h>
#include <string.h>

#define PROCESS 1000000007 /* above every pid */

enum { H2H, H2D, D2H, D2D, DEFAULT };

static struct host_ranges *ranges;
static uint64_t now_ns;
static int failures;

static unsigned int find_function(const char *symbol)
{
	for (unsigned int i = 0; i < cuda_function_count; i++) {
		if (strcmp(cuda_functions[i].symbol, symbol) == 0)
			return i;
	}
	printf("%s is not in the table\n", symbol);
	failures++;
	return 0;
}

struct outcome {
	uint64_t out_value, return_value;
	uint8_t flags;
	uint64_t start_ns; /* 0 = after all before */
};

static struct call_facts decode(const char *symbol, struct outcome outcome, const uint64_t words[8])
{
	struct call_record call = {
		.header.flags = outcome.flags,
		.start_ns = outcome.start_ns ? outcome.start_ns : now_ns + 1,
		.duration_ns = 1,
		.return_value = outcome.return_value,
		.out_value = outcome.out_value,
		.tgid = PROCESS,
		.function = (uint16_t)find_function(symbol),
	};
	struct call_facts facts;

	memcpy(call.arguments, words, sizeof(call.arguments));
	memcpy(call.extra, words + CALL_ARGUMENTS, sizeof(call.extra));
	now_ns += 10;
	decode_call(ranges, &call, &facts);
	return facts;
}

#define WORDS(...) ((const uint64_t[8]){__VA_ARGS__})
#define CALL(symbol, ...) decode(symbol, (struct outcome){0}, WORDS(__VA_ARGS__))
#define CALL_OUT(symbol, out, ...) \
	decode(symbol, (struct outcome){.out_value = out}, WORDS(__VA_ARGS__))

static void expect_at(int line, struct call_facts is, int64_t bytes, enum direction direction,
		      enum host_memory memory, int64_t stream)
{
	if (is.bytes == bytes && is.direction == direction && is.host_memory == memory &&
	    is.stream == stream)
		return;
	printf("line %d: bytes %lld direction %d memory %d stream %lld\n", line,
	       (long long)is.bytes, is.direction, is.host_memory, (long long)is.stream);
	failures++;
}

#define EXPECT(...) expect_at(__LINE__, __VA_ARGS__)

static void test_signatures(void)
{
	host_ranges_add_process(ranges, PROCESS, 0);
	EXPECT(CALL("cudaMemcpy", 1, 2, 100, H2D), 100, DIRECTION_H2D, HOST_UNKNOWN, 0);
	EXPECT(CALL("cudaMemcpy_ptds", 1, 2, 100, D2H), 100, DIRECTION_D2H, HOST_UNKNOWN, 2);
	/* An enum is four bytes; the register's upper half is whatever it was. */
	EXPECT(CALL("cudaMemcpyAsync", 1, 2, 100, 0xdead00000000 | D2D, 77), 100, DIRECTION_D2D,
	       HOST_UNKNOWN, 77);
	EXPECT(CALL("cudaMemcpyAsync_ptsz", 1, 2, 100, 9, 0), 100, DIRECTION_UNKNOWN, HOST_UNKNOWN,
	       2);
	EXPECT(CALL("cudaMemcpyAsync_ptsz", 1, 2, 100, D2D, 1), 100, DIRECTION_D2D, HOST_UNKNOWN,
	       0);
	EXPECT(CALL("cudaMemcpy2DAsync", 1, 64, 2, 64, 50, 3, H2D, 8), 150, DIRECTION_H2D,
	       HOST_UNKNOWN, 8);
	/* p, stream, then srcPtr, dstPtr, width, height, depth, kind */
	EXPECT(CALL("cudaMemcpy3DAsync", 1, 9, 11, 12, 2, 3, 4, D2H), 24, DIRECTION_D2H,
	       HOST_UNKNOWN, 9);
	/* … from an array, whose elements' size isn't known */
	EXPECT(CALL("cudaMemcpy3D", 1, 0, 0, 12, 2, 3, 4, D2H), -1, DIRECTION_D2H, HOST_UNKNOWN, 0);
	EXPECT(CALL("cudaMemcpy3DPeerAsync", 1, 9, 0, 11, 12, 2, 3, 4), 24, DIRECTION_P2P,
	       HOST_UNKNOWN, 9);
	EXPECT(CALL("cudaMemcpyPeerAsync", 1, 0, 2, 1, 64, 5), 64, DIRECTION_P2P, HOST_UNKNOWN, 5);
	EXPECT(CALL("cudaMemcpyToSymbolAsync", 1, 2, 8, 0, H2D, 4), 8, DIRECTION_H2D, HOST_UNKNOWN,
	       4);
	EXPECT(CALL("cudaMemcpy2DToArray", 1, 0, 0, 2, 64, 10, 5, H2D), 50, DIRECTION_H2D,
	       HOST_UNKNOWN, 0);
	EXPECT(CALL("cuMemcpyHtoDAsync_v2", 1, 2, 100, 3), 100, DIRECTION_H2D, HOST_UNKNOWN, 3);
	/* source type, source, destination type, destination, width, height */
	EXPECT(CALL("cuMemcpy2DAsync_v2", 1, 6, 1, 22, 2, 33, 5, 4), 20, DIRECTION_H2D,
	       HOST_UNKNOWN, 6);
	EXPECT(CALL("cuMemcpy3D_v2", 3, 0, 3, 22, 0xff00000001, 33, 5, 4), 60, DIRECTION_D2H,
	       HOST_UNKNOWN, 0);
	EXPECT(CALL("cuMemcpy3D_v2", 3, 0, 4, 22, 1, 33, 5, 4), 60, DIRECTION_UNKNOWN, HOST_UNKNOWN,
	       0);
	EXPECT(CALL("cuMemsetD32Async_ptsz", 1, 0, 10, 0), 40, DIRECTION_NONE, HOST_UNKNOWN, 2);
	EXPECT(CALL("cudaMemset2D", 1, 64, 0, 10, 3), 30, DIRECTION_NONE, HOST_UNKNOWN, 0);
	EXPECT(CALL("cudaLaunchKernel", 1, 2, 3, 4, 5, 6, 7, 8), -1, DIRECTION_NONE, HOST_UNKNOWN,
	       8);
	EXPECT(CALL("cudaDeviceSynchronize", 1), -1, DIRECTION_NONE, HOST_UNKNOWN, -1);
	/* Not readable, or more than fits. */
	EXPECT(CALL("cudaMemcpy3D", 1, 0, 5, 6, UINT64_MAX, 3, 4, D2H), -1, DIRECTION_D2H,
	       HOST_UNKNOWN, 0);
	EXPECT(CALL("cudaMemcpy2D", 1, 0, 2, 0, 1ULL << 40, 1ULL << 40, H2D), -1, DIRECTION_H2D,
	       HOST_UNKNOWN, 0);
}

static void test_memory(void)
{
	host_ranges_add_process(ranges, PROCESS, 1);
	CALL_OUT("cudaMalloc", 0x100000, 1, 4096);
	CALL_OUT("cudaHostAlloc", 0x200000, 1, 4096, 0);
	CALL("cudaHostRegister", 0x300000, 4096, 0);
	CALL_OUT("cudaMallocManaged", 0x400000, 1, 4096, 1);
	EXPECT(CALL("cudaMemcpy", 0x100000, 0x200010, 64, H2D), 64, DIRECTION_H2D, HOST_PINNED, 0);
	EXPECT(CALL("cudaMemcpy", 0x300000, 0x100000, 4096, D2H), 4096, DIRECTION_D2H,
	       HOST_REGISTERED, 0);
	EXPECT(CALL("cudaMemcpy", 0x100000, 0x400000, 64, H2D), 64, DIRECTION_H2D, HOST_MANAGED, 0);
	EXPECT(CALL("cudaMemcpy", 0x100000, 0x500000, 64, H2D), 64, DIRECTION_H2D, HOST_PAGEABLE,
	       0);
	/* Half in, half out. */
	EXPECT(CALL("cudaMemcpy", 0x100000, 0x200fff, 64, H2D), 64, DIRECTION_H2D, HOST_UNKNOWN, 0);
	/* The addresses say the direction – where all of them are known. */
	EXPECT(CALL("cuMemcpyAsync", 0x100000, 0x200000, 64, 5), 64, DIRECTION_H2D, HOST_PINNED, 5);
	EXPECT(CALL("cudaMemcpy", 0x200000, 0x100000, 64, DEFAULT), 64, DIRECTION_D2H, HOST_PINNED,
	       0);
	EXPECT(CALL("cudaMemcpy", 0x100000, 0x100800, 64, DEFAULT), 64, DIRECTION_D2D, HOST_UNKNOWN,
	       0);
	EXPECT(CALL("cudaMemcpy", 0x100000, 0x500000, 64, DEFAULT), 64, DIRECTION_UNKNOWN,
	       HOST_UNKNOWN, 0);
	EXPECT(CALL("cudaMemcpyToSymbol", 1, 0x200000, 64, 0, DEFAULT), 64, DIRECTION_H2D,
	       HOST_PINNED, 0);
	EXPECT(CALL("cudaMemcpy", 0x200000, 0x200800, 64, H2H), 64, DIRECTION_H2H, HOST_PINNED, 0);
	EXPECT(CALL("cudaMemcpy", 0x500000, 0x200800, 64, H2H), 64, DIRECTION_H2H, HOST_UNKNOWN, 0);
}

static void test_frees(void)
{
	uint64_t allocated_ns;

	host_ranges_add_process(ranges, PROCESS, 1);
	/* Failed calls change nothing. */
	decode("cudaHostRegister", (struct outcome){.return_value = 2}, WORDS(0x300000, 4096, 0));
	EXPECT(CALL("cudaMemcpy", 1, 0x300000, 64, H2D), 64, DIRECTION_H2D, HOST_PAGEABLE, 0);
	CALL_OUT("cuMemHostAlloc", 0x200000, 1, 4096, 0);
	CALL_OUT("cudaHostAlloc", 0x200000, 1, 4096, 0);
	decode("cudaFreeHost", (struct outcome){.return_value = 1}, WORDS(0x200000));
	EXPECT(CALL("cudaMemcpy", 1, 0x200000, 64, H2D), 64, DIRECTION_H2D, HOST_PINNED, 0);
	/* cudaHostUnregister frees nothing that was allocated. */
	CALL("cudaHostUnregister", 0x200000);
	EXPECT(CALL("cudaMemcpy", 1, 0x200000, 64, H2D), 64, DIRECTION_H2D, HOST_PINNED, 0);
	CALL("cudaFreeHost", 0x200000);
	EXPECT(CALL("cudaMemcpy", 1, 0x200000, 64, H2D), 64, DIRECTION_H2D, HOST_PAGEABLE, 0);
	/* A thread was given the address while the one that freed it was on its way back. */
	allocated_ns = now_ns;
	CALL_OUT("cudaHostAlloc", 0x200000, 1, 4096, 0);
	decode("cudaFreeHost", (struct outcome){.start_ns = allocated_ns}, WORDS(0x200000));
	EXPECT(CALL("cudaMemcpy", 1, 0x200000, 64, H2D), 64, DIRECTION_H2D, HOST_PINNED, 0);
	/* Whether an unfinished call succeeded isn't known, nor anything after it. */
	decode("cudaFreeHost", (struct outcome){.flags = CALL_UNFINISHED}, WORDS(0x200000));
	EXPECT(CALL("cudaMemcpy", 1, 0x200000, 64, H2D), 64, DIRECTION_H2D, HOST_UNKNOWN, 0);
}

/* Every function's words are among the eight, and fetched where they are no registers. */
static void test_table(void)
{
	for (unsigned int i = 0; i < cuda_function_count; i++) {
		const struct cuda_function *function = &cuda_functions[i];
		const struct call_shape *shape = &function->shape;
		const uint8_t words[] = {
			shape->kind,    shape->source_type, shape->destination_type,
			shape->source,  shape->destination, shape->size[0],
			shape->size[1], shape->size[2],     shape->stream};
		bool fetched = function->spec.flags &
			       (FUNCTION_STACK_ARGUMENTS | FUNCTION_DEREFERENCE);
		bool good = function->spec.fields <= MAX_FIELDS;

		for (size_t word = 0; word < sizeof(words); word++)
			good &= words[word] <= (fetched ? CALL_WORDS : CALL_ARGUMENTS);
		good &= !(function->spec.flags & FUNCTION_STACK_ARGUMENTS) ||
			function->spec.argument >= CALL_ARGUMENTS;
		good &= !(function->spec.flags & FUNCTION_DEREFERENCE) == !function->spec.fields;
		good &= find_function(function->symbol) == i;
		if (!good) {
			printf("%s: its entry makes no sense\n", function->symbol);
			failures++;
		}
	}
}

int main(void)
{
	ranges = host_ranges_new();
	test_table();
	test_signatures();
	test_memory();
	test_frees();
	host_ranges_free(ranges);
	return failures != 0;
}
