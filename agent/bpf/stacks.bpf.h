/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Call stacks: taken whole, named by a hash, sent the first time they are seen. */
#ifndef STALLTRACE_STACKS_BPF_H
#define STALLTRACE_STACKS_BPF_H

#include "state.bpf.h"
#include "python.bpf.h"

/* capture_stack: the kernel's frames too. */
#define STACK_KERNEL 0x100

/*
 * Stacks being put together on one CPU: by a task, by one that preempted it there, by the scheduler
 * and by a sampling interrupt. Each takes a slot of its own, so that none mixes frames into another.
 */
#define STACK_SLOTS 4
#define STACK_FRAMES (KERNEL_FRAMES + USER_FRAMES + 2 * PYTHON_FRAMES)
#define LEAD_FRAMES 2

struct stack_slot {
	__u64 busy;
	struct stack_record record;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, STACK_SLOTS);
	__type(key, __u32);
	__type(value, struct stack_slot);
} stack_slots SEC(".maps");

/* Stacks that were sent. One that fell out is sent again, with the same id. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 65536);
	__type(key, __u64);
	__type(value, __u8);
} seen_stacks SEC(".maps");

static __always_inline struct stack_slot *take_stack_slot(void)
{
	for (__u32 i = 0; i < STACK_SLOTS; i++) {
		__u32 key = i;
		struct stack_slot *slot = bpf_map_lookup_elem(&stack_slots, &key);

		if (slot && !__sync_lock_test_and_set(&slot->busy, 1))
			return slot;
	}
	return NULL;
}

static __always_inline void give_back_stack_slot(struct stack_slot *slot)
{
	*(volatile __u64 *)&slot->busy = 0;
}

static __always_inline __u32 read_frames(void *ctx, __u64 *frames, __u32 size, __u64 flags)
{
	long bytes = bpf_get_stack(ctx, frames, size, flags);

	return bytes < 0 ? 0 : (__u32)bytes / sizeof(__u64);
}

#if defined(__TARGET_ARCH_arm64)
#define USER_ADDRESS_BITS 52
#else
#define USER_ADDRESS_BITS 47
#endif

/*
 * Code without frame pointers leaves any value where the next frame is looked for. What can be no
 * address ends the stack here, so that it does not make a new stack each time; user space, which
 * knows the mappings, ends it at what is no code. Not static, as walk_python is not.
 */
__noinline __u32 plausible_frames(struct stack_record *record, __u32 first, __u32 count)
{
	if (!record || first > KERNEL_FRAMES)
		return 0;
	_Pragma("nounroll") for (__u32 i = 0; i < USER_FRAMES; i++)
	{
		__u32 index = first + i;
		__u64 address;

		if (i >= count)
			return i;
		address = record->frames[index];
		if (address < 65536 || address >> USER_ADDRESS_BITS)
			return i;
	}
	return USER_FRAMES;
}

/*
 * Never 0. Multiply and fold, as in wyhash: each word's every bit reaches the whole. Not static, as
 * walk_python is not.
 */
__noinline __u64 hash_frames(struct stack_record *record, __u32 words)
{
	__u64 hash;

	if (!record)
		return 1;
	hash = 0x9e3779b97f4a7c15 ^ record->tgid ^ ((__u64)record->kernel_frames << 32) ^
	       ((__u64)record->user_frames << 48);

	_Pragma("nounroll") for (__u32 i = 0; i < STACK_FRAMES; i++)
	{
		if (i >= words)
			break;
		hash = (hash ^ record->frames[i]) * 0xd6e8feb86659fd93;
		hash ^= hash >> 32;
	}
	return hash ? hash : 1;
}

static __always_inline void send_stack(struct stack_record *record, __u32 words)
{
	__u64 size = sizeof(*record) - sizeof(record->frames) + words * sizeof(__u64);
	__u8 seen = 1;

	if (bpf_map_lookup_elem(&seen_stacks, &record->id))
		return;
	record->header.kind = RECORD_STACK;
	record->header.flags = 0;
	record->header.size = size;
	if (size > sizeof(*record) || bpf_ringbuf_output(&ring, record, size, BPF_RB_NO_WAKEUP)) {
		count_drop(RECORD_STACK);
		return;
	}
	bpf_map_update_elem(&seen_stacks, &record->id, &seen, BPF_ANY);
}

/*
 * The current thread's stack: its id, after its frames were sent if they had not been; 0 = none.
 * `first` and `caller`, where not 0, come before the user frames. flags: STACK_KERNEL, and in the low
 * byte how many user frames to leave out at the leaf.
 */
static __noinline __u64 capture_stack(void *ctx, struct thread *thread, __u64 first, __u64 caller,
				      __u64 flags)
{
	struct stack_slot *slot = take_stack_slot();
	__u32 kernel = 0, lead = 0, user, python = 0, words;
	struct stack_record *record;
	__u64 id = 0;

	if (!slot) {
		count_drop(RECORD_STACK);
		return 0;
	}
	record = &slot->record;
	if (flags & STACK_KERNEL)
		kernel = read_frames(ctx, record->frames, KERNEL_FRAMES * sizeof(__u64), 0);
	if (kernel > KERNEL_FRAMES)
		goto cleanup;
	if (first)
		record->frames[kernel + lead++] = first;
	if (caller)
		record->frames[kernel + lead++] = caller;
	user = read_frames(ctx, &record->frames[kernel + lead],
			   (USER_FRAMES - LEAD_FRAMES) * sizeof(__u64),
			   BPF_F_USER_STACK | (flags & BPF_F_SKIP_FIELD_MASK));
	user = plausible_frames(record, kernel, user + lead);
	/* Else the compiler checks a copy, of which the verifier learns nothing for this one. */
	barrier_var(user);
	if (user > USER_FRAMES)
		goto cleanup;
	if (config.python)
		python =
			walk_python(thread, (struct python_frames *)&record->frames[kernel + user]);
	words = kernel + user + 2 * python;
	if (!words || words > STACK_FRAMES)
		goto cleanup;
	record->tgid = bpf_get_current_pid_tgid() >> 32;
	record->header.tid = (__u32)bpf_get_current_pid_tgid();
	record->kernel_frames = kernel;
	record->user_frames = user;
	record->python_frames = python;
	id = hash_frames(record, words);
	record->id = id;
	send_stack(record, words);
cleanup:
	give_back_stack_slot(slot);
	return id;
}

#endif /* STALLTRACE_STACKS_BPF_H */
