/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "../kernel/uprobe_links.h"
#include "load_plan.h"
#include "../kernel/return_probes.h"

void mark_missing(struct source_status *status, const char *format, ...)
{
	va_list arguments;

	status->available = false;
	va_start(arguments, format);
	vsnprintf(status->detail, sizeof(status->detail), format, arguments);
	va_end(arguments);
}

static void mark_available(struct source_status *status, const char *detail)
{
	status->available = true;
	snprintf(status->detail, sizeof(status->detail), "%s", detail);
}

/* Adds the programs of a source; -E2BIG would be a fault of ours. */
static int list_programs(struct load_plan *plan, const struct probe_source *source,
			 unsigned int place)
{
	for (unsigned int i = 0; i < SOURCE_PROGRAMS && source->programs[i].program; i++) {
		unsigned int at = plan->program_count;

		if (at == MAX_PROGRAMS)
			return -E2BIG;
		plan->programs[at].program = &source->programs[i];
		plan->programs[at].source = place;
		plan->tracepoints[at].name =
			source->programs[i].tracepoint ? source->programs[i].tracepoint : "";
		plan->program_count++;
	}
	return 0;
}

/* Of all sources, each with what the kernel says of its tracepoint. */
static int look_up_programs(struct load_plan *plan)
{
	const struct programs_options *options = plan->options;
	int err = list_programs(plan, options->always, options->source_count);

	for (unsigned int i = 0; !err && i < options->source_count; i++)
		err = list_programs(plan, options->sources[i], i);
	if (err)
		return err;
	err = find_tracepoints(plan->tracepoints, plan->program_count, options->pretend_missing);
	for (unsigned int i = 0; i < plan->program_count; i++)
		plan->programs[i].absent = plan->programs[i].program->tracepoint &&
					   !plan->tracepoints[i].found;
	return err;
}

unsigned int uprobe_source(const struct programs_options *options)
{
	unsigned int i = 0;

	while (i < options->source_count && !options->sources[i]->uprobes)
		i++;
	return i;
}

static bool has_iterators(const char *pretend_missing)
{
	return !pretends_missing(pretend_missing, "task_iterator");
}

static enum uprobe_kind next_uprobe_kind(enum uprobe_kind kind, const char *pretend_missing)
{
	if (kind < UPROBE_SESSION && !pretends_missing(pretend_missing, "uprobe_session") &&
	    has_uprobe_link(ATTACH_UPROBE_SESSION) && has_uprobe_link(ATTACH_UPROBE_MULTI))
		return UPROBE_SESSION;
	if (kind < UPROBE_MULTI && !pretends_missing(pretend_missing, "uprobe_multi") &&
	    has_uprobe_link(ATTACH_UPROBE_MULTI))
		return UPROBE_MULTI;
	if (kind < UPROBE_PERF && !pretends_missing(pretend_missing, "uprobe_perf") &&
	    !access("/sys/bus/event_source/devices/uprobe/type", R_OK))
		return UPROBE_PERF;
	return UPROBE_NONE;
}

void plan_uprobes(struct load_plan *plan, enum uprobe_kind after)
{
	static const char *const details[] = {
		[UPROBE_SESSION] = "uprobes, one session for entry and return",
		[UPROBE_MULTI] = "uprobes, many to a link",
		[UPROBE_PERF] = "uprobes, a perf event each",
	};
	unsigned int source = uprobe_source(plan->options);
	struct source_status *status = &plan->status[source];

	plan->uprobes = UPROBE_NONE;
	if (source == plan->options->source_count)
		return;
	plan->uprobes = status->wanted ? next_uprobe_kind(after, plan->options->pretend_missing) :
					 UPROBE_NONE;
	if (!status->wanted)
		return;
	if (plan->uprobes == UPROBE_NONE)
		mark_missing(status, "the kernel has no uprobes that programs may use: it needs "
				     "CONFIG_UPROBES and CONFIG_UPROBE_EVENTS");
	else
		mark_available(status, details[plan->uprobes]);
	plan->entry_only = return_probes_may_kill(plan->options->pretend_missing);
}

/* The first tracepoint that the source needs and the kernel has not; NULL = it has all. */
static const char *missing_tracepoint(const struct load_plan *plan, unsigned int source)
{
	for (unsigned int i = 0; i < plan->program_count; i++) {
		const struct planned_program *planned = &plan->programs[i];

		if (planned->source == source && planned->program->need == NEEDED &&
		    planned->absent)
			return planned->program->tracepoint;
	}
	return NULL;
}

/* What a source is without before any program is tried. */
static void plan_source(struct load_plan *plan, unsigned int place)
{
	const struct probe_source *source = plan->options->sources[place];
	const char *pretend = plan->options->pretend_missing;
	struct source_status *status = &plan->status[place];
	const char *tracepoint = missing_tracepoint(plan, place);

	if (!status->wanted)
		mark_missing(status, "not asked for");
	else if (pretends_missing(pretend, source->name))
		mark_missing(status, "%s: taken away for a test", source->name);
	else if (tracepoint)
		mark_missing(status,
			     "the kernel has no tracepoint %s in its BTF: use a kernel that "
			     "was built with it",
			     tracepoint);
	else
		mark_available(status, "BPF");
	if (source->uprobes && status->available)
		plan_uprobes(plan, UPROBE_NONE);
	if (source->perf_events && status->available && pretends_missing(pretend, "perf_event"))
		mark_missing(status, "perf events can't be opened");
}

void leave_out_dependents(struct load_plan *plan)
{
	const struct programs_options *options = plan->options;

	for (unsigned int i = 0; i < options->source_count; i++) {
		for (unsigned int j = 0; j < options->source_count; j++) {
			if (options->sources[i]->needs == options->sources[j] &&
			    plan->status[i].available && !plan->status[j].available)
				mark_missing(&plan->status[i], "%s",
					     options->sources[i]->without_needed);
		}
	}
}

/* NULL = the kernel has all that recording can't do without. */
static const char *missing_always(const struct load_plan *plan)
{
	const char *pretend = plan->options->pretend_missing;

	for (unsigned int i = 0; i < plan->program_count; i++) {
		const struct planned_program *planned = &plan->programs[i];
		bool there = planned->program->tracepoint ? !planned->absent :
							    has_iterators(pretend);

		if (planned->source == plan->options->source_count && !there)
			return planned->program->program;
	}
	return NULL;
}

int plan_load(struct load_plan *plan, char *detail, size_t detail_size)
{
	int err = look_up_programs(plan);
	const char *missing;

	if (err < 0) {
		snprintf(
			detail, detail_size,
			"the kernel doesn't describe its types (/sys/kernel/btf/vmlinux): use one "
			"built with CONFIG_DEBUG_INFO_BTF, as distributions' are since 2021, and in a "
			"container mount /sys");
		return err;
	}
	err = prove_tracing_allowed(plan->options->pretend_missing, detail, detail_size);
	if (err < 0)
		return err;
	missing = missing_always(plan);
	if (missing) {
		snprintf(detail, detail_size,
			 "the kernel is too old or has no %s for programs: 5.15 or newer is needed",
			 missing);
		return -ENOTSUP;
	}
	for (unsigned int i = 0; i < plan->options->source_count; i++)
		plan_source(plan, i);
	leave_out_dependents(plan);
	return 0;
}
