// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Stacks at all switches, where switches.c has those of long waits: a column of what that writes. */
#include "../bpf/bpf.h"

static void configure(struct agent_config *config, const struct tracepoint *found)
{
	config->off_cpu_stacks = true;
}

const struct event_source off_cpu_stacks_source = {
	.probe.name = "off_cpu_stacks",
	.probe.needs = &switches_source.probe,
	.probe.without_needed = "there are no switches to take them at",
	.probe.configure = configure,
	.label = "Stacks at switches",
	.sees = "Stacks of all threads where they began to wait (on request)",
	.profile = "off-cpu-stacks",
	.help = "stack at every switch of every thread: 0.6 to 6 us a switch",
	.provenance = {{
		.table = "off_cpu",
		.column = "stack_id",
		.kind = "exact",
		.note = "The user stack with which the thread left the CPU.",
	}},
};
