// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* OOM kills: they come as process events. */
#include "../bpf/bpf.h"

static void configure(struct agent_config *config, const struct tracepoint *found)
{
	config->oom_passes_task = tracepoint_named(found, "mark_victim")->first_is_pointer;
}

const struct event_source oom_source = {
	.probe.name = "oom",
	.probe.programs = {{"mark_victim", "mark_victim", NEEDED}},
	.probe.configure = configure,
	.label = "OOM kills",
	.sees = "Out-of-memory kills",
};
