/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * libcupti.so.12: what a tool may call of CUPTI, over the stand-in's own libraries. Written from the public
 * reference; it traces nothing but the stand-in, and what it is told to do badly it does badly.
 */
#include "cupti.h"
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runtime.h"

enum { DOMAIN_DRIVER = 1, DOMAIN_RUNTIME, DOMAIN_RESOURCE };
#define MOST_IDS 1024
#define MOST_STREAMS 4096

typedef void (*callback_function)(void *context, int domain, uint32_t id, const void *data);

struct call_data {
	int site;
	const char *function;
	const void *parameters;
	const int *result;
	const char *symbol;
	void *context;
	uint32_t context_id;
	uint64_t *correlation_data;
	uint32_t correlation;
};

#define NAME(name, parameters, arguments, fields) [NUMBER_##name] = #name,
static const char *const driver_names[] = {FOR_EACH_DRIVER_FUNCTION(NAME)};
static const char *const runtime_names[] = {FOR_EACH_RUNTIME_FUNCTION(NAME)};

char stand_in_context;
bool behaves[BEHAVIOURS];
unsigned int stand_in_generation;
static _Atomic(callback_function) callback;
static void *callback_context;
static _Atomic unsigned char enabled[3][MOST_IDS];
static _Atomic uint32_t last_correlation, context_told;
#define DEEPEST 8
static _Thread_local uint32_t correlations[DEEPEST], depth;

/* Before the first call: looking through the environment takes longer than a call. */
__attribute__((constructor)) static void read_behaviour(void)
{
	static const char *const generations[] = {"11.8", "12.4", "13.0", "13.3"};
	static const char *const words[BEHAVIOURS] = {
		"taken", "refused",    "no-clock",   "hang",       "drop",      "shuffle",
		"short", "no-records", "no-kernels", "driver-ids", "other-ids",
	};
	const char *text = getenv("STALLTRACE_STAND_IN_CUPTI");

	stand_in_generation = 1;
	while (text && *text) {
		size_t size = strcspn(text, ",");

		for (unsigned int i = 0; i < 4; i++)
			if (!strncmp(text, generations[i], size) && !generations[i][size])
				stand_in_generation = i;
		for (unsigned int i = 0; i < BEHAVIOURS; i++)
			if (!strncmp(text, words[i], size) && !words[i][size])
				behaves[i] = true;
		text += size + (text[size] == ',');
	}
}

/* Other numbers in each version, as CUPTI's are only ever added to. */
static uint32_t id_of(unsigned int number)
{
	return 2 * number + 10 + stand_in_generation;
}

uint32_t current_correlation(void)
{
	return depth ? correlations[depth - 1] : 0;
}

static void tell_context(callback_function function)
{
	const void *data[3] = {&stand_in_context};

	if (!atomic_exchange(&context_told, 1) && enabled[DOMAIN_RESOURCE - 1][1])
		function(callback_context, DOMAIN_RESOURCE, 1, data);
}

/* A call within a call is part of it, or has a number of its own, which its work bears then. */
static void begin_call(void)
{
	uint32_t outer = current_correlation();

	if (depth < DEEPEST)
		correlations[depth++] = outer && !behaves[DRIVER_IDS] ? outer : ++last_correlation;
}

static void on_call(int domain, unsigned int number, const char *name, const void *parameters,
		    const int *result)
{
	callback_function function = callback;
	uint32_t id = id_of(number);
	struct call_data data = {
		.site = result != NULL,
		.function = name,
		.parameters = parameters,
		.result = result,
		.context = &stand_in_context,
		.context_id = 1,
	};

	if (!result)
		begin_call();
	data.correlation = current_correlation();
	if (function) {
		tell_context(function);
		if (enabled[domain - 1][id])
			function(callback_context, domain, id, &data);
	}
	if (result)
		depth--;
}

static void on_work(const struct gpu_work *work)
{
	record_work(work, behaves[OTHER_IDS] ? ++last_correlation : current_correlation());
}

static const struct gpu_hook hook = {.call = on_call, .work = on_work};

static void hook_into(void *library)
{
	void (*set)(const struct gpu_hook *);
	bool (*is_up)(void);

	*(void **)&is_up = library ? dlsym(library, "standInIsUp") : NULL;
	if (is_up && is_up())
		context_told = 1;

	*(void **)&set = library ? dlsym(library, "standInHook") : NULL;
	if (set)
		set(&hook);
}

