// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* host_ranges against a list that is gone through whole; the seed is the first argument. */
#include "../src/probe/cuda/host_ranges.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define UNITS 200
#define MODEL_RANGES 256
#define PROCESS 1000000007 /* above every pid */

struct model_range {
	uint64_t begin, end, known_ns;
	enum range_memory memory; /* RANGE_NONE = unused */
};

static struct model_range model[MODEL_RANGES];
static int failures;

static void expect(int is, const char *what)
{
	if (is)
		return;
	printf("not so: %s\n", what);
	failures++;
}

static void model_add(uint64_t begin, uint64_t size, enum range_memory memory, uint64_t now_ns)
{
	struct model_range *unused = NULL;

	for (int i = 0; i < MODEL_RANGES; i++) {
		if (model[i].memory && model[i].begin < begin + size && begin < model[i].end)
			model[i].memory = RANGE_NONE;
		if (!model[i].memory)
			unused = &model[i];
	}
	*unused = (struct model_range){begin, begin + size, now_ns, memory};
}

static void model_remove(uint64_t begin, bool registered, uint64_t start_ns)
{
	for (int i = 0; i < MODEL_RANGES; i++) {
		if (model[i].memory && model[i].begin == begin && model[i].known_ns <= start_ns &&
		    (model[i].memory == RANGE_REGISTERED) == registered)
			model[i].memory = RANGE_NONE;
	}
}

static enum range_memory model_at(uint64_t address)
{
	for (int i = 0; i < MODEL_RANGES; i++) {
		if (model[i].memory && address >= model[i].begin && address < model[i].end)
			return model[i].memory;
	}
	return RANGE_NONE;
}

static enum range_memory model_find(uint64_t address, uint64_t size)
{
	enum range_memory first = model_at(address);

	for (uint64_t i = 1; i < size; i++) {
		if (model_at(address + i) != first)
			return RANGE_UNKNOWN;
	}
	return first;
}

static void test_against_model(unsigned int seed)
{
	struct host_ranges *ranges = host_ranges_new();

	srand(seed);
	for (int step = 1; step < 50000 && !failures; step++) {
		uint64_t address = 1 + rand() % UNITS, size = 1 + rand() % 12;
		enum range_memory memory = RANGE_DEVICE + rand() % 4;
		uint64_t start_ns = rand() % 8 ? (uint64_t)step : (uint64_t)(rand() % step);

		switch (rand() % 4) {
		case 0:
			host_ranges_add(ranges, PROCESS, address, size, memory, step);
			model_add(address, size, memory, step);
			break;
		case 1:
			host_ranges_remove(ranges, PROCESS, address, memory == RANGE_REGISTERED,
					   start_ns);
			model_remove(address, memory == RANGE_REGISTERED, start_ns);
			break;
		default:
			if (host_ranges_find(ranges, PROCESS, address, size) !=
			    model_find(address, size)) {
				printf("step %d: %llu + %llu\n", step, (unsigned long long)address,
				       (unsigned long long)size);
				expect(0, "the ranges agree with the model");
			}
		}
	}
	host_ranges_free(ranges);
}

static void test_pinned_bytes(void)
{
	struct host_ranges *ranges = host_ranges_new();

	host_ranges_add(ranges, PROCESS, 4096, 4096, RANGE_PINNED, 1);
	host_ranges_add(ranges, PROCESS, 8192, 4096, RANGE_DEVICE, 1);
	host_ranges_add(ranges, PROCESS, 16384, 4096, RANGE_REGISTERED, 1);
	expect(host_ranges_pinned(ranges, PROCESS, 0, UINT64_MAX) == 8192, "pinned and registered");
	expect(host_ranges_pinned(ranges, PROCESS, 6144, 17408) == 3072, "the parts in between");
	expect(host_ranges_pinned(ranges, PROCESS, 12288, 16384) == 0, "nothing there");
	expect(host_ranges_pinned(ranges, PROCESS + 1, 0, UINT64_MAX) == 0, "nobody");
	host_ranges_free(ranges);
}

static void test_processes(void)
{
	struct host_ranges *ranges = host_ranges_new();

	for (uint32_t tgid = PROCESS; tgid < PROCESS + 1000; tgid++) {
		host_ranges_add_process(ranges, tgid, 1);
		host_ranges_add(ranges, tgid, 4096 * (tgid % 7 + 1), 4096, RANGE_PINNED, 1);
	}
	host_ranges_fork(ranges, PROCESS + 2000);
	expect(host_ranges_complete(ranges, PROCESS + 999), "traced since exec");
	expect(host_ranges_complete(ranges, PROCESS + 2000), "a child is known from its begin");
	expect(!host_ranges_complete(ranges, PROCESS + 3000), "nothing is known of a stranger");
	expect(host_ranges_find(ranges, PROCESS + 2000, 4096, 8192) == RANGE_NONE,
	       "pinned memory isn't inherited");
	host_ranges_doubt(ranges, PROCESS + 1);
	expect(!host_ranges_complete(ranges, PROCESS + 1), "doubt is for good");
	host_ranges_remove_process(ranges, PROCESS + 2);
	expect(host_ranges_find(ranges, PROCESS + 2, 0, 1 << 20) == RANGE_NONE, "it has gone");
	host_ranges_add(ranges, PROCESS, UINT64_MAX - 10, 100, RANGE_PINNED, 1);
	expect(host_ranges_find(ranges, PROCESS, UINT64_MAX - 5, 3) == RANGE_NONE,
	       "a range past the end is no range");
	expect(host_ranges_find(ranges, PROCESS, UINT64_MAX - 5, 100) == RANGE_UNKNOWN,
	       "nor can one be asked for");
	host_ranges_free(ranges);
}

/* Memory shared without a name looks like what the driver pins, and may be neither. */
static void test_attached(void)
{
	struct host_ranges *ranges = host_ranges_new();
	char *shared = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	host_ranges_add_process(ranges, (uint32_t)getpid(), 0);
	expect(!host_ranges_complete(ranges, (uint32_t)getpid()), "its past isn't known");
	expect(host_ranges_find(ranges, (uint32_t)getpid(), (uintptr_t)shared, 8192) == RANGE_NONE,
	       "shared memory proves nothing");
	munmap(shared, 8192);
	host_ranges_free(ranges);
}

int main(int argc, char **argv)
{
	unsigned int seed = argc > 1 ? (unsigned int)atoi(argv[1]) : 1;

	test_against_model(seed);
	test_pinned_bytes();
	test_processes();
	test_attached();
	if (failures)
		printf("seed %u\n", seed);
	return failures != 0;
}
