// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Threads of the job, as they call CUDA: each gets a slot of the ring, and gives it back at its end. */
#include <pthread.h>
#include <sys/mman.h>
#include "inside.h"

/* A thread for which there was no slot. */
#define REFUSED ((struct thread_state *)1)

static pthread_key_t key;
static bool has_key;

static void end_thread(void *state)
{
	struct thread_state *thread = state;

	if (thread == REFUSED || !is_ours())
		return;
	if (atomic_load(&inside.phase) == PHASE_ON)
		flush_launches(thread);
	writer_close_block(thread);
	account_thread_end(thread);
	atomic_store_explicit(&thread->slot->state, INSIDE_SLOT_ENDED, memory_order_release);
}

/* Those of a recording before; what they point to stays, as a thread may still be on its way out of a call. */
static void forget_threads(void)
{
	if (has_key)
		pthread_key_delete(key);
	has_key = false;
	for (unsigned int i = 0; inside.threads && i < INSIDE_SLOTS; i++)
		if (inside.threads[i].slot)
			account_thread_end(&inside.threads[i]);
	inside.threads = NULL;
}

bool threads_set_up(void)
{
	long memory = SYSTEM_CALL(SYS_mmap, 0, INSIDE_SLOTS * sizeof(struct thread_state),
				  PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);

	forget_threads();
	if (memory < 0 && memory > -4096)
		return false;
	inside.threads = (struct thread_state *)memory;
	has_key = !pthread_key_create(&key, end_thread);
	return has_key;
}

static struct thread_state *take_slot(void)
{
	for (unsigned int index = 0; index < INSIDE_SLOTS; index++) {
		struct inside_slot *slot = inside_slot(inside.ring, index);
		struct thread_state *thread = &inside.threads[index];
		uint32_t free = INSIDE_SLOT_FREE;

		if (!atomic_compare_exchange_strong(&slot->state, &free, INSIDE_SLOT_LIVE))
			continue;
		raise_to(&inside.header->slots_used, index + 1);
		__builtin_memset(thread, 0, sizeof(*thread));
		thread->slot = slot;
		thread->tid = (uint32_t)SYSTEM_CALL(SYS_gettid);
		thread->block = thread->schedstat = -1;
		slot_begin(slot);
		slot->tid = thread->tid;
		slot->open = 0;
		atomic_store_explicit(&slot->leaving, 0, memory_order_relaxed);
		__builtin_memset(slot->buckets, 0, sizeof(slot->buckets));
		slot_end(slot);
		return thread;
	}
	return REFUSED;
}

struct thread_state *thread_here(void)
{
	struct thread_state *thread = pthread_getspecific(key);

	if (__builtin_expect(!thread, 0)) {
		thread = take_slot();
		if (pthread_setspecific(key, thread) && thread != REFUSED) {
			end_thread(thread);
			thread = REFUSED;
		}
	}
	return thread == REFUSED ? NULL : thread;
}
