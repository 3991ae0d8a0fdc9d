/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Line tables against what interpreters take for the line (fixtures), strings of every width, and an
 * interpreter made of words in this very process, laid out as 3.14 publishes it.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "../src/symbol/python/python_interpreter.h"
#include "../src/symbol/python/python_lines.h"
#include "../src/symbol/python/python_memory.h"
#include "../src/symbol/python/python_objects.h"
#include "../src/symbol/python/python_walk.h"
#include "../src/symbol/thread_number.h"

static int failures;

#define EXPECT(condition, ...)                                          \
	do {                                                            \
		if (!(condition)) {                                     \
			failures++;                                     \
			fprintf(stderr, "%s:%d: ", __FILE__, __LINE__); \
			fprintf(stderr, __VA_ARGS__);                   \
			fputc('\n', stderr);                            \
		}                                                       \
	} while (0)

static const struct {
	const char *name;
	enum python_line_table kind;
	int first_line;
	const char *table; /* hexadecimal */
	const char *lines; /* line x number of instructions … */
} tables[] = {
#define LINES(name, kind, first_line, table, lines) {name, kind, first_line, table, lines},
#include "fixtures/python_lines_3_8.inc"
#include "fixtures/python_lines_3_9.inc"
#include "fixtures/python_lines_3_10.inc"
#include "fixtures/python_lines_3_11.inc"
#include "fixtures/python_lines_3_12.inc"
#include "fixtures/python_lines_3_13.inc"
};

static uint8_t *decode_hex(const char *text, size_t *size)
{
	uint8_t *bytes = malloc(strlen(text) / 2 + 1);
	unsigned int byte;

	for (*size = 0; sscanf(text + 2 * *size, "%2x", &byte) == 1; ++*size)
		bytes[*size] = byte;
	return bytes;
}

static void test_line_tables(void)
{
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		int line, count, read, at = 0;
		const char *lines = tables[i].lines;
		size_t size;
		uint8_t *table = decode_hex(tables[i].table, &size);

		for (; sscanf(lines, "%dx%d%n", &line, &count, &read) == 2; lines += read) {
			for (; count; count--, at += 2) {
				int got = python_line_at(tables[i].kind, table, size,
							 tables[i].first_line, at);

				EXPECT(got == line, "%s: instruction at %d is of line %d, not %d",
				       tables[i].name, at, line, got);
			}
		}
		EXPECT(at > 0, "%s: no lines", tables[i].name);
		free(table);
	}
}

/* Cut anywhere, and changed in one byte: whatever comes of it, nothing outside is read. */
static void test_damaged_tables(void)
{
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		size_t size;
		uint8_t *table = decode_hex(tables[i].table, &size);

		for (size_t cut = 0; cut <= size && cut < 64; cut++) {
			uint8_t *copy = malloc(cut ? cut : 1);

			memcpy(copy, table, cut);
			if (cut)
				copy[cut - 1] ^= 0xff;
			for (int64_t at = -2; at < 200; at++)
				python_line_at(tables[i].kind, copy, cut, INT32_MAX, at);
			python_line_at(tables[i].kind, copy, cut, 1, INT64_MAX);
			free(copy);
		}
		free(table);
	}
}

static void test_characters(void)
{
	static const uint8_t latin[] = {'a', 0xe9, 0, 0xff};
	static const uint16_t two[] = {0x416, 0xd800, 0x20ac};
	static const uint32_t four[] = {0x1f40d, 0x110000, 'z'};
	char out[64];

	python_encode_text(latin, 4, 1, out, sizeof(out));
	EXPECT(!strcmp(out, "aé\xef\xbf\xbdÿ"), "Latin-1: %s", out);
	python_encode_text(two, 3, 2, out, sizeof(out));
	EXPECT(!strcmp(out, "Ж\xef\xbf\xbd€"), "two bytes: %s", out);
	python_encode_text(four, 3, 4, out, sizeof(out));
	EXPECT(!strcmp(out, "🐍\xef\xbf\xbdz"), "four bytes: %s", out);
	/* Cut between characters, never inside one. */
	python_encode_text(two, 3, 2, out, 5);
	EXPECT(!strcmp(out, "Ж"), "cut: %s", out);
	EXPECT(python_encode_text(two, 0, 2, out, 1) == 0 && !out[0], "empty");
}

