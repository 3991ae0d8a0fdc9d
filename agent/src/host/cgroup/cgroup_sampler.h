/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The control groups of the targets over time. */
#ifndef STALLTRACE_CGROUP_SAMPLER_H
#define STALLTRACE_CGROUP_SAMPLER_H

#include <stdint.h>
#include <sys/types.h>
#include "../../trace/writer.h"
#include "cgroup.h"

struct cgroup_sampler;
struct cgroup_sampler *cgroup_sampler_new(void); /* NULL without memory */
/* From now on the limits of its groups are sampled, where they are tighter than those known so far. */
void cgroup_sampler_follow(struct cgroup_sampler *sampler, pid_t pid);
void cgroup_sampler_read(struct cgroup_sampler *sampler, struct trace_writer *writer,
			 uint64_t now_ns);
void cgroup_sampler_free(struct cgroup_sampler *sampler);

/* Rows of `sample` from what was read now and `seconds` before; 0 = it is the first time. */
void cgroup_write_memory(struct trace_writer *writer, int64_t at_ns, double seconds,
			 const struct cgroup_memory *now, const struct cgroup_memory *before);
struct cgroup_io {
	struct cgroup_io_limit limits[MOST_IO_LIMITS];
	unsigned int count;
};
void cgroup_write_io(struct trace_writer *writer, int64_t at_ns, double seconds,
		     const struct cgroup_io *now, const struct cgroup_io *before);

#endif /* STALLTRACE_CGROUP_SAMPLER_H */
