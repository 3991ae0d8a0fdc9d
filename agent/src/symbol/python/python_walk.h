/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Threads and frames of an interpreter, read from outside while it runs on: nothing is stopped. What is read
 * may change at any moment, so a chain of frames is taken only where it makes sense as a whole.
 */
#ifndef STALLTRACE_PYTHON_WALK_H
#define STALLTRACE_PYTHON_WALK_H

#include "python.h"
#include "python_layout.h"

/* How many of at most `most`, newest first; -EINVAL: no such list is there (any more); -errno of reading. */
int python_walk_threads(pid_t pid, const struct python_layout *layout, struct python_thread *out,
			unsigned int most);

/*
 * Leaf first; how many, 0 = it runs no Python. -ESRCH: the state is another thread's by now; -EAGAIN: the
 * frames changed while they were read; -errno of reading. Whether they lead to code objects is not known yet.
 */
int python_walk_frames(pid_t pid, const struct python_layout *layout, struct python_thread *thread,
		       struct python_frame out[PYTHON_FRAMES]);

#endif /* STALLTRACE_PYTHON_WALK_H */
