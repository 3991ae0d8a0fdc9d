// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * A thread of ours looks through what is loaded. What it holds of the loader's meanwhile must not be held in a child
 * for ever: so a fork waits for its look.
 */
#include "inside.h"

/* Longer a fork waits for nobody. */
#define FORK_TRIES 1000
#define FORK_WAIT_NS 50000

extern int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void),
			     void *library);

/* The tid of who looks, or forks; 0 = nobody. */
static _Atomic int32_t holder;

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

void forks_let_go(void)
{
	int32_t own = (int32_t)SYSTEM_CALL(SYS_gettid);

	atomic_compare_exchange_strong(&holder, &own, 0);
}

static void before_fork(void)
{
	if (is_ours())
		hold(FORK_TRIES);
}

static void after_fork_in_child(void)
{
	atomic_store(&holder, 0);
}

bool forks_set_up(void)
{
	static bool registered;

	if (!registered)
		registered =
			!__register_atfork(before_fork, forks_let_go, after_fork_in_child, NULL);
	return registered;
}

bool forks_hold(void)
{
	return hold(FORK_TRIES);
}

bool forks_try_hold(void)
{
	return hold(1);
}
