/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* CPython 3.8–3.14 from outside: where its threads and frames are, and what a code object is. */
#ifndef STALLTRACE_PYTHON_H
#define STALLTRACE_PYTHON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "../../../wire.h"
#include "../symbols.h"

struct python_readers;
struct python_readers *python_readers_new(struct symboliser *symboliser);
void python_readers_free(struct python_readers *readers);

/*
 * Looks for an interpreter in the process and proves its layout on the process itself. 0 and
 * *config; -ENOENT: runs no Python (yet); -EAGAIN: does, but it is not initialised yet, or no thread
 * has a frame; -ENOTSUP: its layout is not known – detail says which build, for the trace. Threads
 * of subinterpreters are not seen.
 */
int python_attach(struct python_readers *readers, uint64_t process, pid_t pid,
		  struct python_config *config, char *detail, size_t detail_size);
/* The child keeps its parent's interpreter and the code objects read so far. */
int python_fork(struct python_readers *readers, uint64_t parent, uint64_t child);
void python_exec(struct python_readers *readers, uint64_t process);

struct python_line {
	const char *function; /* qualified name where the version has it */
	const char *file;
	int line;       /* executing line; the definition's where unknown; 0 = not known */
	bool misplaced; /* the code has no such instruction: the frame was read while it changed */
};

/*
 * Reads the code object from the process (once) and finds the executing line. The texts are valid
 * until the readers are freed. -errno where the process has gone or the object makes no sense.
 */
int python_resolve(struct python_readers *readers, uint64_t process, pid_t pid,
		   const struct python_frame *frame, struct python_line *out);

/* A thread as the interpreter's list has it. */
struct python_thread {
	uint64_t tstate;    /* PyThreadState */
	uint64_t id;        /* pthread_self() */
	uint64_t outermost; /* python_read_frames' own, 0 at first */
};
/* Newest first; how many of at most `most`. -EINVAL: another program runs there by now; -errno. */
int python_read_threads(struct python_readers *readers, uint64_t process, pid_t pid,
			struct python_thread *out, unsigned int most);
/*
 * The frames that the thread is in while it runs on, leaf first, at most PYTHON_FRAMES. How many; 0 = it runs
 * no Python; -EAGAIN: they changed while they were read, and make no sense; -ESRCH: it has ended.
 */
int python_read_frames(struct python_readers *readers, uint64_t process, pid_t pid,
		       struct python_thread *thread, struct python_frame *out);

#endif /* STALLTRACE_PYTHON_H */
