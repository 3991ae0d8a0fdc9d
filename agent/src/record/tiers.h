/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * What a capture can be made from, and in plain words what each gives. The one place that says so: `check`, the
 * app's screens, the trace and docs/agent.md say it in these words.
 */
#ifndef STALLTRACE_TIERS_H
#define STALLTRACE_TIERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum tier_id {
	TIER_BPF,
	TIER_INSIDE,
	TIER_IMPORTS,
	TIER_PERF,
	TIER_PYTHON,
	TIER_PROC,
	TIER_GPU_SAMPLES,
	TIER_MACHINE,
	TIER_COUNT
};
#define TIER_BIT(tier) (1u << (tier))

#define TIER_TEXTS 6

struct tier_text {
	const char *text; /* NULL = ends the list */
	uint32_t unless;  /* TIER_BIT of who tells the same, or more of it */
};

struct tier {
	const char *id, *label;
	struct tier_text sees[TIER_TEXTS + 1];
	struct tier_text misses[TIER_TEXTS + 1]; /* what nobody sees without it */
	const char *instead;                     /* what is done where it can't be had */
	const char *brings;                      /* what would bring it */
};

extern const struct tier tiers[TIER_COUNT];

/* Whether it can be had here, as tried. */
struct tier_status {
	bool available;
	char detail[320]; /* why not, or how */
};

/* A way to capture: of what tiers it is made, and who of them it can't do without. */
struct capture_mode {
	const char *id; /* as the app has it */
	enum tier_id main;
	uint32_t tiers;
	const char *from; /* "inside the job"; NULL = not worth a word */
};
#define CAPTURE_MODES 3
/* That which sees most first. */
extern const struct capture_mode capture_modes[CAPTURE_MODES];

/* What the mode would see here, or not, one text after the other from *at = 0 on; NULL at the end. */
const char *mode_sees(const struct capture_mode *mode, const struct tier_status *status,
		      unsigned int *at);
/* And why not, in a text of who is missing. */
const char *mode_misses(const struct capture_mode *mode, const struct tier_status *status,
			unsigned int *at, const char **why);

#endif /* STALLTRACE_TIERS_H */
