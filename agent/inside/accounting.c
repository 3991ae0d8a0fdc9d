// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Running, waiting for a CPU, blocked, and page faults of one call: the kernel's own sums for the thread,
 * read at entry and return. What costs most is read only where the thread has left a CPU since: its
 * number of switches says so, and comes cheap with its page faults. While it stays on one, its CPU time
 * is the time that passes.
 */
#include <fcntl.h>
#include <sys/resource.h>
#include "inside.h"

#ifndef RUSAGE_THREAD
#define RUSAGE_THREAD 1
#endif
/* Out of the way of a program that counts on low numbers, or closes those it can think of. */
#define LOWEST_DESCRIPTOR 512
#define MOST_FAILURES 4
/* A program may have room for few more; threads beyond these open the file each time. */
#define MOST_DESCRIPTORS 64
/*
 * Time that interrupts and the hypervisor take is charged to nobody: so long it may add up before the clock
 * is read anew.
 */
#define KNOWN_FOR_NS 1000000ull

static _Atomic int descriptors;

/* The kernel, or a filter of system calls, does not tell; not asked again at each call. */
static bool usage_refused;

static bool read_usage(struct sums *out)
{
	struct rusage usage = {0};

	if (SYSTEM_CALL(SYS_getrusage, RUSAGE_THREAD, &usage) < 0)
		return false;
	*out = (struct sums){
		.switches = (uint64_t)usage.ru_nvcsw + (uint64_t)usage.ru_nivcsw,
		.minor_faults = (uint32_t)usage.ru_minflt,
		.major_faults = (uint32_t)usage.ru_majflt,
	};
	return true;
}

void account_set_up(void)
{
	struct sums sums;

	usage_refused = !read_usage(&sums);
}

/* *keep: under a high number, for this thread to keep. */
static int open_schedstat(bool *keep)
{
	long fd = SYSTEM_CALL(SYS_openat, AT_FDCWD, "/proc/thread-self/schedstat",
			      O_RDONLY | O_CLOEXEC);
	long high = -1;

	*keep = false;
	if (fd < 0)
		return -1;
	if (atomic_fetch_add(&descriptors, 1) < MOST_DESCRIPTORS)
		high = SYSTEM_CALL(SYS_fcntl, fd, F_DUPFD_CLOEXEC, LOWEST_DESCRIPTOR);
	if (high < 0) {
		atomic_fetch_sub(&descriptors, 1);
		return (int)fd;
	}
	SYSTEM_CALL(SYS_close, fd);
	*keep = true;
	return (int)high;
}

/* Three numbers and a line's end, or it is not the file we opened: the second one. */
static bool parse_run_delay(const char *text, long length, uint64_t *out)
{
	uint64_t numbers[3];
	long at = 0;

	for (int i = 0; i < 3; i++) {
		long begin = at;

		numbers[i] = 0;
		for (; at < length && text[at] >= '0' && text[at] <= '9'; at++)
			numbers[i] = numbers[i] * 10 + (uint64_t)(text[at] - '0');
		if (at == begin || at == length || text[at++] != (i < 2 ? ' ' : '\n'))
			return false;
	}
	/* A kernel that does not count writes zeros. */
	if (at != length || !numbers[2])
		return false;
	*out = numbers[1];
	return true;
}

static bool is_likely(const struct thread_state *thread, uint64_t run_delay_ns)
{
	return !thread->known.at_ns || run_delay_ns >= thread->known.run_delay_ns;
}

/* The job may have closed our descriptor, and opened something else under its number. */
static bool read_kept(struct thread_state *thread, uint64_t *out)
{
	char text[80];
	long length;

	if (thread->schedstat < 0)
		return false;
	length = SYSTEM_CALL(SYS_pread64, thread->schedstat, text, sizeof(text), 0);
	if (length > 0 && parse_run_delay(text, length, out) && is_likely(thread, *out))
		return true;
	/* Not ours to close. */
	thread->schedstat = -1;
	atomic_fetch_sub(&descriptors, 1);
	thread->schedstat_failures++;
	return false;
}

