/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* spin SECONDS CPU NAME: keeps that CPU busy under that name; CPU -1 = wherever it is put. */
#include <sched.h>
#include <sys/prctl.h>
#include "report.h"

int main(int argc, char **argv)
{
	cpu_set_t cpus;

	if (argc != 4)
		return 2;
	CPU_ZERO(&cpus);
	if (atoi(argv[2]) >= 0) {
		CPU_SET((size_t)atoi(argv[2]), &cpus);
		if (sched_setaffinity(0, sizeof(cpus), &cpus) != 0)
			return 3;
	}
	prctl(PR_SET_NAME, argv[3]);
	spin_ns((uint64_t)(1e9 * atof(argv[1])));
	return 0;
}
