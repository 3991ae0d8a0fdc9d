/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* renames SECONDS: renames itself as often as it can. Reports how often that was. */
#include <inttypes.h>
#include <sys/prctl.h>
#include "report.h"

int main(int argc, char **argv)
{
	uint64_t end_ns = now_ns() + (argc > 1 ? strtoull(argv[1], NULL, 10) : 1) * 1000000000;
	uint64_t renames = 0;
	char name[16];
	FILE *out = report();

	while (now_ns() < end_ns) {
		snprintf(name, sizeof(name), "name %" PRIu64, renames++ % 100000);
		prctl(PR_SET_NAME, name);
	}
	fprintf(out, "{\"renames\": %" PRIu64 "}\n", renames);
	return fclose(out) ? 3 : 0;
}
