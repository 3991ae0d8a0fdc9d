// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * The entry and the return of a CUDA function, on the job's own thread: what CUPTI calls at both, or a wrapper
 * (wrap.c).
 */
#include <string.h>
#include "../src/probe/cuda/functions.h"
#include "inside.h"

static bool is_launch(uint16_t function)
{
	return cuda_functions[function].spec.flags & FUNCTION_LAUNCH;
}

/* A return after CUPTI was left to another profiler was not seen; any other one is not to be. */
static uint64_t end_of_unseen(const struct thread_state *thread)
{
	uint64_t yielded_ns = atomic_load(&inside.header->yielded_ns);

	return thread->domain != DOMAIN_IMPORT && yielded_ns > thread->start_ns ?
		       yielded_ns :
		       now_ns(CLOCK_MONOTONIC);
}

/* An exception or longjmp went past its return. */
static void give_up_call(struct thread_state *thread)
{
	struct inside_slot *slot = thread->slot;
	struct inside_call *record = record_reserve(thread, INSIDE_CALL, sizeof(*record));

	thread->open = false;
	if (record) {
		memset(&record->start_ns, 0, sizeof(*record) - sizeof(record->header));
		record->header.flags = INSIDE_CALL_LEFT;
		record->start_ns = thread->start_ns;
		record->duration_ns = end_of_unseen(thread) - thread->start_ns;
		memcpy(record->words, slot->words, sizeof(record->words));
		record->correlation = slot->correlation;
		record->context = slot->context;
		record->function = slot->function;
		record_publish(thread, record);
	}
}

/* Part of the open call; whether the GPU's work bears its number is CUPTI's to decide. */
static void keep_inner(struct inside_slot *slot, uint32_t correlation)
{
	if (!correlation || correlation == slot->correlation)
		return;
	slot_begin(slot);
	slot->inner[slot->inner[0] ? INSIDE_INNER - 1 : 0] = correlation;
	slot_end(slot);
}

bool call_enter(struct thread_state *thread, int domain, uint32_t id, uint16_t function,
		const struct cupti_call *call, const struct import_frame *import)
{
	uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
	struct inside_slot *slot = thread->slot;

	if (thread->open) {
		/* What a call calls itself is deeper on the stack, and part of it; but not where CUPTI told of it, and is left. */
		if (frame < thread->frame &&
		    (domain == DOMAIN_IMPORT) == (thread->domain == DOMAIN_IMPORT)) {
			keep_inner(slot, call->correlation);
			return false;
		}
		give_up_call(thread);
	}
	thread->open = true;
	thread->domain = domain;
	thread->id = id;
	thread->frame = frame;
	slot_begin(slot);
	slot->function = function;
	slot->correlation = call->correlation;
	slot->context = call->context_id;
	memset(slot->inner, 0, sizeof(slot->inner));
	if (import)
		take_words(function, import, slot->words);
	else
		read_words(function, call->parameters, slot->words);
	if (is_launch(function))
		thread->start_ns = now_ns(CLOCK_MONOTONIC);
	else
		account_entry(thread);
	slot->start_ns = thread->start_ns;
	slot->open = 1;
	slot_end(slot);
	return true;
}

static bool wants_stack(uint16_t function, uint64_t duration_ns)
{
	uint32_t flags = cuda_functions[function].spec.flags;

	return (flags & FUNCTION_STACK_ALWAYS) ||
	       ((flags & FUNCTION_STACK) && duration_ns >= inside.header->stack_threshold_ns);
}

static void send_call(struct thread_state *thread, uint64_t end_ns, const struct cupti_call *call)
{
	const struct inside_slot *slot = thread->slot;
	struct inside_call sent = {
		.start_ns = thread->start_ns,
		.duration_ns = end_ns - thread->start_ns,
		.correlation = slot->correlation,
		/* The first call makes its context. */
		.context = call->context_id,
		.result = call->result ? *call->result : 0,
		.function = slot->function,
	};
	struct inside_call *record;
	uint8_t flags = 0;

	if (!is_launch(slot->function)) {
		struct account account;

		account_return(thread, end_ns, &account);
		flags = (account.known ? INSIDE_CALL_SUMS : 0) |
			(account.queue_known ? INSIDE_CALL_QUEUE : 0);
		sent.off_cpu_ns = account.off_cpu_ns;
		sent.run_queue_ns = account.run_queue_ns;
		sent.minor_faults = account.minor_faults;
		sent.major_faults = account.major_faults;
	}
	memcpy(sent.words, slot->words, sizeof(sent.words));
	memcpy(sent.inner, slot->inner, sizeof(sent.inner));
	/* What a call refused may lead nowhere. */
	if (!sent.result) {
		read_behind_words(slot->function, sent.words, &sent.out_value);
		tell_stream(thread, slot->function, sent.words, call);
	}
	if (wants_stack(slot->function, sent.duration_ns))
		sent.stack_id = send_stack(thread);
	record = record_reserve(thread, INSIDE_CALL, sizeof(*record));
	if (!record)
		return;
	sent.header = record->header;
	sent.header.flags = flags;
	*record = sent;
	record_publish(thread, record);
}

void call_leave(struct thread_state *thread, int domain, uint32_t id, const struct cupti_call *call)
{
	struct inside_slot *slot = thread->slot;
	uint64_t end_ns;

	if (!thread->open || thread->id != id || thread->domain != domain ||
	    slot->correlation != call->correlation)
		return;
	thread->open = false;
	/* In this order: the agent takes calls in the order in which they ended. */
	atomic_store_explicit(&slot->leaving, 1, memory_order_seq_cst);
	end_ns = now_ns(CLOCK_MONOTONIC);
	if (!is_launch(slot->function) ||
	    count_launch(thread, slot->function, thread->start_ns, end_ns))
		send_call(thread, end_ns, call);
	slot_begin(slot);
	slot->open = 0;
	slot_end(slot);
	atomic_store_explicit(&slot->leaving, 0, memory_order_release);
}

void on_callback(void *context, int domain, uint32_t id, const void *data)
{
	const struct cupti_call *call = data;
	struct thread_state *thread;
	uint16_t function;

	/* CUPTI may still be about to tell us of a call when we have left it. */
	if (!is_ours() || atomic_load_explicit(&inside.by_imports, memory_order_relaxed))
		return;
	if (domain == DOMAIN_RESOURCE) {
		helper_register_exit();
		return;
	}
	if (!is_recording()) {
		if (call->site == SITE_EXIT)
			leave_cupti(true);
		return;
	}
	/* In a process that ran already, the context is there before us. */
	if (call->context)
		helper_register_exit();
	function = function_of(domain, id);
	if (function == NO_FUNCTION)
		return;
	thread = thread_here();
	if (!thread)
		count_lost(INSIDE_CALL, call->site == SITE_EXIT);
	else if (call->site == SITE_EXIT)
		call_leave(thread, domain, id, call);
	else
		call_enter(thread, domain, id, function, call, NULL);
}
