// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Where a call was made: native frames from the unwinder, where the program has loaded one anyway, else by
 * frame pointers; and Python's by the layout that the agent has proved on this process. All that is foreign is read by a system call
 * that fails where a plain read would end the program.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/uio.h>
#include "inside.h"

#define TOLD 4096
#define RATE_WINDOW_NS 100000000ull
/* Where this library lies: its own frames are nobody's business. The linker knows. */
extern const char own_begin[] __asm__("__ehdr_start") __attribute__((visibility("hidden")));
extern const char own_end[] __asm__("_end") __attribute__((visibility("hidden")));

typedef int (*trace_function)(void *context, void *argument);
static int (*unwind_backtrace)(trace_function function, void *argument);
static uintptr_t (*unwind_ip)(void *context);
static _Atomic uint64_t told[TOLD];
static _Atomic uint64_t window_ns;
static _Atomic uint32_t in_window;

void stacks_set_up(void)
{
	void *unwinder = dlopen("libgcc_s.so.1", RTLD_LAZY | RTLD_NOLOAD);

	*(void **)&unwind_backtrace =
		dlsym(unwinder ? unwinder : RTLD_DEFAULT, "_Unwind_Backtrace");
	*(void **)&unwind_ip = dlsym(unwinder ? unwinder : RTLD_DEFAULT, "_Unwind_GetIP");
	if (!unwind_ip)
		unwind_backtrace = NULL;
	for (unsigned int i = 0; i < TOLD; i++)
		atomic_store_explicit(&told[i], 0, memory_order_relaxed);
}

static bool within_rate(void)
{
	uint64_t now = now_ns(CLOCK_MONOTONIC), began = atomic_load(&window_ns);

	if (now - began >= RATE_WINDOW_NS &&
	    atomic_compare_exchange_strong(&window_ns, &began, now))
		atomic_store(&in_window, 0);
	return atomic_fetch_add(&in_window, 1) <
	       inside.header->stacks_per_second / (1000000000ull / RATE_WINDOW_NS);
}

struct frames {
	uint64_t user[USER_FRAMES];
	unsigned int user_count;
	struct python_frame python[PYTHON_FRAMES];
	unsigned int python_count;
	long memory; /* our own, as a file; -1 = not open */
};

/* A filter may refuse the one system call and allow the other way. */
static bool read_safely(struct frames *frames, void *out, uint64_t address, size_t size)
{
	struct iovec to = {.iov_base = out, .iov_len = size};
	struct iovec from = {.iov_base = (void *)(uintptr_t)address, .iov_len = size};
	long got = -EPERM;

	if (!address)
		return false;
	if (frames->memory < 0)
		got = SYSTEM_CALL(SYS_process_vm_readv, SYSTEM_CALL(SYS_getpid), &to, 1, &from, 1,
				  0);
	if (got != -EPERM && got != -ENOSYS)
		return got == (long)size;
	if (frames->memory < 0)
		frames->memory =
			SYSTEM_CALL(SYS_openat, AT_FDCWD, "/proc/self/mem", O_RDONLY | O_CLOEXEC);
	return frames->memory >= 0 &&
	       SYSTEM_CALL(SYS_pread64, frames->memory, out, size, address) == (long)size;
}

static void add_frame(struct frames *frames, uint64_t address)
{
	bool own = address - (uint64_t)(uintptr_t)own_begin < (uint64_t)(own_end - own_begin);

	if (!own && frames->user_count < USER_FRAMES)
		frames->user[frames->user_count++] = address;
}

static int add_unwound(void *context, void *argument)
{
	struct frames *frames = argument;

	add_frame(frames, unwind_ip(context));
	return frames->user_count < USER_FRAMES ? 0 : 5;
}

#define FARTHEST_FRAME (1u << 20)

/* As far as each frame lies above the one before, and holds a return address. */
static void walk_frame_pointers(struct frames *frames)
{
	uint64_t at = (uint64_t)(uintptr_t)__builtin_frame_address(0), frame[2];

	while (frames->user_count < USER_FRAMES && at % 8 == 0 &&
	       read_safely(frames, frame, at, sizeof(frame)) && frame[1]) {
		add_frame(frames, frame[1]);
		if (frame[0] <= at || frame[0] - at > FARTHEST_FRAME)
			return;
		at = frame[0];
	}
}

static uint64_t word_at(struct frames *frames, uint64_t address)
{
	uint64_t word = 0;

	return read_safely(frames, &word, address, sizeof(word)) ? word : 0;
}

