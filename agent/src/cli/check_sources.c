// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* The BPF programs, loaded with everything that may be asked for. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "../probe/programs.h"
#include "check_report.h"

static const struct {
	const char *label;
	bool opt_in;
} sources[SOURCE_COUNT] = {
	[SOURCE_SWITCHES] = {"CPU switches", false},
	[SOURCE_PROCESSES] = {"Processes", false},
	[SOURCE_CALLS] = {"CUDA calls", false},
	[SOURCE_SAMPLES] = {"CPU samples", false},
	[SOURCE_BLOCK_IO] = {"Block I/O", false},
	[SOURCE_RECLAIM] = {"Memory reclaim", false},
	[SOURCE_OOM] = {"OOM kills", false},
	[SOURCE_PAGE_FAULTS] = {"Page faults", true},
	[SOURCE_PAGE_ALLOCS] = {"Page allocations", true},
	[SOURCE_SYSCALLS] = {"System calls", true},
	[SOURCE_OFF_CPU_STACKS] = {"Stacks at switches", true},
};

static const char *const uprobe_kinds[] = {
	[UPROBE_NONE] = "none",
	[UPROBE_SESSION] = "sessions (Linux 6.13 on)",
	[UPROBE_MULTI] = "multi (Linux 6.6 on)",
	[UPROBE_PERF] = "one by one through perf: attaching takes seconds",
};

static void add_source(struct check_report *report, int source, const struct source_status *status)
{
	const char *label = sources[source].label;

	check_add(report, source_name(source), label,
		  status->available      ? CHECK_OK :
		  sources[source].opt_in ? CHECK_INFO :
					   CHECK_WARN,
		  NULL, "%s%s", status->detail, sources[source].opt_in ? " (opt-in)" : "");
	if (status->available)
		check_captured(report, source_name(source));
	else
		check_missing(report, source_name(source), status->detail,
			      geteuid() ? "Run the agent as root." : NULL);
}

static void add_uprobes(struct check_report *report, const struct programs *programs)
{
	enum uprobe_kind kind = programs_uprobe_kind(programs);

	check_add(report, "uprobes", "Probes on functions",
		  kind == UPROBE_NONE ? CHECK_WARN :
		  kind == UPROBE_PERF ? CHECK_INFO :
					CHECK_OK,
		  NULL, "Kind: %s.", uprobe_kinds[kind]);
}

/* What polling gives instead. */
static void add_sampled(struct check_report *report, const char *why)
{
	static const char next[] =
		"Run the agent as root on a kernel with BTF; see the lines that failed.";

	check_add(report, "bpf", "BPF programs", CHECK_FAIL, next, "%s", why);
	check_captured(report, "switches (sampled)");
	check_captured(report, "processes (sampled)");
	for (int i = 0; i < SOURCE_COUNT; i++) {
		if (i != SOURCE_SWITCHES && i != SOURCE_PROCESSES)
			check_missing(report, source_name(i), why, next);
	}
}

void check_sources(struct check_report *report)
{
	struct programs_options options = {
		.python = true,
		.stack_threshold_ns = 50000,
		.launches_per_bucket = 1000,
		.ring_bytes = 1 << 20,
		.pretend_missing = report->pretend_missing,
	};
	struct source_status status[SOURCE_COUNT] = {0};
	struct programs *programs = NULL;
	char detail[512] = "";

	for (int i = 0; i < SOURCE_COUNT; i++)
		options.wanted[i] = true;
	if (programs_load(&options, &programs, status, detail, sizeof(detail))) {
		add_sampled(report, detail[0] ? detail : "The BPF programs can't be loaded.");
		return;
	}
	report->full = status[SOURCE_SWITCHES].available && status[SOURCE_CALLS].available;
	report->partial = !report->full;
	check_add(report, "bpf", "BPF programs", CHECK_OK, NULL, "Loaded; none was attached.");
	add_uprobes(report, programs);
	for (int i = 0; i < SOURCE_COUNT; i++)
		add_source(report, i, &status[i]);
	programs_free(programs);
}