static void test_names(void)
{
	static const char *const interpreters[] = {"/usr/bin/python3.11",
						   "/opt/conda/bin/python3.10",
						   "python",
						   "/x/python3.8d",
						   "/usr/lib/libpython3.12.so.1.0",
						   "/x/libpython3.7m.so.1.0 (deleted)"};
	static const char *const others[] = {"/usr/bin/python3-config",
					     "/usr/lib/libpython3.so",
					     "/x/libboost_python311.so",
					     "/x/pythonic",
					     "/python3.11/x",
					     ""};

	for (size_t i = 0; i < sizeof(interpreters) / sizeof(interpreters[0]); i++)
		EXPECT(python_is_interpreter_name(interpreters[i]), "%s", interpreters[i]);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		EXPECT(!python_is_interpreter_name(others[i]), "%s", others[i]);
}

/* The objects of an interpreter, as far as they are read; each at the offset it is published with. */
static struct {
	uint64_t published[128];
	uint64_t runtime[16], interpreter[16], tstate[32], thread[2];
	uint64_t entry_frame[16], frame[16], code[32];
	uint64_t type[3][8];
	uint64_t file[16], name[16], lines[16];
} fake;

#define ADDRESS(object) ((uint64_t)(uintptr_t)(object))

static void make_text(uint64_t *object, const char *characters)
{
	object[1] = ADDRESS(fake.type[1]);
	object[2] = strlen(characters);
	object[4] = 0x20 | 0x40 | 1 << 2; /* compact, ASCII, one byte a character */
	strcpy((char *)&object[5], characters);
}

static void publish(void)
{
	static const uint16_t words[][2] = {
		/* sizes */
		{3, 1024},
		{6, 128},
		{22, 256},
		{31, 128},
		{39, 256},
		{50, 16},
		{52, 64},
		{74, 40},
		{77, 64},
		/* runtime, interpreter, thread state */
		{5, 1016},
		{7, 8},
		{8, 16},
		{9, 24},
		{24, 8},
		{25, 16},
		{26, 72},
		{27, 152},
		/* frame: previous, executable, instr_ptr, owner */
		{32, 8},
		{33, 0},
		{34, 56},
		{36, 74},
		/* code: filename, name, qualname, linetable, firstlineno, co_code_adaptive */
		{40, 112},
		{41, 120},
		{42, 128},
		{43, 136},
		{44, 68},
		{48, 208},
		/* ob_type, tp_name, bytes, str */
		{51, 8},
		{53, 24},
		{75, 16},
		{76, 32},
		{78, 32},
		{79, 16},
		{80, 40}};

	memcpy(fake.published, "xdebugpy", 8);
	fake.published[1] = 0x030e02f0;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		fake.published[words[i][0]] = words[i][1];
}

static void make_interpreter(void)
{
	static const char *const type_names[] = {"code", "str", "bytes"};

	memset(&fake, 0, sizeof(fake));
	publish();
	fake.published[1016 / 8] = ADDRESS(fake.interpreter);
	fake.interpreter[3] = ADDRESS(fake.tstate);
	fake.tstate[2] = ADDRESS(fake.interpreter);
	fake.tstate[72 / 8] = ADDRESS(fake.entry_frame);
	fake.tstate[152 / 8] = ADDRESS(fake.thread);
	fake.thread[0] = ADDRESS(fake.thread);
	fake.entry_frame[1] = ADDRESS(fake.frame);
	((uint8_t *)fake.entry_frame)[74] = 4;
	fake.frame[0] = ADDRESS(fake.code) | 1; /* the reference is borrowed */
	fake.frame[56 / 8] = ADDRESS(fake.code) + 208 + 6;
	for (int i = 0; i < 3; i++)
		fake.type[i][3] = ADDRESS(type_names[i]);
	fake.code[1] = ADDRESS(fake.type[0]);
	fake.code[2] = 10;
	((uint32_t *)fake.code)[68 / 4] = 7;
	fake.code[112 / 8] = ADDRESS(fake.file);
	fake.code[128 / 8] = ADDRESS(fake.name);
	fake.code[136 / 8] = ADDRESS(fake.lines);
	make_text(fake.file, "/x/train.py");
	make_text(fake.name, "Loop.step");
	fake.lines[1] = ADDRESS(fake.type[2]);
	fake.lines[2] = 4;
}

