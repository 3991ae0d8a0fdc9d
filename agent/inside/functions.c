// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * The functions that the agent knows (src/probe/cuda/functions.c) by the numbers that this CUPTI gives them.
 * It is asked for their names: numbers are not written down here.
 */
#include <string.h>
#include "../src/probe/cuda/functions.h"
#include "inside.h"

/* More than CUDA 13 has of either; CUPTI refuses those there are not. */
#define MOST_IDS 2048
#define HASHES 1024 /* a power of two, well above the number of functions */
#define NAME_ROOM 96

static uint16_t numbers[2][MOST_IDS];
static uint16_t by_hash[HASHES];

static unsigned int symbol_hash(const char *name)
{
	unsigned int hash = 5381;

	while (*name)
		hash = hash * 33 + (unsigned char)*name++;
	return hash & (HASHES - 1);
}

void functions_set_up(void)
{
	memset(by_hash, 0xff, sizeof(by_hash));
	for (unsigned int i = 0; i < cuda_function_count; i++) {
		unsigned int slot = symbol_hash(cuda_functions[i].symbol);

		while (by_hash[slot] != NO_FUNCTION)
			slot = (slot + 1) & (HASHES - 1);
		by_hash[slot] = (uint16_t)i;
	}
}

uint16_t function_by_symbol(const char *symbol)
{
	unsigned int slot = symbol_hash(symbol);

	for (; by_hash[slot] != NO_FUNCTION; slot = (slot + 1) & (HASHES - 1))
		if (!strcmp(cuda_functions[by_hash[slot]].symbol, symbol))
			return by_hash[slot];
	return NO_FUNCTION;
}

/* cudaMemcpyAsync_ptsz_v7000 → cudaMemcpyAsync_ptsz: _v2 is a function of its own, _v7000 is not. */
static uint16_t find_function(const char *name)
{
	char symbol[NAME_ROOM];
	size_t length = strlen(name), digits = 0;

	if (length >= sizeof(symbol))
		return NO_FUNCTION;
	memcpy(symbol, name, length + 1);
	while (digits < length && symbol[length - digits - 1] >= '0' &&
	       symbol[length - digits - 1] <= '9')
		digits++;
	if (digits >= 4 && length > digits + 2 && symbol[length - digits - 1] == 'v' &&
	    symbol[length - digits - 2] == '_')
		symbol[length - digits - 2] = '\0';
	return function_by_symbol(symbol);
}

bool functions_subscribe(void)
{
	bool found = false;

	memset(numbers, 0xff, sizeof(numbers));
	for (int domain = DOMAIN_DRIVER; domain <= DOMAIN_RUNTIME; domain++) {
		for (uint32_t id = 1; id < MOST_IDS; id++) {
			const char *name = NULL;
			uint16_t function;

			if (inside.cupti.GetCallbackName(domain, id, &name) || !name)
				continue;
			function = find_function(name);
			if (function == NO_FUNCTION ||
			    inside.cupti.EnableCallback(1, inside.subscriber, domain, id))
				continue;
			numbers[domain - DOMAIN_DRIVER][id] = function;
			found = true;
		}
	}
	return found;
}

uint16_t function_of(int domain, uint32_t id)
{
	if (domain < DOMAIN_DRIVER || domain > DOMAIN_RUNTIME || id >= MOST_IDS)
		return NO_FUNCTION;
	return numbers[domain - DOMAIN_DRIVER][id];
}
