// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* The words for what control groups say, as rows of `sample`. The analysis knows them by these names. */
#include <stdio.h>
#include "../block_device.h"
#include "cgroup_sampler.h"

#define MIB (1024.0 * 1024.0)

static void write_growth(struct trace_writer *writer, int64_t at_ns, const char *metric,
			 double scale, double seconds, uint64_t now, uint64_t before)
{
	/* Less than before: it is of another group. */
	if (seconds > 0 && now >= before)
		trace_add_sample(writer, at_ns, metric, -1,
				 (double)(now - before) * scale / seconds);
}

void cgroup_write_memory(struct trace_writer *writer, int64_t at_ns, double seconds,
			 const struct cgroup_memory *now, const struct cgroup_memory *before)
{
	trace_add_sample(writer, at_ns, "Control group memory (MiB)", -1,
			 (double)now->used_bytes / MIB);
	if (now->own_bytes >= 0)
		trace_add_sample(writer, at_ns, "Control group memory without files (MiB)", -1,
				 (double)now->own_bytes / MIB);
	if (now->limit_bytes > 0)
		trace_add_sample(writer, at_ns, "Control group memory limit (MiB)", -1,
				 (double)now->limit_bytes / MIB);
	if (now->high_bytes > 0)
		trace_add_sample(writer, at_ns, "Control group memory.high (MiB)", -1,
				 (double)now->high_bytes / MIB);
	/* What is read again counts without a limit too: the machine's memory is one. */
	write_growth(writer, at_ns, "Control group memory read again (MiB/s)", 1 / MIB, seconds,
		     now->refaulted_bytes, before->refaulted_bytes);
	if (now->swapped_in_bytes >= 0 && before->swapped_in_bytes >= 0)
		write_growth(writer, at_ns, "Control group memory swapped in (MiB/s)", 1 / MIB,
			     seconds, (uint64_t)now->swapped_in_bytes,
			     (uint64_t)before->swapped_in_bytes);
	if (now->swap_bytes > 0 || before->swap_bytes > 0)
		trace_add_sample(writer, at_ns, "Control group swap (MiB)", -1,
				 (double)now->swap_bytes / MIB);
	if (now->stalled_us >= 0 && before->stalled_us >= 0)
		write_growth(writer, at_ns, "Control group memory pressure (%)", 1e-4, seconds,
			     (uint64_t)now->stalled_us, (uint64_t)before->stalled_us);
	if (now->limit_bytes <= 0 && now->high_bytes <= 0)
		return;
	write_growth(writer, at_ns, "Control group memory limit hit (times/s)", 1, seconds,
		     now->hits, before->hits);
	write_growth(writer, at_ns, "Control group out-of-memory kills (/s)", 1, seconds,
		     now->oom_kills, before->oom_kills);
}

static const struct {
	const char *words, *unit;
	double scale;
} kinds[IO_KINDS] = {
	[IO_READ_BYTES] = {"reads of", "MiB/s", 1 / MIB},
	[IO_WRITTEN_BYTES] = {"writes to", "MiB/s", 1 / MIB},
	[IO_READS] = {"reads of", "requests/s", 1},
	[IO_WRITES] = {"writes to", "requests/s", 1},
};

static const struct cgroup_io_limit *find_limit(const struct cgroup_io *io,
						const struct cgroup_io_limit *like)
{
	for (unsigned int i = 0; i < io->count; i++) {
		const struct cgroup_io_limit *limit = &io->limits[i];

		if (limit->major == like->major && limit->minor == like->minor &&
		    limit->kind == like->kind)
			return limit;
	}
	return NULL;
}

void cgroup_write_io(struct trace_writer *writer, int64_t at_ns, double seconds,
		     const struct cgroup_io *now, const struct cgroup_io *before)
{
	for (unsigned int i = 0; i < now->count; i++) {
		const struct cgroup_io_limit *limit = &now->limits[i];
		const struct cgroup_io_limit *last = find_limit(before, limit);
		double scale = kinds[limit->kind].scale;
		char device[64], metric[160];

		block_device_name(limit->major, limit->minor, device, sizeof(device));
		snprintf(metric, sizeof(metric), "I/O limit, %s %s (%s)", kinds[limit->kind].words,
			 device, kinds[limit->kind].unit);
		trace_add_sample(writer, at_ns, metric, -1, (double)limit->per_second * scale);
		snprintf(metric, sizeof(metric), "I/O under a limit, %s %s (%s)",
			 kinds[limit->kind].words, device, kinds[limit->kind].unit);
		if (last)
			write_growth(writer, at_ns, metric, scale, seconds, limit->so_far,
				     last->so_far);
	}
}