/* As agent/bpf/python.bpf.h finds it. */
static uint64_t find_tstate(struct frames *frames, const struct python_config *python)
{
	uint64_t self = (uint64_t)pthread_self(), tstate = word_at(frames, python->thread_list);

	for (int i = 0; i < 128 && tstate; i++) {
		if (word_at(frames, tstate + python->tstate_thread_id) == self)
			return tstate;
		tstate = word_at(frames, tstate + python->tstate_next);
	}
	return 0;
}

#define FRAME_BYTES 128

/* Reads a frame, and returns its caller's address; code 0 = there is none. */
static uint64_t read_frame(struct frames *frames, const struct python_config *python,
			   uint64_t frame, struct python_frame *out)
{
	uint8_t bytes[FRAME_BYTES];
	uint64_t word, previous;
	int32_t last;

	out->code = 0;
	if (!read_safely(frames, bytes, frame, sizeof(bytes)))
		return 0;
	memcpy(&previous, bytes + python->frame_previous, sizeof(previous));
	/* The interpreter's own, below each entry from C; never two in a row. */
	if (python->frame_owner && bytes[python->frame_owner] >= python->owner_skip) {
		if (!read_safely(frames, bytes, previous, sizeof(bytes)))
			return 0;
		memcpy(&previous, bytes + python->frame_previous, sizeof(previous));
	}
	memcpy(&word, bytes + python->frame_code, sizeof(word));
	out->code = word & python->code_mask;
	if (python->source == PYTHON_FRAME_OBJECT) {
		memcpy(&last, bytes + python->frame_instruction, sizeof(last));
		out->instruction = (int64_t)last * python->instruction_scale;
	} else {
		memcpy(&word, bytes + python->frame_instruction, sizeof(word));
		out->instruction = (int64_t)(word - out->code - python->code_instructions);
	}
	return previous;
}

static bool fits(const struct python_config *python)
{
	return python->frame_previous <= FRAME_BYTES - 8 && python->frame_code <= FRAME_BYTES - 8 &&
	       python->frame_instruction <= FRAME_BYTES - 8 && python->frame_owner < FRAME_BYTES;
}

static void walk_python(struct frames *frames)
{
	const struct python_config *python = &inside.header->python;
	uint64_t frame;

	if (!atomic_load_explicit(&inside.header->python_known, memory_order_acquire) ||
	    !fits(python))
		return;
	frame = word_at(frames, find_tstate(frames, python) + python->tstate_frame);
	if (frame && python->source == PYTHON_CFRAME)
		frame = word_at(frames, frame + python->cframe_current_frame);
	while (frame && frames->python_count < PYTHON_FRAMES) {
		struct python_frame *next = &frames->python[frames->python_count];

		frame = read_frame(frames, python, frame, next);
		if (!next->code)
			return;
		frames->python_count++;
	}
}

static uint64_t hash_words(uint64_t hash, const void *data, size_t words)
{
	const uint64_t *word = data;

	for (size_t i = 0; i < words; i++) {
		hash = (hash ^ word[i]) * 0xff51afd7ed558ccdull;
		hash ^= hash >> 32;
	}
	return hash;
}

static uint64_t tell(struct thread_state *thread, const struct frames *frames)
{
	size_t words = frames->user_count + 2 * frames->python_count;
	uint64_t id = hash_words(words, frames->user, frames->user_count);
	struct stack_record *record;

	id = hash_words(id, frames->python, 2 * frames->python_count);
	id = id ? id : 1;
	if (atomic_load_explicit(&told[id % TOLD], memory_order_relaxed) == id)
		return id;
	record = record_reserve(thread, INSIDE_STACK,
				offsetof(struct stack_record, frames) + words * sizeof(uint64_t));
	if (!record)
		return 0;
	record->id = id;
	record->tgid = (uint32_t)inside.header->pid;
	record->kernel_frames = 0;
	record->user_frames = (uint16_t)frames->user_count;
	record->python_frames = (uint16_t)frames->python_count;
	memcpy(record->frames, frames->user, frames->user_count * sizeof(uint64_t));
	memcpy(record->frames + frames->user_count, frames->python,
	       frames->python_count * sizeof(frames->python[0]));
	record_publish(thread, record);
	atomic_store_explicit(&told[id % TOLD], id, memory_order_relaxed);
	return id;
}

uint64_t send_stack(struct thread_state *thread)
{
	struct frames frames;
	int before = errno;

	if (!within_rate())
		return 0;
	frames.user_count = frames.python_count = 0;
	frames.memory = -1;
	if (unwind_backtrace)
		unwind_backtrace(add_unwound, &frames);
	else
		walk_frame_pointers(&frames);
	walk_python(&frames);
	if (frames.memory >= 0)
		SYSTEM_CALL(SYS_close, frames.memory);
	errno = before;
	return frames.user_count || frames.python_count ? tell(thread, &frames) : 0;
}