static bool read_run_delay(struct thread_state *thread, uint64_t *out)
{
	char text[80];
	bool keep, good;
	long length;
	int fd;

	if (read_kept(thread, out))
		return true;
	if (thread->schedstat_failures >= MOST_FAILURES)
		return false;
	fd = open_schedstat(&keep);
	length = fd < 0 ? -1 : SYSTEM_CALL(SYS_pread64, fd, text, sizeof(text), 0);
	good = length > 0 && parse_run_delay(text, length, out) && is_likely(thread, *out);
	if (keep)
		thread->schedstat = fd;
	else if (fd >= 0)
		SYSTEM_CALL(SYS_close, fd);
	thread->schedstat_failures += !good;
	return good;
}

/* All of it, where it isn't known any more. */
static void refresh(struct thread_state *thread, struct sums *sums)
{
	if (sums->switches == thread->known.switches && thread->known.at_ns &&
	    now_ns(CLOCK_MONOTONIC) - thread->known.at_ns < KNOWN_FOR_NS)
		return;
	thread->queue_known = read_run_delay(thread, &sums->run_delay_ns);
	if (!thread->queue_known)
		sums->run_delay_ns = thread->known.run_delay_ns;
	sums->cpu_ns = now_ns(CLOCK_THREAD_CPUTIME_ID);
	sums->at_ns = now_ns(CLOCK_MONOTONIC);
	thread->known = *sums;
}

void account_entry(struct thread_state *thread)
{
	struct sums *entry = &thread->entry;

	thread->counted = !usage_refused && read_usage(entry);
	if (!thread->counted) {
		thread->start_ns = now_ns(CLOCK_MONOTONIC);
		return;
	}
	refresh(thread, entry);
	entry->run_delay_ns = thread->known.run_delay_ns;
	entry->at_ns = now_ns(CLOCK_MONOTONIC);
	entry->cpu_ns = thread->known.cpu_ns + (entry->at_ns - thread->known.at_ns);
	thread->start_ns = entry->at_ns;
}

static uint64_t at_least_zero(uint64_t value, uint64_t less)
{
	return value > less ? value - less : 0;
}

/* Time off the CPU up to `sums`, without what came after the call's end. */
static uint64_t off_cpu_ns(const struct sums *entry, const struct sums *sums, uint64_t end_ns)
{
	/* That at entry was worked out, and is too high by what nobody was charged with since it was read. */
	uint64_t ran_ns = at_least_zero(sums->cpu_ns, entry->cpu_ns);
	uint64_t off_ns = at_least_zero(sums->at_ns - entry->at_ns, ran_ns);
	struct sums now;

	/* Where it was taken off the CPU while it asked, that was nearly all of the time since. */
	return !read_usage(&now) || now.switches == sums->switches ?
		       off_ns :
		       at_least_zero(off_ns, sums->at_ns - end_ns);
}

void account_return(struct thread_state *thread, uint64_t end_ns, struct account *out)
{
	const struct sums *entry = &thread->entry;
	uint64_t wall_ns = end_ns - entry->at_ns;
	struct sums now;

	*out = (struct account){.known = thread->counted && read_usage(&now)};
	if (!out->known)
		return;
	*out = (struct account){
		.known = true,
		.minor_faults = now.minor_faults - entry->minor_faults,
		.major_faults = now.major_faults - entry->major_faults,
		.queue_known = true,
	};
	if (now.switches == entry->switches)
		return;
	refresh(thread, &now);
	out->off_cpu_ns = off_cpu_ns(entry, &now, end_ns);
	if (out->off_cpu_ns > wall_ns)
		out->off_cpu_ns = wall_ns;
	out->run_queue_ns = now.run_delay_ns - entry->run_delay_ns;
	if (out->run_queue_ns > out->off_cpu_ns)
		out->run_queue_ns = out->off_cpu_ns;
	/* Without its file only the sum of both is known. */
	out->queue_known = thread->queue_known;
}

void account_thread_end(struct thread_state *thread)
{
	uint64_t run_delay_ns;

	/* Closed only where it still is what we opened. */
	if (!read_kept(thread, &run_delay_ns))
		return;
	SYSTEM_CALL(SYS_close, thread->schedstat);
	atomic_fetch_sub(&descriptors, 1);
	thread->schedstat = -1;
}
