// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * What agent/inside takes for granted, asked of NVIDIA's own CUPTI, which needs no GPU for that: that the
 * functions are there, that it knows the calls by the names they have here, and how long its records are.
 *   nvidia_cupti LIBCUPTI   says what does not fit, and ends with 1 then
 */
#include <dlfcn.h>
#include <stdio.h>
#include "../inside/activity_records.c"
#include "../inside/functions.c"

struct inside inside;
struct guard *inside_guard;

/* Nothing is recorded here. */
void *record_reserve(struct thread_state *thread, enum inside_kind kind, size_t bytes)
{
	return NULL;
}

void record_publish(struct thread_state *thread, const void *record)
{
}

/* Functions that came with CUDA 12 and 13: an older CUPTI need not know them. */
static const char *const newer[] = {"cudaMemcpyBatchAsync",           "cudaMemcpy3DBatchAsync",
				    "cudaGraphInstantiateWithParams", "cuMemcpyBatchAsync",
				    "cuMemPrefetchAsync_v2",          "cuCtxSynchronize_v2",
				    "cuGraphExecUpdate_v2",           "cuLibraryLoadData"};

static bool is_newer(const char *symbol)
{
	for (size_t i = 0; i < sizeof(newer) / sizeof(newer[0]); i++)
		if (!strncmp(symbol, newer[i], strlen(newer[i])))
			return true;
	return false;
}

static bool find_interface(const char *path)
{
	void *library = dlopen(path, RTLD_NOW);
	bool found = library != NULL;

	if (!library)
		printf("%s\n", dlerror());
#define FIND(member, parameters)                                                           \
	*(void **)&inside.cupti.member = library ? dlsym(library, "cupti" #member) : NULL; \
	if (library && !inside.cupti.member) {                                             \
		printf("lacks cupti" #member "\n");                                        \
		found = false;                                                             \
	}
	CUPTI_FUNCTIONS(FIND, FIND)
	return found;
}

/* As activity.c finds it: where a second record begins. */
static long stride_of(int kind)
{
	uint32_t words[256];
	uint8_t *buffer = (uint8_t *)words, *record = NULL;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		words[i] = i % 2 ? 0 : (uint32_t)kind;
	if (inside.cupti.ActivityGetNextRecord(buffer, sizeof(words), &record) ||
	    inside.cupti.ActivityGetNextRecord(buffer, sizeof(words), &record))
		return 0;
	return record - buffer;
}

static bool records_are_long_enough(void)
{
	static const int kinds[] = {ACTIVITY_MEMCPY, ACTIVITY_MEMSET, ACTIVITY_KERNEL,
				    ACTIVITY_MEMCPY_PEER, ACTIVITY_GRAPH};
	bool fits = true;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		long stride = stride_of(kinds[i]);

		printf("records of kind %d: %ld bytes, %u are read\n", kinds[i], stride,
		       layout_of(kinds[i])->prefix);
		fits &= stride >= layout_of(kinds[i])->prefix;
	}
	return fits;
}

static bool calls_have_their_names(void)
{
	static bool named[MAX_FUNCTIONS];
	bool fits = true;

	functions_set_up();
	for (int domain = DOMAIN_DRIVER; domain <= DOMAIN_RUNTIME; domain++) {
		for (uint32_t id = 1; id < MOST_IDS; id++) {
			const char *name = NULL;
			uint16_t function;

			if (inside.cupti.GetCallbackName(domain, id, &name) || !name)
				continue;
			function = find_function(name);
			if (function != NO_FUNCTION)
				named[function] = true;
		}
	}
	for (unsigned int i = 0; i < cuda_function_count; i++) {
		if (named[i] || is_newer(cuda_functions[i].symbol))
			continue;
		printf("knows no %s\n", cuda_functions[i].symbol);
		fits = false;
	}
	return fits;
}

int main(int argc, char **argv)
{
	uint32_t version = 0;

	if (argc < 2 || !find_interface(argv[1]))
		return 1;
	inside.cupti.GetVersion(&version);
	printf("CUPTI %u\n", version);
	return records_are_long_enough() & calls_have_their_names() ? 0 : 1;
}
