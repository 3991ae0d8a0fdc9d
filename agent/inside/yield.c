// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * A profiler that begins while we are in (torch.profiler): CUPTI gives its buffers, its clock and its subscriber to one
 * tool, and to whoever came last without asking. So its calls of CUPTI are led through us, in the objects that import
 * them: at the first one all we have is flushed, we leave CUPTI as we found it, and it has its way.
 */
#include <dlfcn.h>
#include <string.h>
#include "inside.h"
#include "objects.h"

/* How long a profiler's first call waits while CUPTI is flushed. */
#define FLUSH_TRIES 200
#define FLUSH_WAIT_NS 1000000

/* Each begins what only one tool can have, or ends what is ours. */
#define PASSED_FUNCTIONS(X)                          \
	X(cuptiSubscribe)                            \
	X(cuptiSubscribe_v2)                         \
	X(cuptiUnsubscribe)                          \
	X(cuptiActivityRegisterCallbacks)            \
	X(cuptiActivityRegisterCallbacks_v2)         \
	X(cuptiActivityRegisterTimestampCallback)    \
	X(cuptiActivityRegisterTimestampCallback_v2) \
	X(cuptiActivityEnable)                       \
	X(cuptiActivityEnable_v2)                    \
	X(cuptiActivityEnableContext)                \
	X(cuptiActivityEnableAndDump)                \
	X(cuptiActivityEnableDriverApi)              \
	X(cuptiActivityEnableRuntimeApi)             \
	X(cuptiFinalize)

#define NUMBER(name) NUMBER_##name,
enum { PASSED_FUNCTIONS(NUMBER) PASSED };

/* Of no more than six words each, all of which are passed on. */
typedef int (*passed_function)(long, long, long, long, long, long);
static passed_function targets[PASSED];

#define PASS(name)                                                             \
	static int pass_##name(long a, long b, long c, long d, long e, long f) \
	{                                                                      \
		yield_cupti();                                                 \
		return targets[NUMBER_##name](a, b, c, d, e, f);               \
	}
PASSED_FUNCTIONS(PASS)

#define ENTRY(name) {#name, pass_##name},
static const struct {
	const char *name;
	passed_function function;
} passed[] = {PASSED_FUNCTIONS(ENTRY)};

static size_t number_of(const char *name)
{
	size_t i = 0;

	while (i < PASSED && strcmp(name, passed[i].name))
		i++;
	return i;
}

static bool is_passed(const char *name)
{
	return !strncmp(name, "cupti", 5) && number_of(name) < PASSED;
}

static bool lead_import(const struct object *object, void **place, const char *name, void *handle)
{
	size_t number = number_of(name);

	(void)handle;
	/* A weak one that this CUPTI has not stays so. */
	if (number < PASSED && targets[number] && *place)
		import_set(object, place, (void *)passed[number].function);
	return true;
}

static uint64_t seen[SEEN];
static struct objects profilers = {.wants = is_passed, .lead = lead_import, .seen = seen};

void yield_look(void)
{
	if (!forks_set_up() || !forks_try_hold())
		return;
	if (objects_changed(&profilers))
		objects_look(&profilers);
	forks_let_go();
}

void yield_set_up(void *cupti)
{
	for (size_t i = 0; i < PASSED; i++)
		*(void **)&targets[i] = dlsym(cupti, passed[i].name);
	forks_set_up();
	forks_hold();
	objects_look(&profilers);
	forks_let_go();
}

/* Of a CUPTI that may hang nothing is asked on the job's own thread. */
static bool is_free(void)
{
	for (int i = 0; i < FLUSH_TRIES && is_flushing(); i++)
		sleep_ns(FLUSH_WAIT_NS);
	return !is_flushing();
}

/* All up to now is ours, all from now on another's. */
void yield_cupti(void)
{
	uint32_t phase = PHASE_ON;

	if (!is_ours() || atomic_load(&inside.by_imports))
		return;
	if (!atomic_compare_exchange_strong(&inside.phase, &phase, PHASE_YIELDING)) {
		/* The capture has ended, and all is flushed. */
		leave_cupti(false);
		return;
	}
	atomic_store(&inside.header->yielded_ns, now_ns(CLOCK_MONOTONIC));
	if (is_free()) {
		activity_stop();
		inside.cupti.ActivityFlushAll(FLUSH_FORCED);
		atomic_store(&inside.header->flushed, INSIDE_FLUSHED);
		activity_disable();
		inside.cupti.Unsubscribe(inside.subscriber);
	}
	atomic_store(&inside.header->state, INSIDE_YIELDED);
	atomic_store(&inside.phase, PHASE_LEFT);
	helper_wake();
}
