// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Why switches can't be recorded, in words. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../../host/file_text.h"
#include "rings.h"

/* Beyond 2 it is a distribution's own level, which refuses even events of one's own threads. */
static bool is_refused_by_sysctl(long *level)
{
	char text[32];

	if (file_text_line("/proc/sys/kernel/perf_event_paranoid", text, sizeof(text)) < 0)
		return false;
	*level = strtol(text, NULL, 10);
	return *level > 2;
}

static void explain_refusal(int err, char *why, size_t why_size)
{
	long level = 0;

	if (is_refused_by_sysctl(&level))
		snprintf(why, why_size,
			 "perf_event_open is refused: kernel.perf_event_paranoid is %ld here.",
			 level);
	else if (err == -EACCES)
		snprintf(
			why, why_size,
			"perf_event_open is refused: the process is another user's, or a security module forbids it.");
	else
		snprintf(
			why, why_size,
			"perf_event_open is refused: by a seccomp filter, as Docker's default has one.");
}

void perf_rings_explain(int err, char *why, size_t why_size)
{
	if (err == -EPERM || err == -EACCES)
		explain_refusal(err, why, why_size);
	else if (err == -ENOBUFS)
		snprintf(
			why, why_size,
			"Too little memory may be locked for a ring on each CPU (kernel.perf_event_mlock_kb, ulimit -l), or another capture of this user has it.");
	else if (err == -ENOSYS || err == -ENOENT || err == -EOPNOTSUPP)
		snprintf(why, why_size, "The kernel has no perf events here.");
	else if (err == -EMFILE || err == -ENFILE)
		snprintf(
			why, why_size,
			"Too many files would be open (ulimit -n): one for each thread of the job on each CPU. Launch the job with the capture: that needs one for each CPU.");
	else if (err == -ENODATA)
		snprintf(why, why_size, "Perf events can be had, but tell no switches.");
	else
		snprintf(why, why_size, "Perf events can't be had: %s.", strerror(-err));
}
