// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "python_walk.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include "python_memory.h"

/* Callers' frames lie below, most of them in these many bytes (3.11 on): one read for several. */
#define WINDOW_BYTES 2048u
/* The members of a thread state or frame that are read lie within so many bytes. */
#define MOST_STRUCT_BYTES 512u

/* What was read last. */
struct window {
	pid_t pid;
	uint32_t behind; /* bytes before what is asked for that are read with it */
	uint64_t begin, end;
	uint8_t bytes[WINDOW_BYTES + MOST_STRUCT_BYTES];
};

static int read_window(struct window *window, uint64_t begin, uint64_t end)
{
	int error = memory_read(window->pid, begin, window->bytes, end - begin);

	window->begin = error ? 0 : begin;
	window->end = error ? 0 : end;
	return error;
}

static int copy_bytes(struct window *window, uint64_t address, void *out, uint32_t size)
{
	int error = 0;

	if (size > MOST_STRUCT_BYTES || address > (uint64_t)INT64_MAX - size)
		return -EFAULT;
	if (address < window->begin || address + size > window->end) {
		error = address > window->behind ?
				read_window(window, address - window->behind, address + size) :
				-EFAULT;
		/* What lies before it may not be mapped. */
		if (error == -EFAULT)
			error = read_window(window, address, address + size);
	}
	if (!error)
		memcpy(out, window->bytes + (address - window->begin), size);
	return error;
}

static uint64_t word_at(const uint8_t *bytes, uint32_t offset)
{
	uint64_t word;

	memcpy(&word, bytes + offset, sizeof(word));
	return word;
}

static uint32_t highest(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

/* A thread state, as far as it is of use. */
struct state {
	uint64_t next, interpreter, id, frame;
};

static int read_state(pid_t pid, const struct python_layout *layout, uint64_t tstate,
		      struct state *out)
{
	const struct python_config *walk = &layout->walk;
	uint32_t size =
		sizeof(uint64_t) + highest(highest(walk->tstate_next, layout->tstate_interpreter),
					   highest(walk->tstate_thread_id, walk->tstate_frame));
	uint8_t bytes[MOST_STRUCT_BYTES];
	int error = size > sizeof(bytes) ? -EINVAL : memory_read(pid, tstate, bytes, size);

	if (error)
		return error;
	*out = (struct state){
		.next = word_at(bytes, walk->tstate_next),
		.interpreter = word_at(bytes, layout->tstate_interpreter),
		.id = word_at(bytes, walk->tstate_thread_id),
		.frame = word_at(bytes, walk->tstate_frame),
	};
	return 0;
}

int python_walk_threads(pid_t pid, const struct python_layout *layout, struct python_thread *out,
			unsigned int most)
{
	uint64_t interpreter = layout->walk.thread_list - layout->interpreter_threads, tstate;
	unsigned int count = 0;
	struct state state;
	int error = memory_read_word(pid, layout->walk.thread_list, &tstate);

	while (!error && tstate && count < most) {
		error = read_state(pid, layout, tstate, &state);
		if (error)
			break;
		if (state.interpreter != interpreter)
			return -EINVAL;
		out[count++] = (struct python_thread){.tstate = tstate, .id = state.id};
		tstate = state.next;
	}
	/* One that ended meanwhile leads nowhere: those before it are threads all the same. */
	return error == -EFAULT && count ? (int)count : error ? error : (int)count;
}

/* One frame: 1; 0 = the interpreter's own; -errno. *previous: its caller's. */
static int read_frame(struct window *window, const struct python_config *walk, uint64_t frame,
		      struct python_frame *out, uint64_t *previous)
{
	uint32_t size =
		sizeof(uint64_t) + highest(highest(walk->frame_previous, walk->frame_code),
					   highest(walk->frame_instruction, walk->frame_owner));
	uint8_t bytes[MOST_STRUCT_BYTES];
	int error = size > sizeof(bytes) ? -EINVAL : copy_bytes(window, frame, bytes, size);
	int32_t last;

	if (error)
		return error;
	*previous = word_at(bytes, walk->frame_previous);
	if (walk->frame_owner && bytes[walk->frame_owner] >= walk->owner_skip)
		return 0;
	out->code = word_at(bytes, walk->frame_code) & walk->code_mask;
	if (walk->source == PYTHON_FRAME_OBJECT) {
		memcpy(&last, bytes + walk->frame_instruction, sizeof(last));
		out->instruction = (int64_t)last * walk->instruction_scale;
	} else {
		out->instruction = (int64_t)(word_at(bytes, walk->frame_instruction) - out->code -
					     walk->code_instructions);
	}
	return out->code ? 1 : -EAGAIN;
}

/* How many; *outermost: the address of the last one, 0 where the chain goes on beyond what is kept. */
static int read_chain(pid_t pid, const struct python_config *walk, uint64_t frame,
		      struct python_frame *out, uint64_t *outermost)
{
	struct window window = {
		.pid = pid,
		.behind = walk->source == PYTHON_FRAME_OBJECT ? 0 : WINDOW_BYTES,
	};
	bool was_own = false;
	uint64_t previous = 0;
	int count = 0, kind;

	*outermost = 0;
	while (frame && count < PYTHON_FRAMES) {
		kind = read_frame(&window, walk, frame, &out[count], &previous);
		if (kind < 0)
			return kind == -ESRCH ? -ESRCH : -EAGAIN;
		/* The interpreter never puts two of its own in a row. */
		if (!kind && was_own)
			return -EAGAIN;
		was_own = !kind;
		count += kind;
		*outermost = frame;
		frame = previous;
	}
	if (frame)
		*outermost = 0;
	return count;
}

static int first_frame(pid_t pid, const struct python_config *walk, uint64_t word, uint64_t *out)
{
	*out = word;
	return word && walk->source == PYTHON_CFRAME ?
		       memory_read_word(pid, word + walk->cframe_current_frame, out) :
		       0;
}

/* Whether the thread is in the frame in which the chain began. */
static bool is_still_in(pid_t pid, const struct python_layout *layout,
			const struct python_thread *thread, uint64_t frame)
{
	struct state state;
	uint64_t now;

	return !read_state(pid, layout, thread->tstate, &state) &&
	       !first_frame(pid, &layout->walk, state.frame, &now) && now == frame;
}

/*
 * A frame that was left while it was read may have lost its caller, or be another thread's by now: the chain
 * then ends elsewhere. A thread's outermost frame stands still, so who ends there as before is whole.
 */
int python_walk_frames(pid_t pid, const struct python_layout *layout, struct python_thread *thread,
		       struct python_frame out[PYTHON_FRAMES])
{
	struct state state;
	uint64_t frame, outermost;
	int count, error = read_state(pid, layout, thread->tstate, &state);

	if (error)
		return error;
	if (state.id != thread->id)
		return -ESRCH;
	error = first_frame(pid, &layout->walk, state.frame, &frame);
	if (error)
		return error == -EFAULT ? -EAGAIN : error;
	count = read_chain(pid, &layout->walk, frame, out, &outermost);
	if (count < 0)
		return count;
	if (outermost && outermost != thread->outermost) {
		if (!is_still_in(pid, layout, thread, frame))
			return -EAGAIN;
		thread->outermost = outermost;
	}
	return count;
}