/* Who asks for records alone has no subscriber. */
void hook_stand_in(void)
{
	const char *driver = getenv("STALLTRACE_STAND_IN_DRIVER");

	hook_into(dlopen("libcudart.so.12", RTLD_LAZY | RTLD_NOLOAD));
	hook_into(dlopen(driver ? driver : "libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD));
}

EXPORT int cuptiSubscribe(void **out, callback_function function, void *context)
{
	if (behaves[REFUSED])
		return NOT_INITIALIZED;
	if (behaves[TAKEN] || callback)
		return SUBSCRIBED;
	*out = &stand_in_context;
	callback_context = context;
	callback = function;
	hook_stand_in();
	return OK;
}

EXPORT int cuptiUnsubscribe(void *subscriber)
{
	if (!subscriber || !callback)
		return INVALID_PARAMETER;
	callback = NULL;
	return OK;
}

static _Atomic unsigned int finalized;

/* Not of CUPTI: how often it was taken out of the process. */
EXPORT unsigned int standInFinalized(void);
EXPORT unsigned int standInFinalized(void)
{
	return finalized;
}

EXPORT int cuptiFinalize(void)
{
	if (callback)
		return INVALID_PARAMETER;
	finalized++;
	return OK;
}

EXPORT int cuptiEnableCallback(uint32_t enable, void *subscriber, int domain, uint32_t id)
{
	if (!subscriber || domain < DOMAIN_DRIVER || domain > DOMAIN_RESOURCE || id >= MOST_IDS)
		return INVALID_PARAMETER;
	enabled[domain - 1][id] = enable != 0;
	return OK;
}

/* A function of the runtime has the version behind it that it came with. */
EXPORT int cuptiGetCallbackName(int domain, uint32_t id, const char **name)
{
	static char texts[RUNTIME_FUNCTIONS][64];
	unsigned int number = (id - 10 - stand_in_generation) / 2;

	if (id < 12 || id_of(number) != id)
		return INVALID_PARAMETER;
	if (domain == DOMAIN_DRIVER && number < DRIVER_FUNCTIONS) {
		*name = driver_names[number];
		return OK;
	}
	if (domain != DOMAIN_RUNTIME || number >= RUNTIME_FUNCTIONS)
		return INVALID_PARAMETER;
	snprintf(texts[number], sizeof(texts[number]), "%s_v3020", runtime_names[number]);
	*name = texts[number];
	return OK;
}

EXPORT int cuptiGetVersion(uint32_t *out)
{
	static const uint32_t versions[] = {18, 22, 130000, 130300};

	*out = versions[stand_in_generation];
	return OK;
}

EXPORT int cuptiGetResultString(int result, const char **out)
{
	switch (result) {
	case NOT_INITIALIZED:
		*out = "CUPTI_ERROR_NOT_INITIALIZED";
		return OK;
	case INSUFFICIENT_PRIVILEGES:
		*out = "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES";
		return OK;
	case SUBSCRIBED:
		*out = "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED";
		return OK;
	case UNKNOWN:
		*out = "CUPTI_ERROR_UNKNOWN";
		return OK;
	default:
		return INVALID_PARAMETER;
	}
}

EXPORT int cuptiSetThreadIdType(int type)
{
	return type == 1 ? OK : INVALID_PARAMETER;
}

/* The default streams have 7 and 8, as they have with CUPTI; all others count on. */
EXPORT int cuptiGetStreamIdEx(void *context, void *stream, uint8_t per_thread, uint32_t *out)
{
	static _Atomic(void *) known[MOST_STREAMS];
	uint32_t i = 0;

	if (context != &stand_in_context)
		return INVALID_PARAMETER;
	*out = (uintptr_t)stream == 2 || (!stream && per_thread) ? 8 : 7;
	if ((uintptr_t)stream <= 2)
		return OK;
	/* Another thread may ask for the same one, or take the place before us. */
	for (; i < MOST_STREAMS; i++) {
		void *there = NULL;

		if (atomic_compare_exchange_strong(&known[i], &there, stream) || there == stream)
			break;
	}
	*out = 9 + i;
	return i < MOST_STREAMS ? OK : INVALID_PARAMETER;
}