static int attach(struct python_layout *layout, char *detail, size_t size)
{
	struct python_interpreter interpreter = {.file = "/x/python3.14",
						 .version = "3.14.2",
						 .minor = 14,
						 .runtime = ADDRESS(fake.published)};
	uint64_t code_type = 0;
	int error = python_choose_layout(getpid(), &interpreter, layout, &code_type, detail, size);

	EXPECT(error || code_type == ADDRESS(fake.type[0]), "PyCode_Type is %lx",
	       (unsigned long)code_type);
	return error;
}

static void test_published_layout(void)
{
	struct python_layout layout;
	struct python_code_words words;
	char detail[256] = "", text[PYTHON_TEXT_SIZE];

	make_interpreter();
	EXPECT(attach(&layout, detail, sizeof(detail)) == 0, "3.14: %s", detail);
	EXPECT(layout.walk.thread_list == ADDRESS(&fake.interpreter[3]) &&
		       layout.walk.code_mask == ~3ULL && layout.walk.owner_skip == 3 &&
		       layout.walk.frame_instruction == 56 && layout.walk.code_instructions == 208,
	       "3.14: not the published offsets");
	EXPECT(!python_read_code_words(getpid(), &layout, ADDRESS(fake.code), &words) &&
		       words.first_line == 7 &&
		       !python_read_text(getpid(), &layout, words.name, text) &&
		       !strcmp(text, "Loop.step"),
	       "3.14: the code object");
}

/* A native thread that ended without leaving Python does not hide the others. */
static void test_stale_thread(void)
{
	static uint64_t stale[32];
	struct python_layout layout;
	char detail[256] = "";

	make_interpreter();
	stale[1] = ADDRESS(fake.tstate);
	stale[2] = ADDRESS(fake.interpreter);
	stale[152 / 8] = 16;
	fake.interpreter[3] = ADDRESS(stale);
	EXPECT(attach(&layout, detail, sizeof(detail)) == 0, "stale thread: %s", detail);
	/* A ring of frames is walked as far as any other. */
	fake.frame[1] = ADDRESS(fake.frame);
	EXPECT(attach(&layout, detail, sizeof(detail)) == 0, "ring of frames: %s", detail);
}

/* A thread that runs on has left its innermost frames when they are looked into: they are anything by then. */
static void test_left_frames(void)
{
	static uint64_t left[16];
	struct python_layout layout;
	char detail[256] = "";

	make_interpreter();
	left[0] = ADDRESS(fake.name);
	left[1] = ADDRESS(fake.frame);
	fake.entry_frame[1] = ADDRESS(left);
	EXPECT(attach(&layout, detail, sizeof(detail)) == 0, "a frame that was left: %s", detail);
	/* What the links lead to has to be sound. */
	fake.frame[1] = ADDRESS(left);
	left[1] = 0;
	EXPECT(attach(&layout, detail, sizeof(detail)) == -ENOTSUP, "no outermost frame");
}

static int walk(struct python_thread *thread, struct python_frame *frames)
{
	struct python_layout layout;
	char detail[256] = "";

	make_interpreter();
	EXPECT(attach(&layout, detail, sizeof(detail)) == 0, "walk: %s", detail);
	return python_walk_threads(getpid(), &layout, thread, 1) == 1 ?
		       python_walk_frames(getpid(), &layout, thread, frames) :
		       -1;
}

