/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* How often something is looked up: it costs a share of a CPU that was chosen, however busy the job is. */
#ifndef STALLTRACE_LOOK_UPS_H
#define STALLTRACE_LOOK_UPS_H

#include <stdbool.h>
#include <stdint.h>
#include "../../clock.h"

struct look_ups {
	uint64_t second_ns; /* in which they were made */
	unsigned int count;
};

/* Whether one more of `most` a second may be made; it counts as made. */
static inline bool may_look(struct look_ups *look_ups, uint64_t now_ns, unsigned int most)
{
	if (now_ns >= look_ups->second_ns + NS_PER_SECOND) {
		look_ups->second_ns = now_ns;
		look_ups->count = 0;
	}
	return look_ups->count++ < most;
}

#endif /* STALLTRACE_LOOK_UPS_H */
