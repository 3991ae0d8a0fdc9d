/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What the two halves of the stand-in for CUPTI share: callbacks, and records of the GPU's work. */
#ifndef STAND_IN_CUPTI_H
#define STAND_IN_CUPTI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "gpu.h"

#define EXPORT __attribute__((visibility("default")))

enum {
	OK = 0,
	INVALID_PARAMETER = 1,
	MAX_LIMIT = 12,
	NOT_INITIALIZED = 15,
	INVALID_KIND = 21,
	INSUFFICIENT_PRIVILEGES = 35,
	SUBSCRIBED = 39,
	UNKNOWN = 999,
};

/* STALLTRACE_STAND_IN_CUPTI has the words of it, with commas between. */
enum {
	TAKEN,
	REFUSED,
	NO_CLOCK,
	HANG,
	DROP,
	SHUFFLE,
	SHORT,
	NO_RECORDS,
	NO_KERNELS,
	DRIVER_IDS,
	OTHER_IDS,
	BEHAVIOURS
};
extern bool behaves[BEHAVIOURS];
/* 0 = 11.8, 1 = 12.4, 2 = 13.0, 3 = 13.3 */
extern unsigned int stand_in_generation;

/* The number of the outermost call that the thread is in; 0 = in none. */
uint32_t current_correlation(void);
/* From now on the stand-in's libraries tell of their calls and work. */
void hook_stand_in(void);
/* Keeps the work until it is done and asked for. */
void record_work(const struct gpu_work *work, uint32_t correlation);

extern char stand_in_context;

#endif /* STAND_IN_CUPTI_H */
