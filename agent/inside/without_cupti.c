// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Where CUPTI is not to be had: calls through imports are recorded, by wrappers. A thread of ours looks for
 * libraries that are loaded later. What it holds of the loader's must not be held in a child for ever: so a fork waits
 * for its look.
 */
#include "inside.h"
#include "patch.h"

#define LOOK_NS 20000000
/* Longer a fork waits for nobody. */
#define FORK_TRIES 1000
#define FORK_WAIT_NS 50000

extern int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void),
			     void *library);

/* The tid of who looks, or forks; 0 = nobody. */
static _Atomic int32_t holder;

static void sleep_ns(long wait_ns)
{
	struct timespec wait = {.tv_nsec = wait_ns};

	SYSTEM_CALL(SYS_nanosleep, &wait, NULL);
}

static bool hold(int tries)
{
	int32_t nobody = 0, own = (int32_t)SYSTEM_CALL(SYS_gettid);

	while (!atomic_compare_exchange_strong(&holder, &nobody, own)) {
		if (!--tries)
			return false;
		sleep_ns(FORK_WAIT_NS);
		nobody = 0;
	}
	return true;
}

static void let_go(void)
{
	int32_t own = (int32_t)SYSTEM_CALL(SYS_gettid);

	atomic_compare_exchange_strong(&holder, &own, 0);
}

static void before_fork(void)
{
	uint32_t phase = atomic_load_explicit(&inside.phase, memory_order_relaxed);

	if (is_ours() && (phase == PHASE_STARTING || phase == PHASE_ON))
		hold(FORK_TRIES);
}

static void after_fork(void)
{
	let_go();
}

static void after_fork_in_child(void)
{
	atomic_store(&holder, 0);
}

static void look(void)
{
	if (!hold(1))
		return;
	if (patch_is_behind())
		atomic_store(&inside.header->places, patch_loaded());
	let_go();
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
	static bool forks_wait;
	enum inside_state state;

	if (!forks_wait && __register_atfork(before_fork, after_fork, after_fork_in_child, NULL))
		return why;
	forks_wait = true;
	stacks_set_up();
	atomic_store(&ending, false);
	atomic_store(&inside.by_imports, true);
	atomic_store(&inside.phase, PHASE_STARTING);
	hold(FORK_TRIES);
	state = begin_to_watch(why, unless_none);
	let_go();
	return state;
}