static void test_walk(void)
{
	struct python_frame frames[PYTHON_FRAMES];
	struct python_thread thread;
	struct python_layout layout;
	char detail[256] = "";

	EXPECT(walk(&thread, frames) == 1, "one frame, and the interpreter's own");
	EXPECT(thread.tstate == ADDRESS(fake.tstate) && thread.id == ADDRESS(fake.thread) &&
		       thread.outermost == ADDRESS(fake.frame),
	       "thread %lx", (unsigned long)thread.outermost);
	EXPECT(frames[0].code == ADDRESS(fake.code) && frames[0].instruction == 6,
	       "frame: %lx, %ld", (unsigned long)frames[0].code, (long)frames[0].instruction);
	attach(&layout, detail, sizeof(detail));
#define WALKED(change, wanted)                                                    \
	do {                                                                      \
		walk(&thread, frames);                                            \
		change;                                                           \
		int got = python_walk_frames(getpid(), &layout, &thread, frames); \
		EXPECT(got == (wanted), "%s: %d", #change, got);                  \
	} while (0)
	WALKED(fake.frame[1] = ADDRESS(fake.frame), PYTHON_FRAMES);
	WALKED(fake.tstate[72 / 8] = 0, 0);
	/* Each what may be met where a frame was left while it was read. */
	WALKED(fake.frame[0] = 0, -EAGAIN);
	WALKED(fake.frame[1] = 16, -EAGAIN);
	WALKED(fake.entry_frame[1] = ADDRESS(fake.entry_frame), -EAGAIN);
	WALKED(fake.tstate[152 / 8] = ADDRESS(&thread), -ESRCH);
	walk(&thread, frames);
	fake.tstate[2] = 1;
	EXPECT(python_walk_threads(getpid(), &layout, &thread, 1) == -EINVAL, "a list of others");
}

static struct {
	_Atomic uint64_t turns;
	_Atomic bool done;
} shared;

/* In and out of a frame whose memory is another chain's by turns, as a job that runs on. */
static void *run_on(void *unused)
{
	static uint64_t other[16];

	memcpy(other, fake.frame, sizeof(other));
	while (!shared.done) {
		__atomic_store_n(&fake.tstate[72 / 8], ADDRESS(other), __ATOMIC_RELEASE);
		__atomic_store_n(&fake.entry_frame[1], ADDRESS(other), __ATOMIC_RELEASE);
		__atomic_store_n(&fake.entry_frame[1], ADDRESS(fake.frame), __ATOMIC_RELEASE);
		__atomic_store_n(&fake.tstate[72 / 8], ADDRESS(fake.entry_frame), __ATOMIC_RELEASE);
		shared.turns++;
	}
	return unused;
}

#define MEETS_WITHIN_S 10

/* Where a chain ends elsewhere than before and the thread has gone on, it is no chain. */
static void test_moving_frames(void)
{
	struct python_frame frames[PYTHON_FRAMES];
	struct python_thread thread;
	struct python_layout layout;
	unsigned int torn = 0, whole = 0;
	char detail[256] = "";
	pthread_t runner;

	make_interpreter();
	attach(&layout, detail, sizeof(detail));
	EXPECT(python_walk_threads(getpid(), &layout, &thread, 1) == 1, "moving: the thread");
	pthread_create(&runner, NULL, run_on, NULL);
	/* On a busy machine the two may never meet: that is no failure, and no reason to go on for ever. */
	for (long end = time(NULL) + MEETS_WITHIN_S;
	     (!torn || !whole || shared.turns < 1000) && time(NULL) < end;) {
		int got = python_walk_frames(getpid(), &layout, &thread, frames);

		EXPECT(got == 1 || got == -EAGAIN, "moving: %d", got);
		torn += got == -EAGAIN;
		whole += got == 1;
		if (failures)
			break;
	}
	EXPECT(whole, "moving: never a whole chain");
	shared.done = true;
	pthread_join(runner, NULL);
}

static struct {
	pthread_t self[4];
	pid_t tid[4];
	pthread_barrier_t met, done;
} numbered;

static void *tell_number(void *argument)
{
	size_t i = (size_t)argument;

	numbered.self[i] = pthread_self();
	numbered.tid[i] = gettid();
	pthread_barrier_wait(&numbered.met);
	pthread_barrier_wait(&numbered.done);
	return NULL;
}

/* libc's own structs, of threads that live, one that has ended, and what is no thread at all. */
static void test_thread_numbers(void)
{
	uint64_t ids[6] = {0, ADDRESS(&fake)};
	pid_t tids[6] = {getpid()}, tid;
	pthread_t threads[4];
	uint32_t offset = 0;

	pthread_barrier_init(&numbered.met, NULL, 5);
	pthread_barrier_init(&numbered.done, NULL, 5);
	for (size_t i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, tell_number, (void *)i);
	pthread_barrier_wait(&numbered.met);
	for (int i = 0; i < 4; i++) {
		ids[i + 2] = numbered.self[i];
		tids[i + 1] = numbered.tid[i];
	}
	EXPECT(!thread_number_offset(getpid(), ids, 6, tids, 5, &offset), "no offset");
	for (int i = 0; i < 4; i++)
		EXPECT(!thread_number_read(getpid(), ids[i + 2], offset, &tid) &&
			       tid == numbered.tid[i],
		       "thread %d at %u: %d", numbered.tid[i], offset, tid);
	EXPECT(thread_number_offset(getpid(), ids, 2, tids, 5, &offset) == -ENOENT, "no thread");
	pthread_barrier_wait(&numbered.done);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
}

/* Each a way in which a process may differ; none may be taken for known. */
static void test_unknown_layouts(void)
{
	struct python_layout layout;
	char detail[256] = "";
	int error;

#define REFUSED(change, wanted)                                                  \
	do {                                                                     \
		make_interpreter();                                              \
		change;                                                          \
		error = attach(&layout, detail, sizeof(detail));                 \
		EXPECT(error == (wanted), "%s: %d, %s", #change, error, detail); \
	} while (0)

	REFUSED(fake.published[0] = 0, -ENOTSUP);
	REFUSED(fake.published[1] = 0x030d02f0, -ENOTSUP);
	REFUSED(fake.published[2] = 1, -ENOTSUP);
	EXPECT(strstr(detail, "3.14.2") && strstr(detail, "/x/python3.14") &&
		       strstr(detail, "free-threaded"),
	       "detail: %s", detail);
	REFUSED(fake.published[9] = 1 << 20, -ENOTSUP);
	REFUSED(fake.published[26] = UINT64_MAX, -ENOTSUP);
	REFUSED(fake.published[77] = 0, -ENOTSUP);
	REFUSED(fake.published[1016 / 8] = 0, -EAGAIN);
	REFUSED(fake.interpreter[3] = 0, -EAGAIN);
	REFUSED(fake.tstate[72 / 8] = 0, -EAGAIN);
	REFUSED(fake.interpreter[1] = 1, -EAGAIN);
	REFUSED(fake.published[1016 / 8] = 16, -ENOTSUP);
	REFUSED(fake.tstate[2] = 1, -ENOTSUP);
	REFUSED(fake.frame[0] = ADDRESS(fake.name), -ENOTSUP);
	REFUSED(fake.frame[56 / 8] = 0, -ENOTSUP);
#ifdef __x86_64__
	/* Only there does the ABI have a thread's first word point to itself. */
	REFUSED(fake.thread[0] = 0, -ENOTSUP);
#endif
	REFUSED(fake.code[112 / 8] = ADDRESS(fake.lines), -ENOTSUP);
	REFUSED(fake.name[4] = 0, -ENOTSUP);
}

int main(void)
{
	uint64_t word = 0, mine = 0x5ca1ab1e;

	test_line_tables();
	test_damaged_tables();
	test_characters();
	test_names();
	if (!memory_read_word(getpid(), ADDRESS(&mine), &word) && word == mine) {
		test_published_layout();
		test_stale_thread();
		test_left_frames();
		test_unknown_layouts();
		test_walk();
		test_moving_frames();
		test_thread_numbers();
	} else {
		puts("not run: layouts; an emulated process cannot read its own memory from outside");
	}
	if (failures)
		fprintf(stderr, "%d failed\n", failures);
	return failures > 0;
}
