/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* /proc/stat's "cpu" lines → shares of the time between two readings. */
#ifndef STALLTRACE_CPU_TIMES_H
#define STALLTRACE_CPU_TIMES_H

#include <stdint.h>
#include "../trace/writer.h"

struct cpu_times;
struct cpu_times *cpu_times_new(unsigned int cpus);
void cpu_times_free(struct cpu_times *times);
void cpu_times_read(struct cpu_times *times, const char *stat);
unsigned int cpu_times_count(const struct cpu_times *times);
/* All CPUs together, by use. Percent busy; < 0 = not known yet. */
double cpu_times_write(const struct cpu_times *times, struct trace_writer *writer, int64_t at_ns);
/* Each CPU's share of busy time. */
void cpu_times_write_each(struct cpu_times *times, struct trace_writer *writer, int64_t at_ns);

#endif /* STALLTRACE_CPU_TIMES_H */
