// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "cpu_times.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Columns of proc_stat(5). guest and guest_nice, behind them, are in user and nice already. */
enum use {
	USE_USER,
	USE_NICE,
	USE_SYSTEM,
	USE_IDLE,
	USE_IO_WAIT,
	USE_IRQ,
	USE_SOFTIRQ,
	USE_STEAL,
	USES
};

struct cpu_ticks {
	uint64_t ticks[USES];
};

struct cpu_change {
	struct cpu_ticks last, since; /* since = between the last two readings */
	uint64_t total;               /* of since; 0 = not known */
	struct cpu_ticks written;     /* of each CPU, when it was written last */
};

struct cpu_times {
	unsigned int count;
	struct cpu_change all;
	struct cpu_change each[];
};

struct cpu_times *cpu_times_new(unsigned int cpus)
{
	struct cpu_times *times = calloc(1, sizeof(*times) + cpus * sizeof(times->each[0]));

	if (times)
		times->count = cpus;
	return times;
}

void cpu_times_free(struct cpu_times *times)
{
	free(times);
}

unsigned int cpu_times_count(const struct cpu_times *times)
{
	return times->count;
}

/* Old kernels have fewer columns; idle and iowait may step back by a tick. */
static uint64_t difference(const struct cpu_ticks *from, const struct cpu_ticks *to,
			   struct cpu_ticks *out)
{
	uint64_t total = 0;

	for (int use = 0; use < USES; use++) {
		out->ticks[use] =
			to->ticks[use] > from->ticks[use] ? to->ticks[use] - from->ticks[use] : 0;
		total += out->ticks[use];
	}
	return total;
}

static uint64_t sum(const struct cpu_ticks *ticks)
{
	struct cpu_ticks none = {{0}}, ignored;

	return difference(&none, ticks, &ignored);
}

static void update(struct cpu_change *change, const char *columns)
{
	struct cpu_ticks now = {{0}};
	char *end;

	for (int use = 0; use < USES; use++, columns = end) {
		now.ticks[use] = strtoull(columns, &end, 10);
		if (end == columns)
			break;
	}
	change->total = sum(&change->last) == 0 ? 0 :
						  difference(&change->last, &now, &change->since);
	change->last = now;
}

void cpu_times_read(struct cpu_times *times, const char *stat)
{
	while (strncmp(stat, "cpu", 3) == 0) {
		const char *newline = strchr(stat, '\n');
		char *columns;
		unsigned long cpu = strtoul(stat + 3, &columns, 10);

		if (!newline)
			return; /* cut: its numbers may be, too */
		if (stat[3] == ' ')
			update(&times->all, stat + 4);
		else if (cpu < times->count)
			update(&times->each[cpu], columns);
		stat = newline + 1;
	}
}

static double percent(const struct cpu_ticks *ticks, uint64_t total, unsigned int uses)
{
	uint64_t part = 0;

	for (int use = 0; use < USES; use++)
		if (uses & (1u << use))
			part += ticks->ticks[use];
	return 100.0 * (double)part / (double)total;
}

#define BUSY ((1u << USES) - 1 - (1u << USE_IDLE) - (1u << USE_IO_WAIT))

double cpu_times_write(const struct cpu_times *times, struct trace_writer *writer, int64_t at_ns)
{
	static const struct {
		const char *metric;
		unsigned int uses;
	} parts[] = {
		{"CPU (%)", BUSY},
		{"CPU user (%)", 1u << USE_USER | 1u << USE_NICE},
		{"CPU system (%)", 1u << USE_SYSTEM},
		{"CPU interrupts (%)", 1u << USE_IRQ | 1u << USE_SOFTIRQ},
		{"CPU stolen by the hypervisor (%)", 1u << USE_STEAL},
		{"CPU idle, waiting for I/O (%)", 1u << USE_IO_WAIT},
	};
	const struct cpu_change *all = &times->all;

	if (all->total == 0)
		return -1;
	for (size_t part = 0; part < sizeof(parts) / sizeof(parts[0]); part++)
		trace_add_sample(writer, at_ns, parts[part].metric, -1,
				 percent(&all->since, all->total, parts[part].uses));
	return percent(&all->since, all->total, BUSY);
}

void cpu_times_write_each(struct cpu_times *times, struct trace_writer *writer, int64_t at_ns)
{
	for (unsigned int cpu = 0; cpu < times->count; cpu++) {
		struct cpu_change *change = &times->each[cpu];
		struct cpu_ticks since;
		uint64_t total = difference(&change->written, &change->last, &since);
		char metric[32];

		/* The first time there is nothing to compare with. */
		if (total > 0 && sum(&change->written) > 0) {
			snprintf(metric, sizeof(metric), "CPU %u (%%)", cpu);
			trace_add_sample(writer, at_ns, metric, -1, percent(&since, total, BUSY));
		}
		change->written = change->last;
	}
}
