/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "sources.h"

#define SYSCALL_THRESHOLD_NS 1000000
#define RING_BYTES (16u << 20)

/* A source without its needed tracepoints is missing; others only make it better. */
enum need { NEEDED, BETTER };

struct program_entry {
	const char *program;
	const char *tracepoint; /* NULL = attached otherwise */
	enum source source;
	enum need need;
};

/* Without these there are no targets. */
#define SOURCE_ALWAYS SOURCE_COUNT

static const struct program_entry entries[] = {
	{"sched_process_fork", "sched_process_fork", SOURCE_ALWAYS, NEEDED},
	{"sched_process_exec", "sched_process_exec", SOURCE_ALWAYS, NEEDED},
	{"sched_process_exit", "sched_process_exit", SOURCE_ALWAYS, NEEDED},
	{"enrol_tasks", NULL, SOURCE_ALWAYS, NEEDED},
	{"flush_tasks", NULL, SOURCE_ALWAYS, NEEDED},
	{"task_rename", "task_rename", SOURCE_PROCESSES, NEEDED},
	{"sched_switch", "sched_switch", SOURCE_SWITCHES, NEEDED},
	{"sched_waking", "sched_waking", SOURCE_SWITCHES, NEEDED},
	{"sched_wakeup_new", "sched_wakeup_new", SOURCE_SWITCHES, NEEDED},
	{"sched_migrate_task", "sched_migrate_task", SOURCE_SWITCHES, NEEDED},
	{"irq_handler_entry", "irq_handler_entry", SOURCE_SWITCHES, BETTER},
	{"irq_handler_exit", "irq_handler_exit", SOURCE_SWITCHES, BETTER},
	{"hrtimer_expire_entry", "hrtimer_expire_entry", SOURCE_SWITCHES, BETTER},
	{"hrtimer_expire_exit", "hrtimer_expire_exit", SOURCE_SWITCHES, BETTER},
	{"softirq_entry", "softirq_entry", SOURCE_SWITCHES, BETTER},
	{"softirq_exit", "softirq_exit", SOURCE_SWITCHES, BETTER},
	{"sample_cpu", NULL, SOURCE_SAMPLES, NEEDED},
	{"block_rq_insert", "block_rq_insert", SOURCE_BLOCK_IO, BETTER},
	{"block_rq_issue", "block_rq_issue", SOURCE_BLOCK_IO, NEEDED},
	{"block_rq_complete", "block_rq_complete", SOURCE_BLOCK_IO, NEEDED},
	{"direct_reclaim_begin", "mm_vmscan_direct_reclaim_begin", SOURCE_RECLAIM, NEEDED},
	{"direct_reclaim_end", "mm_vmscan_direct_reclaim_end", SOURCE_RECLAIM, NEEDED},
	{"mark_victim", "mark_victim", SOURCE_OOM, NEEDED},
	{"page_fault_user", "page_fault_user", SOURCE_PAGE_FAULTS, NEEDED},
	{"page_fault_kernel", "page_fault_kernel", SOURCE_PAGE_FAULTS, BETTER},
	{"minor_fault", NULL, SOURCE_PAGE_FAULTS, NEEDED},
	{"major_fault", NULL, SOURCE_PAGE_FAULTS, NEEDED},
	{"mm_page_alloc", "mm_page_alloc", SOURCE_PAGE_ALLOCS, NEEDED},
	{"sys_enter", "sys_enter", SOURCE_SYSCALLS, NEEDED},
	{"sys_exit", "sys_exit", SOURCE_SYSCALLS, NEEDED},
};
#define ENTRIES (sizeof(entries) / sizeof(entries[0]))
_Static_assert(ENTRIES <= MAX_PROGRAMS, "struct load_plan");

struct uprobe_program {
	const char *program;
	enum uprobe_kind kind;
	unsigned int attach_type;
};

/* Where return probes must not be, entries are probed by links of their own kind. */
static const struct uprobe_program uprobe_programs[] = {
	{"call_session", UPROBE_SESSION, ATTACH_UPROBE_SESSION},
	{"call_only_multi", UPROBE_SESSION, ATTACH_UPROBE_MULTI},
	{"call_entry_multi", UPROBE_MULTI, ATTACH_UPROBE_MULTI},
	{"call_return_multi", UPROBE_MULTI, ATTACH_UPROBE_MULTI},
	{"call_only_multi", UPROBE_MULTI, ATTACH_UPROBE_MULTI},
	{"call_entry_perf", UPROBE_PERF, 0},
	{"call_return_perf", UPROBE_PERF, 0},
	{"call_only_perf", UPROBE_PERF, 0},
};
#define UPROBE_PROGRAMS (sizeof(uprobe_programs) / sizeof(uprobe_programs[0]))

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
			.name = entries[i].tracepoint ? entries[i].tracepoint : "",
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

