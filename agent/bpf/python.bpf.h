/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The Python frames of the current thread, whether or not it holds the interpreter's lock. */
#ifndef STALLTRACE_PYTHON_BPF_H
#define STALLTRACE_PYTHON_BPF_H

#include "state.bpf.h"

/* Threads of an interpreter that are looked at. */
#define PYTHON_THREADS 128

/* tgid → where its interpreter keeps things. As many as `targets`, or a target would go without. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u32);
	__type(value, struct python_config);
} python SEC(".maps");

#if defined(__TARGET_ARCH_arm64)
struct thread_struct___arm64 {
	struct {
		unsigned long tp_value;
	} uw;
} __attribute__((preserve_access_index));

struct task_struct___arm64 {
	struct thread_struct___arm64 thread;
} __attribute__((preserve_access_index));

/*
 * pthread_self() lies below the thread pointer by the size of libc's struct pthread (1.7 to 2.3 kB
 * with glibc, less with musl); two threads' are further apart, as the smallest stack is 16 kB.
 */
#define THREAD_ID_BELOW 4096

static __always_inline __u64 thread_pointer(void)
{
	struct task_struct___arm64 *task = (void *)bpf_get_current_task();

	return BPF_CORE_READ(task, thread.uw.tp_value);
}
#else
/* The ABI has the word at fs:0 point to itself, and both libcs make it pthread_self(). */
#define THREAD_ID_BELOW 0

static __always_inline __u64 thread_pointer(void)
{
	struct task_struct *task = (void *)bpf_get_current_task();

	return BPF_CORE_READ(task, thread.fsbase);
}
#endif

/* 0 where it cannot be read: a null pointer and one that leads nowhere end a walk alike. */
static __always_inline __u64 read_user_word(__u64 address)
{
	__u64 word = 0;

	if (bpf_probe_read_user(&word, sizeof(word), (void *)address))
		return 0;
	return word;
}

/*
 * The bodies of the loops below are not static, so that the verifier goes through each once and by
 * itself, not anew in every turn of the loop and every program that takes stacks: it takes a fifth
 * of the time to load them.
 */

/* Whether the PyThreadState is that of the thread whose thread pointer it is. */
__noinline int is_own_tstate(const struct python_config *layout, __u64 tstate, __u64 pointer)
{
	__u64 thread_id;

	if (!layout)
		return 0;
	thread_id = read_user_word(tstate + layout->tstate_thread_id);
	return thread_id && pointer - thread_id <= THREAD_ID_BELOW;
}

/* The PyThreadState of the current thread; 0 = it has never run Python. */
static __always_inline __u64 find_tstate(struct thread *thread, const struct python_config *layout)
{
	__u64 pointer = thread_pointer();
	__u64 tstate = thread->python_tstate;

	if (tstate && is_own_tstate(layout, tstate, pointer))
		return tstate;
	thread->python_tstate = 0;
	tstate = read_user_word(layout->thread_list);
	_Pragma("nounroll") for (int i = 0; i < PYTHON_THREADS && tstate; i++)
	{
		if (is_own_tstate(layout, tstate, pointer)) {
			thread->python_tstate = tstate;
			return tstate;
		}
		tstate = read_user_word(tstate + layout->tstate_next);
	}
	return 0;
}

static __always_inline __u64 first_python_frame(const struct python_config *layout, __u64 tstate)
{
	__u64 frame = read_user_word(tstate + layout->tstate_frame);

	if (frame && layout->source == PYTHON_CFRAME)
		frame = read_user_word(frame + layout->cframe_current_frame);
	return frame;
}

/* The interpreter puts a frame of its own below each C → Python entry, never two in a row. */
static __always_inline __u64 skip_entry_frame(const struct python_config *layout, __u64 frame)
{
	__u8 owner = 0;

	if (!layout->frame_owner)
		return frame;
	if (bpf_probe_read_user(&owner, sizeof(owner), (void *)(frame + layout->frame_owner)))
		return 0;
	return owner >= layout->owner_skip ? read_user_word(frame + layout->frame_previous) : frame;
}

static __always_inline __s64 python_instruction(const struct python_config *layout, __u64 frame,
						__u64 code)
{
	__s32 last = -1;

	if (layout->source != PYTHON_FRAME_OBJECT)
		return read_user_word(frame + layout->frame_instruction) - code -
		       layout->code_instructions;
	bpf_probe_read_user(&last, sizeof(last), (void *)(frame + layout->frame_instruction));
	return (__s64)last * layout->instruction_scale;
}

/* Reads the frame, with code 0 where it is none; the address of its caller's, or 0. */
__noinline __u64 read_python_frame(const struct python_config *layout, __u64 frame,
				   struct python_frame *out)
{
	if (!layout || !out)
		return 0;
	out->code = 0;
	frame = skip_entry_frame(layout, frame);
	if (!frame)
		return 0;
	out->code = read_user_word(frame + layout->frame_code) & layout->code_mask;
	if (!out->code)
		return 0;
	out->instruction = python_instruction(layout, frame, out->code);
	return read_user_word(frame + layout->frame_previous);
}

struct python_frames {
	struct python_frame frame[PYTHON_FRAMES];
};

/*
 * Leaf first, at most PYTHON_FRAMES; returns how many. Counting them is the only state the loop
 * carries, which keeps the verifier's work linear; and being global it is verified by itself once,
 * not anew for each state in which each program calls it.
 */
__noinline int walk_python(struct thread *thread, struct python_frames *frames)
{
	__u32 tgid = bpf_get_current_pid_tgid() >> 32;
	const struct python_config *layout = bpf_map_lookup_elem(&python, &tgid);
	__u64 tstate, frame;
	int count;

	if (!layout || !thread || !frames)
		return 0;
	tstate = find_tstate(thread, layout);
	if (!tstate)
		return 0;
	frame = first_python_frame(layout, tstate);
	_Pragma("nounroll") for (count = 0; count < PYTHON_FRAMES && frame; count++)
	{
		frame = read_python_frame(layout, frame, &frames->frame[count]);
		if (!frames->frame[count].code)
			break;
	}
	return count;
}

/* A fork's child has its parent's interpreter, at the same addresses. */
static __always_inline void inherit_python(__u32 parent, __u32 child)
{
	struct python_config *layout = bpf_map_lookup_elem(&python, &parent);

	if (layout)
		bpf_map_update_elem(&python, &child, layout, BPF_ANY);
}

/* The process has ended, or its exec has replaced the interpreter. */
static __always_inline void forget_python(__u32 tgid)
{
	bpf_map_delete_elem(&python, &tgid);
}

#endif /* STALLTRACE_PYTHON_BPF_H */
