// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* The BPF programs, loaded with everything that may be asked for. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "../../probe/kernel/kernel_support.h"
#include "../../probe/load/programs.h"
#include "../../record/event_source.h"
#include "../../record/recorder.h"
#include "check_report.h"

static const char *const uprobe_kinds[] = {
	[UPROBE_NONE] = "none",
	[UPROBE_SESSION] = "sessions (Linux 6.13 on)",
	[UPROBE_MULTI] = "multi (Linux 6.6 on)",
	[UPROBE_PERF] = "one by one through perf: attaching takes seconds",
};

static void add_source(struct check_report *report, int source, const struct source_status *status)
{
	const struct event_source *row = event_sources[source];
	const char *name = row->probe.name;

	check_add(report, name, row->label,
		  status->available ? CHECK_OK :
		  row->profile      ? CHECK_INFO :
				      CHECK_WARN,
		  NULL, "%s%s", status->detail, row->profile ? " (opt-in)" : "");
	if (status->available)
		check_captured(report, name);
	else
		check_missing(report, name, status->detail,
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

static bool has_perf(const struct check_report *report)
{
	char why[256];

	return !pretends_missing(report->pretend_missing, tiers[TIER_PERF].id) &&
	       !perf_recorder.try_out(why, sizeof(why));
}

/* What perf events or polling give instead. */
static void add_sampled(struct check_report *report, const char *why)
{
	const char *how = has_perf(report) ? "of the job's own threads" : "sampled";
	static const char next[] =
		"Run the agent as root on a kernel with BTF; see the lines that failed.";
	static char sampled[SOURCE_COUNT][64]; /* the report keeps them */

	check_add(report, "bpf", "BPF programs", CHECK_FAIL, next, "%s", why);
	for (int i = 0; i < SOURCE_COUNT; i++) {
		const char *name = event_sources[i]->probe.name;

		snprintf(sampled[i], sizeof(sampled[i]), "%s (%s)", name, how);
		if (proc_recorder.sources & SOURCE_BIT(i))
			check_captured(report, sampled[i]);
		else if (bpf_recorder.sources & SOURCE_BIT(i))
			check_missing(report, name, why, next);
	}
}

void check_sources(struct check_report *report)
{
	const struct programs_options options = {
		.sources = probe_sources,
		.source_count = SOURCE_COUNT,
		.always = &targets_source.probe,
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
		status[i].wanted = bpf_recorder.sources & SOURCE_BIT(i);
	if (programs_load(&options, &programs, status, detail, sizeof(detail))) {
		if (!detail[0])
			snprintf(detail, sizeof(detail), "The BPF programs can't be loaded.");
		snprintf(report->without_bpf, sizeof(report->without_bpf), "%s", detail);
		add_sampled(report, detail);
		return;
	}
	report->full = true;
	for (int i = 0; i < SOURCE_COUNT; i++)
		report->full &= status[i].available || !event_sources[i]->essential;
	report->partial = !report->full;
	check_add(report, "bpf", "BPF programs", CHECK_OK, NULL, "Loaded; none was attached.");
	add_uprobes(report, programs);
	for (int i = 0; i < SOURCE_COUNT; i++)
		if (status[i].wanted)
			add_source(report, i, &status[i]);
	programs_free(programs);
}
