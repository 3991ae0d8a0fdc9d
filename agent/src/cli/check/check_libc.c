// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* What COMMAND is started with: the library that CUDA loads into it is linked with that. */
#include <stdio.h>
#include "../../host/libc.h"
#include "check_report.h"

#define NEEDED_MINOR 17

static void warn(struct check_report *report)
{
	check_add(report, "libc", "C library", CHECK_WARN,
		  "Start COMMAND in a container whose system has glibc 2.17 or later.", "%s",
		  report->without_inside);
}

void check_libc(struct check_report *report)
{
	struct libc libc;

	if (!libc_find("", &libc)) {
		check_add(
			report, "libc", "C library", CHECK_INFO, NULL,
			"None in the usual places. Recording from inside needs glibc 2.17 or later.");
	} else if (libc.musl) {
		snprintf(report->without_inside, sizeof(report->without_inside),
			 "The C library is musl: CUDA, and recording from inside, need glibc.");
		warn(report);
	} else if (!libc.major) {
		check_add(
			report, "libc", "C library", CHECK_INFO, NULL,
			"%s does not say its version. Recording from inside needs glibc 2.17 or later.",
			libc.path);
	} else if (libc.major < 2 || (libc.major == 2 && libc.minor < NEEDED_MINOR)) {
		snprintf(report->without_inside, sizeof(report->without_inside),
			 "glibc %u.%u is too old for recording from inside, which needs 2.17.",
			 libc.major, libc.minor);
		warn(report);
	} else {
		check_add(report, "libc", "C library", CHECK_OK, NULL,
			  "glibc %u.%u: recording from inside needs 2.17.", libc.major, libc.minor);
	}
}