static void plan_uprobes(struct load_plan *plan, enum uprobe_kind after)
{
	static const char *const details[] = {
		[UPROBE_SESSION] = "uprobes, one session for entry and return",
		[UPROBE_MULTI] = "uprobes, many to a link",
		[UPROBE_PERF] = "uprobes, a perf event each: attaching and detaching takes seconds",
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
}

/* What a source is without before any program is tried. */
static void plan_source(struct load_plan *plan, enum source source,
			const struct tracepoint found[ENTRIES])
{
	static const char *const names[SOURCE_COUNT] = {
		[SOURCE_SWITCHES] = "switches",
		[SOURCE_PROCESSES] = "processes",
		[SOURCE_CALLS] = "calls",
		[SOURCE_SAMPLES] = "samples",
		[SOURCE_BLOCK_IO] = "block",
		[SOURCE_RECLAIM] = "reclaim",
		[SOURCE_OOM] = "oom",
		[SOURCE_PAGE_FAULTS] = "page_faults",
		[SOURCE_PAGE_ALLOCS] = "page_allocs",
		[SOURCE_SYSCALLS] = "syscalls",
		[SOURCE_OFF_CPU_STACKS] = "off_cpu_stacks",
	};
	struct source_status *status = &plan->status[source];

	status->wanted = plan->options->wanted[source];
	mark_missing(status, "not asked for");
	if (!status->wanted)
		return;
	mark_available(status, "BPF");
	if (pretends_missing(plan->options->pretend_missing, names[source]))
		mark_missing(status, "%s: taken away for a test", names[source]);
	for (size_t i = 0; i < ENTRIES; i++) {
		if (entries[i].source == source && entries[i].tracepoint &&
		    entries[i].need == NEEDED && !found[i].found && status->available)
			mark_missing(
				status,
				"the kernel has no tracepoint %s in its BTF: use a kernel that "
				"was built with it",
				entries[i].tracepoint);
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
		if (entries[i].source != SOURCE_ALWAYS ||
		    (entries[i].tracepoint ? found[i].found : has_iterators(pretend)))
			continue;
		snprintf(detail, detail_size,
			 "the kernel is too old or has no %s for programs: 5.15 or newer is needed",
			 entries[i].program);
		return -ENOTSUP;
	}
	plan_arguments(plan, found);
	plan_sources(plan, found);
	for (size_t i = 0; i < ENTRIES; i++)
		plan->absent[i] = entries[i].tracepoint && !found[i].found;
	return 0;
}

static bool wants_entry(const struct load_plan *plan, size_t i)
{
	if (entries[i].source == SOURCE_ALWAYS)
		return true;
	return plan->status[entries[i].source].available && !plan->absent[i];
}

static bool wants_uprobe(const struct load_plan *plan, const char *program,
			 unsigned int *attach_type)
{
	for (size_t i = 0; i < UPROBE_PROGRAMS; i++) {
		if (plan->uprobes == uprobe_programs[i].kind &&
		    !strcmp(program, uprobe_programs[i].program)) {
			*attach_type = uprobe_programs[i].attach_type;
			return true;
		}
	}
	return false;
}

static bool wants_program(const struct load_plan *plan, const char *program,
			  unsigned int *attach_type)
{
	for (size_t i = 0; i < ENTRIES; i++) {
		if (!strcmp(program, entries[i].program))
			return wants_entry(plan, i);
	}
	return wants_uprobe(plan, program, attach_type);
}

static void set_config(const struct load_plan *plan, struct agent_config *config)
{
	const struct programs_options *options = plan->options;

	config->stack_threshold_ns = options->stack_threshold_ns;
	config->syscall_threshold_ns = options->syscall_threshold_ns ?
					       options->syscall_threshold_ns :
					       SYSCALL_THRESHOLD_NS;
	config->launches_per_bucket = options->launches_per_bucket;
	config->agent_tgid = getpid();
	config->all_tasks = options->all_tasks;
	config->switch_has_state = plan->switch_has_state;
	config->block_has_queue = plan->block_has_queue;
	config->oom_passes_task = plan->oom_passes_task;
	config->off_cpu_stacks = plan->status[SOURCE_OFF_CPU_STACKS].available;
	config->python = options->python;
	config->page_bytes = sysconf(_SC_PAGESIZE);
}

int apply_plan(const struct load_plan *plan, struct stalltrace_bpf *object)
{
	unsigned int ring_bytes = plan->options->ring_bytes ? plan->options->ring_bytes :
							      RING_BYTES;
	struct bpf_program *program;

	/* The skeleton declares it const, and until the load it is ours to fill in. */
	set_config(plan, (struct agent_config *)&object->rodata->config);
	bpf_object__for_each_program(program, object->obj) {
		unsigned int attach_type = 0;
		bool wanted = wants_program(plan, bpf_program__name(program), &attach_type);

		bpf_program__set_autoload(program, wanted);
		if (wanted && attach_type)
			bpf_program__set_expected_attach_type(program, attach_type);
	}
	return bpf_map__set_max_entries(object->maps.ring, ring_bytes);
}

enum source source_of_program(const char *program)
{
	for (size_t i = 0; i < ENTRIES; i++) {
		if (!strcmp(program, entries[i].program))
			return entries[i].source;
	}
	return SOURCE_CALLS;
}

bool reduce_plan(struct load_plan *plan, const char *program, const char *reason)
{
	unsigned int attach_type;
	struct source_status *status;

	if (wants_uprobe(plan, program, &attach_type)) {
		plan_uprobes(plan, plan->uprobes);
		if (plan->uprobes == UPROBE_NONE)
			mark_missing(&plan->status[SOURCE_CALLS], "the kernel refuses %s: %s",
				     program, reason);
		return true;
	}
	for (size_t i = 0; i < ENTRIES; i++) {
		if (strcmp(program, entries[i].program) || entries[i].source == SOURCE_ALWAYS)
			continue;
		if (entries[i].need == BETTER && !plan->absent[i]) {
			plan->absent[i] = true;
			return true;
		}
		status = &plan->status[entries[i].source];
		if (!status->available)
			return false;
		mark_missing(status, "the kernel refuses %s: %s", program, reason);
		if (entries[i].source == SOURCE_SWITCHES &&
		    plan->status[SOURCE_OFF_CPU_STACKS].available)
			mark_missing(&plan->status[SOURCE_OFF_CPU_STACKS],
				     "there are no switches to take them at");
		return true;
	}
	return false;
}
