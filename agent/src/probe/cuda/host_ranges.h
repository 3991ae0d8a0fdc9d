/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Which memory of a process is what, for decode_call. What is not certain is never said. */
#ifndef STALLTRACE_HOST_RANGES_H
#define STALLTRACE_HOST_RANGES_H

#include <stdbool.h>
#include "functions.h"

enum range_memory {
	RANGE_NONE,    /* touches nothing that is known */
	RANGE_UNKNOWN, /* touches what is known without lying inside it, or several kinds */
	RANGE_DEVICE,
	RANGE_PINNED,
	RANGE_REGISTERED,
	RANGE_MANAGED,
};

/* Memory that a call which ended at known_ns proved; what it overlaps is no more. */
void host_ranges_add(struct host_ranges *ranges, uint32_t tgid, uint64_t address, uint64_t size,
		     enum range_memory memory, uint64_t known_ns);
/*
 * Forgets what begins at the address and is `registered` or isn't. The freeing call began at
 * start_ns: what became known only then is another's, who was given the address anew before this
 * call's return was seen.
 */
void host_ranges_remove(struct host_ranges *ranges, uint32_t tgid, uint64_t address,
			bool registered, uint64_t start_ns);
enum range_memory host_ranges_find(const struct host_ranges *ranges, uint32_t tgid,
				   uint64_t address, uint64_t size);
/* Bytes in [begin, end) that are pinned or registered. */
uint64_t host_ranges_pinned(const struct host_ranges *ranges, uint32_t tgid, uint64_t begin,
			    uint64_t end);
/* Whether memory that is in no range is pageable: nothing can have been missed. */
bool host_ranges_complete(const struct host_ranges *ranges, uint32_t tgid);

#endif /* STALLTRACE_HOST_RANGES_H */
