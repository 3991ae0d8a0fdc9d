/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
#ifndef STALLTRACE_RESERVE_H
#define STALLTRACE_RESERVE_H

#include <errno.h>
#include <stdlib.h>

/* Room for `needed` entries, by doubling. 0, -ENOSPC beyond `max`, or -ENOMEM with all as it was. */
static inline int reserve(void **array, size_t *capacity, size_t needed, size_t entry_size,
			  size_t max)
{
	size_t wanted = *capacity ? *capacity : 32;
	void *grown;

	if (needed <= *capacity)
		return 0;
	if (needed > max)
		return -ENOSPC;
	while (wanted < needed)
		wanted *= 2;
	grown = realloc(*array, wanted * entry_size);
	if (!grown)
		return -ENOMEM;
	*array = grown;
	*capacity = wanted;
	return 0;
}

#endif /* STALLTRACE_RESERVE_H */
