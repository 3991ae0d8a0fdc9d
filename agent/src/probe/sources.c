/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "uprobe_links.h"
#include "source_table.h"
#include "sources.h"
#include "uprobes.h"

const char *source_name(enum source source)
{
	static const char *const names[SOURCE_COUNT] = {
		[SOURCE_SWITCHES] = "switches",
		[SOURCE_PROCESSES] = "processes",
		[SOURCE_CALLS] = "cuda_calls",
		[SOURCE_SAMPLES] = "cpu_samples",
		[SOURCE_BLOCK_IO] = "block_io",
		[SOURCE_RECLAIM] = "reclaim",
		[SOURCE_OOM] = "oom",
		[SOURCE_PAGE_FAULTS] = "page_faults",
		[SOURCE_PAGE_ALLOCS] = "page_allocs",
		[SOURCE_SYSCALLS] = "syscalls",
		[SOURCE_OFF_CPU_STACKS] = "off_cpu_stacks",
	};

	return source < SOURCE_COUNT ? names[source] : "unknown";
}

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

/* The tracepoints of all entries, each with what the kernel says of it, in the entries' order. */
static int look_up_entries(struct tracepoint found[ENTRIES], const char *pretend_missing)
{
	for (size_t i = 0; i < ENTRIES; i++)
		found[i] = (struct tracepoint){
			.name = program_entries[i].tracepoint ? program_entries[i].tracepoint : "",
		};
	return find_tracepoints(found, ENTRIES, pretend_missing);
}

static const struct tracepoint *find_entry(const struct tracepoint found[ENTRIES], const char *name)
{
	for (size_t i = 0; i < ENTRIES; i++) {
		if (!strcmp(found[i].name, name))
			return &found[i];
	}
	return NULL;
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
	struct source_status *status = &plan->status[SOURCE_CALLS];

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

/* What a source is without before any program is tried. */
static void plan_source(struct load_plan *plan, enum source source,
			const struct tracepoint found[ENTRIES])
{
	struct source_status *status = &plan->status[source];

	status->wanted = plan->options->wanted[source];
	mark_missing(status, "not asked for");
	if (!status->wanted)
		return;
	mark_available(status, "BPF");
	if (pretends_missing(plan->options->pretend_missing, source_name(source)))
		mark_missing(status, "%s: taken away for a test", source_name(source));
	for (size_t i = 0; i < ENTRIES; i++) {
		if (program_entries[i].source == source && program_entries[i].tracepoint &&
		    program_entries[i].need == NEEDED && !found[i].found && status->available)
			mark_missing(
				status,
				"the kernel has no tracepoint %s in its BTF: use a kernel that "
				"was built with it",
				program_entries[i].tracepoint);
	}
}

static void plan_sources(struct load_plan *plan, const struct tracepoint found[ENTRIES])
{
	const char *pretend = plan->options->pretend_missing;
	struct source_status *status = plan->status;

	for (enum source source = 0; source < SOURCE_COUNT; source++)
		plan_source(plan, source, found);
	if (status[SOURCE_CALLS].available)
		plan_uprobes(plan, UPROBE_NONE);
	for (enum source source = 0; source < SOURCE_COUNT; source++) {
		if ((source == SOURCE_SAMPLES || source == SOURCE_PAGE_FAULTS) &&
		    status[source].available && pretends_missing(pretend, "perf_event"))
			mark_missing(&status[source], "perf events can't be opened");
	}
	if (status[SOURCE_OFF_CPU_STACKS].available && !status[SOURCE_SWITCHES].available)
		mark_missing(&status[SOURCE_OFF_CPU_STACKS],
			     "there are no switches to take them at");
}

/* How the tracepoints' arguments have changed over the kernels. */
static void plan_arguments(struct load_plan *plan, const struct tracepoint found[ENTRIES])
{
	plan->switch_has_state = find_entry(found, "sched_switch")->arguments >= 4;
	plan->block_has_queue = find_entry(found, "block_rq_issue")->arguments >= 2;
	plan->oom_passes_task = find_entry(found, "mark_victim")->first_is_pointer;
}

int plan_load(struct load_plan *plan, char *detail, size_t detail_size)
{
	const char *pretend = plan->options->pretend_missing;
	struct tracepoint found[ENTRIES];
	int err = look_up_entries(found, pretend);

	if (err < 0) {
		snprintf(
			detail, detail_size,
			"the kernel doesn't describe its types (/sys/kernel/btf/vmlinux): use one "
			"built with CONFIG_DEBUG_INFO_BTF, as distributions' are since 2021, and in a "
			"container mount /sys");
		return err;
	}
	err = prove_tracing_allowed(pretend, detail, detail_size);
	if (err < 0)
		return err;
	for (size_t i = 0; i < ENTRIES; i++) {
		if (program_entries[i].source != SOURCE_ALWAYS ||
		    (program_entries[i].tracepoint ? found[i].found : has_iterators(pretend)))
			continue;
		snprintf(detail, detail_size,
			 "the kernel is too old or has no %s for programs: 5.15 or newer is needed",
			 program_entries[i].program);
		return -ENOTSUP;
	}
	plan_arguments(plan, found);
	plan_sources(plan, found);
	for (size_t i = 0; i < ENTRIES; i++)
		plan->absent[i] = program_entries[i].tracepoint && !found[i].found;
	return 0;
}
