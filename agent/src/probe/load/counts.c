/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What the programs cost and lost, and the descriptors of those for CUDA calls. */
#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "loaded.h"

void programs_drops(const struct programs *programs, uint64_t drops[RECORD_KINDS])
{
	int map = bpf_map__fd(programs->object->maps.drops);
	int cpus = libbpf_num_possible_cpus();
	__u64 *per_cpu;

	memset(drops, 0, RECORD_KINDS * sizeof(*drops));
	per_cpu = cpus > 0 ? calloc(cpus, sizeof(*per_cpu)) : NULL;
	if (!per_cpu)
		return;
	for (__u32 kind = 0; kind < RECORD_KINDS; kind++) {
		if (bpf_map_lookup_elem(map, &kind, per_cpu))
			continue;
		for (int cpu = 0; cpu < cpus; cpu++)
			drops[kind] += per_cpu[cpu];
	}
	free(per_cpu);
}

void programs_run_time(const struct programs *programs, uint64_t *run_ns, uint64_t *runs)
{
	struct bpf_program *program;

	*run_ns = *runs = 0;
	bpf_object__for_each_program(program, programs->object->obj) {
		struct bpf_prog_info info = {0};
		__u32 size = sizeof(info);

		if (bpf_program__fd(program) < 0 ||
		    bpf_obj_get_info_by_fd(bpf_program__fd(program), &info, &size))
			continue;
		*run_ns += info.run_time_ns;
		*runs += info.run_cnt;
	}
}

enum uprobe_kind programs_uprobe_kind(const struct programs *programs)
{
	return programs->uprobes;
}

/* -1 where the program was not loaded. */
static int fd_of(const struct bpf_program *program)
{
	int fd = bpf_program__fd(program);

	return fd < 0 ? -1 : fd;
}

int programs_uprobe_session_fd(const struct programs *programs)
{
	return fd_of(programs->object->progs.call_session);
}

int programs_uprobe_entry_fd(const struct programs *programs)
{
	if (programs->uprobes == UPROBE_PERF)
		return fd_of(programs->object->progs.call_entry_perf);
	return fd_of(programs->object->progs.call_entry_multi);
}

int programs_uprobe_return_fd(const struct programs *programs)
{
	if (programs->uprobes == UPROBE_PERF)
		return fd_of(programs->object->progs.call_return_perf);
	return fd_of(programs->object->progs.call_return_multi);
}

int programs_uprobe_entry_only_fd(const struct programs *programs)
{
	if (programs->uprobes == UPROBE_PERF)
		return fd_of(programs->object->progs.call_only_perf);
	return fd_of(programs->object->progs.call_only_multi);
}
