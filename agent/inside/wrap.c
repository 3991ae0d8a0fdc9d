// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "inside.h"
#include "wrap.h"

#define WRAPPER_BYTES 16
extern const char import_wrappers[] __attribute__((visibility("hidden")));

static struct {
	void *target;
	uint16_t function;
} wrappers[WRAPPERS];
static unsigned int wrapper_count;

void *wrap(uint16_t function, void *target)
{
	unsigned int i = 0;

	while (i < wrapper_count &&
	       (wrappers[i].target != target || wrappers[i].function != function))
		i++;
	if (i == WRAPPERS)
		return NULL;
	wrappers[i].target = target;
	wrappers[i].function = function;
	wrapper_count += i == wrapper_count;
	return (void *)(uintptr_t)(import_wrappers + (size_t)i * WRAPPER_BYTES);
}

void *unwrap(const void *wrapper)
{
	uintptr_t offset = (uintptr_t)wrapper - (uintptr_t)import_wrappers;

	return offset < (uintptr_t)WRAPPERS * WRAPPER_BYTES ?
		       wrappers[offset / WRAPPER_BYTES].target :
		       NULL;
}

/* Tells this call from one that was left by longjmp. */
static uint32_t id_of(const struct import_frame *frame)
{
	return (uint32_t)((uintptr_t)frame >> 3);
}

void *import_enter(struct import_frame *frame)
{
	static const struct cupti_call unnumbered;
	uint16_t function = wrappers[frame->wrapper].function;
	struct thread_state *thread;

	frame->began = 0;
	if (!is_recording())
		return wrappers[frame->wrapper].target;
	thread = thread_here();
	if (thread)
		frame->began = call_enter(thread, DOMAIN_IMPORT, id_of(frame), function,
					  &unnumbered, frame);
	else
		count_lost(INSIDE_CALL, 1);
	return wrappers[frame->wrapper].target;
}

void import_leave(struct import_frame *frame)
{
	int32_t result = (int32_t)frame->result;
	struct cupti_call call = {.result = &result};
	struct thread_state *thread;

	if (!frame->began || !is_recording())
		return;
	thread = thread_here();
	if (thread)
		call_leave(thread, DOMAIN_IMPORT, id_of(frame), &call);
}
