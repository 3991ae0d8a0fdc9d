// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Where CUPTI is not to be had: calls through imports are recorded, by wrappers. A thread of ours looks for
 * libraries that are loaded later.
 */
#include "inside.h"
#include "patch.h"

#define LOOK_NS 20000000

static void look(void)
{
	if (!forks_try_hold())
		return;
	if (patch_is_behind())
		atomic_store(&inside.header->places, patch_loaded());
	forks_let_go();
}

static _Atomic bool ending;

static void watch(void)
{
	while (!atomic_load(&ending) && !capture_has_ended(now_ns(CLOCK_MONOTONIC))) {
		look();
		sleep_ns(LOOK_NS);
	}
	if (atomic_load(&ending))
		atomic_store(&inside.header->yielded_ns, now_ns(CLOCK_MONOTONIC));
	atomic_store(&inside.phase, PHASE_LEFT);
	patch_undo();
}

void end_without_cupti(void)
{
	atomic_store(&ending, true);
}

/* Who holds what forks wait for. */
static enum inside_state begin_to_watch(enum inside_state why, bool unless_none)
{
	unsigned int places = patch_loaded();

	if ((places || !unless_none) && helper_start(watch)) {
		atomic_store(&inside.header->places, places);
		atomic_store(&inside.header->without_cupti, why);
		/* From here on nobody else has to look at calls. */
		atomic_store(&inside.header->recording_ns, now_ns(CLOCK_MONOTONIC));
		atomic_store(&inside.phase, PHASE_ON);
		return INSIDE_BY_IMPORTS;
	}
	patch_undo();
	return !places && unless_none ? why : INSIDE_NO_THREAD;
}

enum inside_state record_without_cupti(enum inside_state why, bool unless_none)
{
	enum inside_state state;

	if (!forks_set_up())
		return why;
	stacks_set_up();
	atomic_store(&ending, false);
	atomic_store(&inside.by_imports, true);
	atomic_store(&inside.phase, PHASE_STARTING);
	forks_hold();
	state = begin_to_watch(why, unless_none);
	forks_let_go();
	return state;
}

/* What came before is said to have ended by then: calls that begin later are there. */
void go_on_without_cupti(void)
{
	if (!forks_set_up())
		return;
	atomic_store(&ending, false);
	atomic_store(&inside.by_imports, true);
	forks_hold();
	atomic_store(&inside.header->places, patch_loaded());
	atomic_store(&inside.phase, PHASE_ON);
	atomic_store(&inside.header->imports_ns, now_ns(CLOCK_MONOTONIC));
	forks_let_go();
	watch();
}
