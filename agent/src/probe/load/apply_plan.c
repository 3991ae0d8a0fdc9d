/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
#include <string.h>
#include <unistd.h>
#include "load_plan.h"
#include "../kernel/uprobe_links.h"

#define SYSCALL_THRESHOLD_NS 1000000
#define RING_BYTES (16u << 20)

/* Where return probes must not be, entries are probed by links of their own kind. */
static const struct {
	const char *program;
	enum uprobe_kind kind;
	unsigned int attach_type;
	bool entry_only;
} uprobe_programs[] = {
	{"call_session", UPROBE_SESSION, ATTACH_UPROBE_SESSION, false},
	{"call_only_multi", UPROBE_SESSION, ATTACH_UPROBE_MULTI, true},
	{"call_entry_multi", UPROBE_MULTI, ATTACH_UPROBE_MULTI, false},
	{"call_return_multi", UPROBE_MULTI, ATTACH_UPROBE_MULTI, false},
	{"call_only_multi", UPROBE_MULTI, ATTACH_UPROBE_MULTI, true},
	{"call_entry_perf", UPROBE_PERF, 0, false},
	{"call_return_perf", UPROBE_PERF, 0, false},
	{"call_only_perf", UPROBE_PERF, 0, true},
};

static bool is_available(const struct load_plan *plan, unsigned int source)
{
	return source == plan->options->source_count || plan->status[source].available;
}

static bool wants_uprobe(const struct load_plan *plan, const char *program,
			 unsigned int *attach_type)
{
	for (size_t i = 0; i < sizeof(uprobe_programs) / sizeof(uprobe_programs[0]); i++) {
		if (plan->uprobes == uprobe_programs[i].kind &&
		    (plan->entry_only || !uprobe_programs[i].entry_only) &&
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
	for (unsigned int i = 0; i < plan->program_count; i++) {
		const struct planned_program *planned = &plan->programs[i];

		if (!strcmp(program, planned->program->program))
			return is_available(plan, planned->source) && !planned->absent;
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
	config->python = options->python;
	config->page_bytes = sysconf(_SC_PAGESIZE);
	for (unsigned int i = 0; i < options->source_count; i++) {
		if (plan->status[i].available && options->sources[i]->configure)
			options->sources[i]->configure(config, plan->tracepoints);
	}
}

int apply_plan(const struct load_plan *plan, struct stalltrace_bpf *object)
{
	unsigned int ring_bytes = plan->options->ring_bytes ? plan->options->ring_bytes :
							      RING_BYTES;
	struct bpf_program *program;
	int err;

	/* The skeleton declares it const, and until the load it is ours to fill in. */
	set_config(plan, (struct agent_config *)&object->rodata->config);
	bpf_object__for_each_program(program, object->obj) {
		unsigned int attach_type = 0;
		bool wanted = wants_program(plan, bpf_program__name(program), &attach_type);

		bpf_program__set_autoload(program, wanted);
		if (wanted && attach_type)
			bpf_program__set_expected_attach_type(program, attach_type);
	}
	err = bpf_map__set_max_entries(object->maps.cpus, libbpf_num_possible_cpus());
	return err ? err : bpf_map__set_max_entries(object->maps.ring, ring_bytes);
}

/* False where nothing can do without it. */
static bool leave_out(struct load_plan *plan, struct planned_program *planned, const char *reason)
{
	if (planned->source == plan->options->source_count)
		return false;
	if (planned->program->need == BETTER && !planned->absent) {
		planned->absent = true;
		return true;
	}
	if (!plan->status[planned->source].available)
		return false;
	mark_missing(&plan->status[planned->source], "the kernel refuses %s: %s",
		     planned->program->program, reason);
	leave_out_dependents(plan);
	return true;
}

bool reduce_plan(struct load_plan *plan, const char *program, const char *reason)
{
	unsigned int attach_type;

	if (wants_uprobe(plan, program, &attach_type)) {
		plan_uprobes(plan, plan->uprobes);
		if (plan->uprobes == UPROBE_NONE)
			mark_missing(&plan->status[uprobe_source(plan->options)],
				     "the kernel refuses %s: %s", program, reason);
		return true;
	}
	for (unsigned int i = 0; i < plan->program_count; i++) {
		if (!strcmp(program, plan->programs[i].program->program))
			return leave_out(plan, &plan->programs[i], reason);
	}
	return false;
}
