// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include <stdlib.h>
#include "cpu_list.h"

/* NR_CPUS is 8192 at most (arch/x86/Kconfig). */
#define MAX_CPU_NUMBER 8191

int cpu_list_each(const char *text, int (*visit)(void *context, unsigned int cpu), void *context)
{
	while (*text >= '0' && *text <= '9') {
		char *end;
		unsigned long first = strtoul(text, &end, 10);
		unsigned long last = *end == '-' ? strtoul(end + 1, &end, 10) : first;

		for (unsigned long cpu = first; cpu <= last && cpu <= MAX_CPU_NUMBER; cpu++) {
			int result = visit(context, (unsigned int)cpu);

			if (result)
				return result;
		}
		text = *end == ',' ? end + 1 : end;
	}
	return 0;
}
