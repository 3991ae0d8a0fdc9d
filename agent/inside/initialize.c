// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* The function that the CUDA driver calls, inside cuInit. Whatever fails, the job goes on. */
#include <errno.h>
#include "inside.h"

struct inside inside;

void tell_refusal(enum inside_refused what, int32_t error)
{
	struct inside_refusal *refusal = &inside.header->refusals[what];
	const char *text = NULL;

	if (error > 0 && inside.cupti.GetResultString &&
	    !inside.cupti.GetResultString(error, &text) && text)
		for (size_t i = 0; i < sizeof(refusal->text) && (!i || text[i - 1]); i++)
			refusal->text[i] = text[i];
	refusal->error = error;
}

static enum inside_state subscribe(void *library)
{
	struct cupti *cupti = &inside.cupti;
	int err = cupti->Subscribe(&inside.subscriber, on_callback, NULL);

	tell_refusal(INSIDE_SUBSCRIBE, err);
	if (err)
		return err == CUPTI_TAKEN ? INSIDE_TAKEN : INSIDE_REFUSED;
	activity_set_up();
	cupti->EnableCallback(1, inside.subscriber, DOMAIN_RESOURCE, RESOURCE_CONTEXT_CREATED);
	if (functions_subscribe() && helper_start(help)) {
		/* From here on nobody else has to look at calls. */
		atomic_store(&inside.header->recording_ns, now_ns(CLOCK_MONOTONIC));
		atomic_store(&inside.phase, PHASE_ON);
		yield_set_up(library);
		return INSIDE_RECORDING;
	}
	activity_disable();
	cupti->Unsubscribe(inside.subscriber);
	return INSIDE_NO_THREAD;
}

static enum inside_state record_with_cupti(void)
{
	void *library;
	enum inside_state state = find_cupti(&library);

	if (state == INSIDE_NEW) {
		stacks_set_up();
		names_forget();
		streams_forget();
		atomic_store(&inside.phase, PHASE_STARTING);
		state = subscribe(library);
	}
	return state;
}

enum inside_state look_for_cupti(void)
{
	void *library;
	enum inside_state state = inside.header->no_cupti ? INSIDE_UNASKED : find_cupti(&library);
	int err;

	if (state != INSIDE_NEW)
		return state;
	err = inside.cupti.Subscribe(&inside.subscriber, on_callback, NULL);
	if (err)
		return err == CUPTI_TAKEN ? INSIDE_TAKEN : INSIDE_REFUSED;
	inside.cupti.Unsubscribe(inside.subscriber);
	return INSIDE_NEW;
}

enum inside_state begin_recording(bool may_come_again)
{
	enum inside_state state = INSIDE_NO_THREAD;

	atomic_store(&inside.by_imports, false);
	if (guard_set_up() && threads_set_up()) {
		functions_set_up();
		account_set_up();
		state = inside.header->no_cupti ? INSIDE_UNASKED : record_with_cupti();
		if (state != INSIDE_RECORDING && inside.header->imports)
			state = record_without_cupti(state, may_come_again);
	}
	if (state != INSIDE_RECORDING && state != INSIDE_BY_IMPORTS)
		atomic_store(&inside.phase, PHASE_OFF);
	atomic_store(&inside.header->state, state);
	return state;
}

static _Atomic uint32_t in_set_up;

bool enter_set_up(void)
{
	return !atomic_exchange(&in_set_up, 1);
}

void leave_set_up(void)
{
	atomic_store(&in_set_up, 0);
}

EXPORT int InitializeInjection(void);

/* Some drivers call it again, also in a forked child, where nothing of CUDA works any more. */
EXPORT int InitializeInjection(void)
{
	int before = errno;

	if (!enter_set_up())
		return 1;
	if (!inside.ring && connect_to_agent())
		begin_recording(false);
	leave_set_up();
	errno = before;
	return 1;
}
