// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include <stdlib.h>
#include "../../probe/kernel/kernel_support.h"
#include "../arguments.h"
#include "check_report.h"
#include "../commands.h"
#include "../recording/events.h"

#define EXIT_SAMPLED 3

static const char help[] =
	"Usage: stalltrace-agent check [--pretend-missing LIST] [--json]\n"
	"\n"
	"What can be captured on this machine by this user, and what not and why. Loads the BPF\n"
	"programs to prove it, attaches none.\n"
	"\n"
	"  --pretend-missing LIST  as of a machine without these (btf, bpf, lockdown, …): for tests\n"
	"\n"
	"Exit code: 0 everything that needs BPF can be had, 3 not: see the mode, 1 failure.\n";

int command_check(int argc, char **argv)
{
	const char *pretend_missing = pretended_by_environment();
	struct check_report *report;
	bool json = false;
	const struct option_target targets[] = {
		{"--pretend-missing", .value = &pretend_missing},
		{"--json", .given = &json},
		{0},
	};
	int code = arguments_read(argc, argv, help, targets);

	if (code != ARGUMENTS_END)
		return code;
	report = calloc(1, sizeof(*report));
	if (!report) {
		say("There is not enough memory to check this machine.");
		return 1;
	}
	report->pretend_missing = pretend_missing;
	check_kernel(report);
	check_libc(report);
	check_sources(report);
	check_cuda(report);
	check_machine(report);
	check_tiers(report);
	code = report->full ? 0 : EXIT_SAMPLED;
	if (json ? check_print_json(report) : check_print_table(report))
		code = 1;
	free(report);
	return code;
}
