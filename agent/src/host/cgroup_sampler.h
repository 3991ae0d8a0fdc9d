/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The control group of the target over time. */
#ifndef STALLTRACE_CGROUP_SAMPLER_H
#define STALLTRACE_CGROUP_SAMPLER_H

#include <stdint.h>
#include <sys/types.h>
#include "../trace/writer.h"

struct cgroup_sampler;
/* NULL where the process has gone or its group is not to be seen. */
struct cgroup_sampler *cgroup_sampler_new(pid_t pid);
void cgroup_sampler_read(struct cgroup_sampler *sampler, struct trace_writer *writer,
			 uint64_t now_ns); /* NULL: nothing */
void cgroup_sampler_free(struct cgroup_sampler *sampler);

#endif /* STALLTRACE_CGROUP_SAMPLER_H */
