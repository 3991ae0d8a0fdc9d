/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
#include <string.h>
#include <unistd.h>
#include "source_table.h"
#include "sources.h"

#define SYSCALL_THRESHOLD_NS 1000000
#define RING_BYTES (16u << 20)

enum source source_of_program(const char *program)
{
	for (size_t i = 0; i < ENTRIES; i++) {
		if (!strcmp(program, program_entries[i].program))
			return program_entries[i].source;
	}
	return SOURCE_CALLS;
}

static bool wants_entry(const struct load_plan *plan, size_t i)
{
	if (program_entries[i].source == SOURCE_ALWAYS)
		return true;
	return plan->status[program_entries[i].source].available && !plan->absent[i];
}

static bool wants_uprobe(const struct load_plan *plan, const char *program,
			 unsigned int *attach_type)
{
	for (size_t i = 0; i < UPROBE_PROGRAMS; i++) {
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
	for (size_t i = 0; i < ENTRIES; i++) {
		if (!strcmp(program, program_entries[i].program))
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
		if (strcmp(program, program_entries[i].program) ||
		    program_entries[i].source == SOURCE_ALWAYS)
			continue;
		if (program_entries[i].need == BETTER && !plan->absent[i]) {
			plan->absent[i] = true;
			return true;
		}
		status = &plan->status[program_entries[i].source];
		if (!status->available)
			return false;
		mark_missing(status, "the kernel refuses %s: %s", program, reason);
		if (program_entries[i].source == SOURCE_SWITCHES &&
		    plan->status[SOURCE_OFF_CPU_STACKS].available)
			mark_missing(&plan->status[SOURCE_OFF_CPU_STACKS],
				     "there are no switches to take them at");
		return true;
	}
	return false;
}
