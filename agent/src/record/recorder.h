/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * A way to record: with BPF, from inside the job, by perf events, from /proc, or Python's stacks from outside.
 * Each has a folder with one `struct recorder`, `NAME_recorder`, and a line in RECORDERS below. What it sees is
 * said by its tier: a value of `enum tier_id` (tiers.h), and in tiers.c its row and its bit in each mode that
 * uses it. A recording opens one recorder after the other, the best first: each that can record a source which
 * none before it records. So several may be open at once.
 *
 * All callbacks but `silence` come from one thread, in the order in which they stand here, of one recorder after
 * the other. `try_out`, `record`, `watch` and `silence` may be NULL; `check` calls `try_out` (check_tiers.c).
 */
#ifndef STALLTRACE_RECORDER_H
#define STALLTRACE_RECORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "../clock.h"
#include "../host/proc.h"
#include "tiers.h"

struct call_record;
struct python_frame;
struct session;

/* Python's frames of a thread that slept while they were read. */
struct wait_stack {
	pid_t tid;
	uint64_t at_ns;   /* now */
	uint64_t read_ns; /* in the same wait as the frames */
	/* What the kernel had counted of the thread before and after: it has not run meanwhile. */
	struct proc_schedstat counted;
	const struct python_frame *frames;
	unsigned int count;
	unsigned int told; /* STACK_OF_*, by who takes it */
};

/* What `finish` may take where there is more to take than that. */
#define FINISH_WITHIN_NS (10 * NS_PER_SECOND)

struct recorder {
	enum tier_id tier;
	uint32_t sources; /* SOURCE_BIT of each that it can record */
	int wait_ms;      /* how long it can wait to be asked for what has come */

	/* Whether this machine would let it record, by trying; changes nothing. 0, else -errno and why. */
	int (*try_out)(char *why, size_t why_size);
	/*
	 * Finds out whether this machine lets it record, and does all that takes long: there is no trace
	 * yet, and time is not recorded yet. It leaves alone what session->recorded has already, and
	 * fills session->status of its own sources. 0 with *out for the calls below; else -errno, why in
	 * one sentence, and nothing left behind.
	 */
	int (*open)(struct session *session, void **out, char *why, size_t why_size);
	/* Now there are a trace, tasks and stacks. Says how completely it records. 0 or -errno. */
	int (*begin)(void *state);
	/* To be recorded with all its descendants. COMMAND is there, and has not called exec yet. */
	void (*add_target)(void *state, pid_t pid);
	/* on: everything is in place, COMMAND is let go next. off: what comes now is not wanted. */
	void (*record)(void *state, bool on);
	/* Adds the descriptors that say there is something to consume. */
	void (*watch)(void *state, int epoll_fd);
	/* Takes what there is by session->now_ns. At least every wait_ms. */
	void (*consume)(void *state);
	/*
	 * After record(off), which was before `end_ns`: takes the rest, ends what is open, and says what is
	 * known only now: losses, and how completely it has recorded.
	 */
	void (*finish)(void *state, uint64_t end_ns);
	/* Records no more, at once, from any thread: the recording itself is stuck. */
	void (*silence)(void *state);
	/*
	 * Whether it records that call too, from `begin` on: then another one's record of it is not wanted, and is
	 * this one's to learn from. May be NULL.
	 */
	bool (*take_call)(void *state, const struct call_record *call);
	/* The calls that a process begins need no other record (left), or do again. May be NULL. */
	void (*leave_calls)(void *state, pid_t pid, bool left);
	/*
	 * A stack that belongs to a wait: 1 = the wait is this one's, and has it; 0 = it is not, or is not known of
	 * yet; -EINVAL: the frames make no sense. May be NULL.
	 */
	int (*wait_stack)(void *state, struct wait_stack *stack);
	/* How much of a process's memory in [begin, end) is known to be pinned. May be NULL. */
	uint64_t (*pinned_bytes)(void *state, pid_t pid, uint64_t begin, uint64_t end);
	/* Whatever was called before. */
	void (*close)(void *state);
};

/* The best first. */
/* clang-format off */
#define RECORDERS(recorder) \
	recorder(bpf) \
	recorder(inside) \
	recorder(perf) \
	recorder(proc) \
	recorder(python)
/* clang-format on */

#define EXTERN_RECORDER(name) extern const struct recorder name##_recorder;
RECORDERS(EXTERN_RECORDER)
#undef EXTERN_RECORDER

/* One that is open, with what its callbacks are given. */
struct open_recorder {
	const struct recorder *recorder;
	void *state;
};

#endif /* STALLTRACE_RECORDER_H */
