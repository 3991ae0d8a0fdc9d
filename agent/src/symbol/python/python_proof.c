// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * The process runs on while it is read: its innermost frames are others by the time they are looked into, and
 * all the more where it starts up or calls short functions. Its outermost frame stands still. So a thread is
 * judged by that one alone; whoever comes to it by the frames' own links has read these right.
 */
#include "python_layout.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "python_memory.h"
#include "python_objects.h"

#define MAX_INTERPRETERS 64
#define MAX_THREADS 1024
/* Links followed in one attempt. A recursion may be deeper, and a hostile list without end. */
#define MAX_FRAMES 1024
/* The interpreter's own lie between Python's. */
#define OUTERMOST_FRAMES 4
#define ENOUGH_THREADS 4
#define ATTEMPTS 8
#define ATTEMPT_PAUSE_US 2000

struct process {
	pid_t pid;
	const struct python_layout *layout;
	uint64_t interpreter;
	int frames_left;
};

static int find_main_interpreter(struct process *p, uint64_t runtime)
{
	uint64_t id;
	int error = memory_read_word(p->pid, runtime + p->layout->runtime_interpreters,
				     &p->interpreter);

	for (int i = 0; !error && p->interpreter && i < MAX_INTERPRETERS; i++) {
		error = memory_read_word(p->pid, p->interpreter + p->layout->interpreter_id, &id);
		if (!error && !id)
			return 0;
		if (!error)
			error = memory_read_word(p->pid,
						 p->interpreter + p->layout->interpreter_next,
						 &p->interpreter);
	}
	return error ? error : p->interpreter ? -ENOTSUP : -EAGAIN;
}

/* pthread_self() points to libc's struct pthread, which on x86-64 begins with its own address. */
static bool names_a_thread(const struct process *p, uint64_t thread_id)
{
	uint64_t word;

	if (!thread_id || memory_read_word(p->pid, thread_id, &word))
		return false;
#ifdef __x86_64__
	return word == thread_id;
#else
	return true;
#endif
}

/* Whether the code object is one, down to its texts. */
static bool is_code(const struct process *p, uint64_t code, uint64_t *code_type)
{
	struct python_code_words words;
	char text[PYTHON_TEXT_SIZE];

	if (python_read_code_words(p->pid, p->layout, code, &words) || words.first_line < 0 ||
	    !python_is_a(p->pid, p->layout, code, "code") ||
	    !python_is_a(p->pid, p->layout, words.filename, "str") ||
	    !python_is_a(p->pid, p->layout, words.name, "str") ||
	    !python_is_a(p->pid, p->layout, words.line_table, "bytes") ||
	    python_read_text(p->pid, p->layout, words.filename, text) ||
	    python_read_text(p->pid, p->layout, words.name, text) || !text[0])
		return false;
	*code_type = words.type;
	return true;
}

static bool is_instruction_inside(const struct process *p, uint64_t frame, uint64_t code)
{
	const struct python_config *walk = &p->layout->walk;
	uint64_t pointer, count = 0;
	int64_t offset;
	int32_t last;

	if (python_count_instructions(p->pid, p->layout, code, &count))
		return false;
	if (walk->source == PYTHON_FRAME_OBJECT) {
		if (memory_read(p->pid, frame + walk->frame_instruction, &last, sizeof(last)))
			return false;
		offset = (int64_t)last * walk->instruction_scale;
	} else {
		if (memory_read_word(p->pid, frame + walk->frame_instruction, &pointer))
			return false;
		offset = (int64_t)(pointer - code - walk->code_instructions);
	}
	/* −1 or −2: not begun. Beyond the last one: a value that is being changed. */
	return offset >= -2 && offset <= 2 * (int64_t)count;
}

/* 1: a frame of Python's, sound; 0: one of the interpreter's own; < 0: makes no sense. */
static int check_frame(const struct process *p, uint64_t frame, uint64_t *code_type)
{
	const struct python_config *walk = &p->layout->walk;
	uint64_t code;
	uint8_t owner = 0;

	if (walk->frame_owner) {
		if (memory_read(p->pid, frame + walk->frame_owner, &owner, sizeof(owner)))
			return -EFAULT;
		if (owner >= walk->owner_skip)
			return 0;
	}
	if (memory_read_word(p->pid, frame + walk->frame_code, &code))
		return -EFAULT;
	code &= walk->code_mask;
	return is_code(p, code, code_type) && is_instruction_inside(p, frame, code) ? 1 : -EINVAL;
}

