// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* The threads that are to be recorded, as they are before it begins. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include "../../reserve.h"
#include "../../watchdog.h"
#include "perf.h"

/* Threads that are made while others are listed are found by listing again. */
#define LISTINGS 3

struct listing {
	struct perf_rings *rings;
	pid_t *tids;
	size_t count, room;
	int err;
};

static bool is_listed(const struct listing *listing, pid_t tid)
{
	for (size_t i = 0; i < listing->count; i++)
		if (listing->tids[i] == tid)
			return true;
	return false;
}

static bool remember(struct listing *listing, pid_t tid)
{
	if (reserve((void **)&listing->tids, &listing->room, listing->count + 1,
		    sizeof(*listing->tids), SIZE_MAX))
		return false;
	listing->tids[listing->count++] = tid;
	return true;
}

static void add_thread(void *context, pid_t tid)
{
	struct listing *listing = context;
	bool first = listing->count == 0;
	int err;

	if (listing->err || is_listed(listing, tid))
		return;
	if (!perf_rings_have_room(listing->rings, listing->count + 1))
		err = -EMFILE;
	else
		err = perf_rings_add(listing->rings, tid);
	/* It has ended meanwhile. */
	if (err == -ESRCH)
		return;
	if (!err && first)
		err = perf_rings_map(listing->rings);
	if (!err && !remember(listing, tid))
		err = -ENOMEM;
	listing->err = err;
}

static void add_process(void *context, pid_t pid)
{
	watchdog_step(STEP_OF_SET_UP);
	proc_each_thread(pid, add_thread, context);
}

int perf_add_targets(struct perf_rings *rings, const struct record_options *options)
{
	struct listing listing = {.rings = rings};

	for (int round = 0; round < LISTINGS && !listing.err; round++) {
		size_t before = listing.count;

		for (unsigned int i = 0; i < options->pid_count; i++)
			proc_each_of_tree(options->pids[i], add_process, &listing);
		if (listing.count == before)
			break;
	}
	free(listing.tids);
	return listing.err ? listing.err : listing.count ? 0 : -ESRCH;
}
