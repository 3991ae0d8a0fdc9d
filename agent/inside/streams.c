// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Calls name a stream by its handle, the GPU's records by a number: CUPTI knows which is which. */
#include "../src/probe/cuda/functions.h"
#include "inside.h"

#define TOLD 256

/* What was told already, the newest in each place: to say it twice does no harm. */
static _Atomic uint64_t told[TOLD];

void streams_forget(void)
{
	for (unsigned int i = 0; i < TOLD; i++)
		atomic_store_explicit(&told[i], 0, memory_order_relaxed);
}

void tell_stream(struct thread_state *thread, uint16_t function, const __u64 *words,
		 const struct cupti_call *call)
{
	const struct call_shape *shape = &cuda_functions[function].shape;
	uint64_t handle = shape->stream ? words[(shape->stream - 1) % CALL_WORDS] : 0;
	uint64_t key = (handle << 8 | (uint64_t)shape->per_thread << 7) ^
		       (uint64_t)call->context_id * 0x9e3779b97f4a7c15ull;
	_Atomic uint64_t *place = &told[(key ^ key >> 12 ^ key >> 24) % TOLD];
	struct inside_stream *record;
	uint32_t stream;

	if ((!shape->stream && !shape->default_stream) || !call->context || handle == UNREADABLE ||
	    !inside.cupti.GetStreamIdEx ||
	    atomic_load_explicit(place, memory_order_relaxed) == (key | 1))
		return;
	if (inside.cupti.GetStreamIdEx(call->context, (void *)(uintptr_t)handle, shape->per_thread,
				       &stream))
		return;
	record = record_reserve(thread, INSIDE_STREAM, sizeof(*record));
	if (!record)
		return;
	/* As decode_call names the default streams. */
	record->handle = handle ? (handle == 1 ? 0 : handle) : shape->per_thread ? 2 : 0;
	record->context = call->context_id;
	record->stream = stream;
	record_publish(thread, record);
	atomic_store_explicit(place, key | 1, memory_order_relaxed);
}