/* Follows the links only, at once, and keeps the last frames that they lead to; how many there are, < 0: torn. */
static int walk_out(struct process *p, uint64_t tstate, uint64_t outermost[OUTERMOST_FRAMES])
{
	const struct python_config *walk = &p->layout->walk;
	uint64_t frame;
	int count = 0;

	if (memory_read_word(p->pid, tstate + walk->tstate_frame, &frame))
		return -EFAULT;
	if (frame && walk->source == PYTHON_CFRAME &&
	    memory_read_word(p->pid, frame + walk->cframe_current_frame, &frame))
		return -EFAULT;
	while (frame && p->frames_left-- > 0) {
		outermost[count++ % OUTERMOST_FRAMES] = frame;
		if (memory_read_word(p->pid, frame + walk->frame_previous, &frame))
			return -EFAULT;
	}
	return count;
}

/* 1: the thread's outermost frame of Python's is sound; 0: it has none; < 0: it makes no sense. */
static int check_frames(struct process *p, uint64_t tstate, uint64_t *code_type)
{
	uint64_t outermost[OUTERMOST_FRAMES];
	int count = walk_out(p, tstate, outermost), result = 0;

	if (count < 0)
		return count;
	for (int i = 1; i <= count && i <= OUTERMOST_FRAMES && !result; i++)
		result = check_frame(p, outermost[(count - i) % OUTERMOST_FRAMES], code_type);
	return result;
}

/*
 * 1: the thread is known and has sound frames; 0: it has none; < 0: it makes no sense. That may be so
 * of single ones: a native thread that ended without leaving Python stays in the list.
 */
static int check_thread(struct process *p, uint64_t tstate, uint64_t *code_type)
{
	uint64_t thread_id;

	if (memory_read_word(p->pid, tstate + p->layout->walk.tstate_thread_id, &thread_id))
		return -EFAULT;
	/* A state made for a thread that has not begun yet names none. */
	if (!thread_id)
		return 0;
	if (!names_a_thread(p, thread_id))
		return -EINVAL;
	return check_frames(p, tstate, code_type);
}

static int check_threads(struct process *p, uint64_t *code_type)
{
	const struct python_layout *layout = p->layout;
	uint64_t tstate, interpreter;
	int sound = 0, unsound = 0;

	p->frames_left = MAX_FRAMES;
	if (memory_read_word(p->pid, p->interpreter + layout->interpreter_threads, &tstate))
		return -ENOTSUP;
	for (int i = 0; tstate && i < MAX_THREADS && sound < ENOUGH_THREADS; i++) {
		int result;

		if (memory_read_word(p->pid, tstate + layout->tstate_interpreter, &interpreter) ||
		    interpreter != p->interpreter)
			return -ENOTSUP;
		result = check_thread(p, tstate, code_type);
		sound += result > 0;
		unsound += result < 0;
		if (memory_read_word(p->pid, tstate + layout->walk.tstate_next, &tstate))
			return -ENOTSUP;
	}
	return sound ? 0 : unsound ? -ENOTSUP : -EAGAIN;
}

int python_prove_layout(pid_t pid, uint64_t runtime, struct python_layout *layout,
			uint64_t *code_type)
{
	struct process p = {.pid = pid, .layout = layout};
	int error = -EAGAIN;

	for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
		if (attempt)
			usleep(ATTEMPT_PAUSE_US);
		error = find_main_interpreter(&p, runtime);
		if (!error)
			error = check_threads(&p, code_type);
		if (!error) {
			layout->walk.thread_list = p.interpreter + layout->interpreter_threads;
			return 0;
		}
		if (error == -ESRCH || error == -EAGAIN || error == -EPERM)
			return error;
	}
	return -ENOTSUP;
}
