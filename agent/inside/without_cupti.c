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

static void watch(void)
{
	while (!capture_has_ended(now_ns(CLOCK_MONOTONIC))) {
		look();
		sleep_ns(LOOK_NS);
	}
	atomic_store(&inside.phase, PHASE_LEFT);
	patch_undo();
}

enum inside_state record_without_cupti(enum inside_state why)
{
	struct inside_header *header = inside.header;

	static bool forks_wait;

	atomic_store(&header->without_cupti, why);
	if (!forks_wait && __register_atfork(before_fork, after_fork, after_fork_in_child, NULL))
		return why;
	forks_wait = true;
	stacks_set_up();
	atomic_store(&inside.phase, PHASE_STARTING);
	hold(FORK_TRIES);
	if (!helper_start(watch)) {
		atomic_store(&inside.phase, PHASE_OFF);
		let_go();
		return INSIDE_NO_THREAD;
	}
	atomic_store(&header->places, patch_loaded());
	/* From here on nobody else has to look at calls. */
	atomic_store(&header->recording_ns, now_ns(CLOCK_MONOTONIC));
	atomic_store(&inside.phase, PHASE_ON);
	let_go();
	return INSIDE_BY_IMPORTS;
}
