/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* How often something is looked up, however busy the job is. Times are those of the records that it is looked up for. */
#ifndef STALLTRACE_LOOK_UPS_H
#define STALLTRACE_LOOK_UPS_H

#include <stdbool.h>
#include <stdint.h>
#include "../../clock.h"

/* The next look waits so many times as long as one took: looks take 5 % of a CPU at the most. */
#define PAUSE_TIMES 20

struct look_ups {
	uint64_t second_ns; /* in which they were made */
	uint64_t until_ns;  /* none is made before: see looked_for */
	unsigned int count;
};

/* Whether one more of `most` a second may be made; it counts as made. */
static inline bool may_look(struct look_ups *look_ups, uint64_t now_ns, unsigned int most)
{
	if (now_ns < look_ups->until_ns)
		return false;
	if (now_ns >= look_ups->second_ns + NS_PER_SECOND) {
		look_ups->second_ns = now_ns;
		look_ups->count = 0;
	}
	return look_ups->count++ < most;
}

/* For look-ups whose length the job decides, as by what it maps. */
static inline void looked_for(struct look_ups *look_ups, uint64_t now_ns, uint64_t took_ns)
{
	look_ups->until_ns = now_ns + PAUSE_TIMES * took_ns;
}

#endif /* STALLTRACE_LOOK_UPS_H */
