/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * What the files of the library share. It runs inside somebody else's program: it prints nothing, ends
 * nothing, handles no signal, and waits for nobody but at its own start and the program's end.
 */
#ifndef STALLTRACE_INSIDE_H
#define STALLTRACE_INSIDE_H

#include <stdbool.h>
#include "cupti.h"
#include "ring.h"
#include "system.h"

#define EXPORT __attribute__((visibility("default")))

enum phase {
	PHASE_OFF,      /* nobody has called us, or nothing can be recorded */
	PHASE_STARTING, /* CUPTI is being asked for calls and records */
	PHASE_ON,       /* calls and records go into the ring */
	PHASE_YIELDING, /* another profiler comes: records are taken, calls are not any more */
	PHASE_LEAVING,  /* all is flushed: the next call's return takes us out of CUPTI */
	PHASE_LEFT,
};

/* What the kernel said of a thread at one moment. */
struct sums {
	uint64_t at_ns, cpu_ns, run_delay_ns, switches;
	uint32_t minor_faults, major_faults;
};

struct thread_state {
	struct inside_slot *slot;
	uint32_t tid;
	int schedstat; /* descriptor; < 0 = not to be had */
	unsigned int schedstat_failures;
	bool queue_known; /* known.run_delay_ns is that of its moment */
	/* The block it writes into; < 0 = none. */
	int block;
	uint32_t filled;
	/* The call it is in. */
	bool open;
	int domain;
	uint32_t id;
	uintptr_t frame; /* where the stack was when it began */
	uint64_t start_ns;
	bool counted;      /* what the kernel said at its entry is in `entry` */
	struct sums known; /* as of the last time the kernel was asked for all */
	struct sums entry;
	/* Of the launches in this bucket, how many were sent one by one. */
	unsigned int stored;
	uint64_t bucket_ns;
};

struct inside {
	_Atomic uint32_t phase; /* enum phase */
	void *ring;
	struct inside_header *header;
	struct thread_state *threads; /* by slot */
	struct cupti cupti;
	cupti_subscriber subscriber;
	_Atomic bool by_imports; /* of PHASE_ON and what leads to it: CUPTI has no part in it */
	_Atomic uint64_t last_call_ns; /* in PHASE_LEAVING: when a call came through last */
};
extern struct inside inside;

/*
 * guard.c: whether this is the process that was set up. A fork's child has all of our memory but for
 * one page, and nothing of CUPTI that works.
 */
struct guard {
	uint32_t alive; /* 0 in a child */
	int32_t pid;    /* looked at where the kernel can't wipe the page */
};
extern struct guard *inside_guard;
bool guard_set_up(void);

static inline bool is_ours(void)
{
	const struct guard *guard = inside_guard;

	return guard && guard->alive && (!guard->pid || SYSTEM_CALL(SYS_getpid) == guard->pid);
}

static inline bool is_recording(void)
{
	return is_ours() && atomic_load_explicit(&inside.phase, memory_order_relaxed) == PHASE_ON &&
	       atomic_load_explicit(&inside.header->recording, memory_order_relaxed);
}

/* threads.c: the calling thread's state, made at its first call; NULL where there are too many. */
bool threads_set_up(void); /* anew for each recording */
struct thread_state *thread_here(void);

/* writer.c: room for a record, whose header is filled in; NULL and counted where there is none. */
void *record_reserve(struct thread_state *thread, enum inside_kind kind, size_t bytes);
/* Now the agent may see it. */
void record_publish(struct thread_state *thread, const void *record);
void count_lost(enum inside_kind kind, uint64_t count);
void writer_close_block(struct thread_state *thread);

static inline void raise_to(_Atomic __u32 *most, uint32_t value)
{
	uint32_t seen = atomic_load_explicit(most, memory_order_relaxed);

	while (seen < value && !atomic_compare_exchange_weak(most, &seen, value))
		;
}

/* The slot of a thread while it is changed. */
static inline void slot_begin(struct inside_slot *slot)
{
	uint32_t version = atomic_load_explicit(&slot->version, memory_order_relaxed);

	atomic_store_explicit(&slot->version, version + 1, memory_order_relaxed);
	atomic_thread_fence(memory_order_release);
}

static inline void slot_end(struct inside_slot *slot)
{
	uint32_t version = atomic_load_explicit(&slot->version, memory_order_relaxed);

	atomic_store_explicit(&slot->version, version + 1, memory_order_release);
}

/* accounting.c: what the kernel charged to a thread between the entry of a call and its return. */
void account_set_up(void);
void account_entry(struct thread_state *thread);
struct account {
	uint64_t off_cpu_ns, run_queue_ns;
	uint32_t minor_faults, major_faults;
	bool known; /* any of it */
	bool queue_known;
};
void account_return(struct thread_state *thread, uint64_t end_ns, struct account *out);
void account_thread_end(struct thread_state *thread);

/* launches.c: whether the launch is worth a record of its own. */
bool count_launch(struct thread_state *thread, uint16_t function, uint64_t start_ns,
		  uint64_t end_ns);
void flush_launches(struct thread_state *thread);

/* functions.c: the number of the function that CUPTI knows by an id. */
#define NO_FUNCTION 0xffff
void functions_set_up(void);
bool functions_subscribe(void);
uint16_t function_of(int domain, uint32_t id);
uint16_t function_by_symbol(const char *symbol);
/* arguments.c: what the function was called with, as src/probe/cuda/functions.c counts words. */
void read_words(uint16_t function, const void *parameters, __u64 *words);
/* The same from the registers and the stack. */
struct import_frame;
void take_words(uint16_t function, const struct import_frame *frame, __u64 *words);
/* After a call that succeeded: what pointers among its arguments lead to. */
void read_behind_words(uint16_t function, __u64 *words, __u64 *out_value);

/* A domain that CUPTI has not. */
#define DOMAIN_IMPORT 0

/* calls.c: where `import` has the arguments, `call` has none. False inside another call, of which it is part. */
bool call_enter(struct thread_state *thread, int domain, uint32_t id, uint16_t function,
		const struct cupti_call *call, const struct import_frame *import);
void call_leave(struct thread_state *thread, int domain, uint32_t id,
		const struct cupti_call *call);
void on_callback(void *context, int domain, uint32_t id, const void *data);

/* streams.c: tells once which number CUPTI gives the stream of a call. */
void tell_stream(struct thread_state *thread, uint16_t function, const __u64 *words,
		 const struct cupti_call *call);
void streams_forget(void); /* what was told, in a recording before */

/* activity.c, activity_records.c */
void activity_set_up(void);
void activity_stop(void);    /* before the last flush: what is made after it would be another's */
void activity_disable(void); /* and CUPTI has its own clock again */
bool is_long_enough(int kind);
const struct cupti_layout *layout_of(int kind); /* NULL = not a kind that is read */
void activity_send(struct thread_state *thread, const uint8_t *record);
void names_forget(void);

/* stacks.c: the number of the calling thread's stack; 0 = none. */
uint64_t send_stack(struct thread_state *thread);
void stacks_set_up(void);

/* find_cupti.c: 0, or what keeps us from it; header->detail says which. */
enum inside_state find_cupti(void **library);
/* yield.c: what another profiler calls of CUPTI comes through us from now on. */
void yield_set_up(void *cupti);
void yield_look(void); /* in objects that were loaded since, too */
void yield_cupti(void);
/* forks.c: who looks through what is loaded holds forks up meanwhile. False: they could not be, or somebody does. */
bool forks_set_up(void);
bool forks_hold(void);
bool forks_try_hold(void);
void forks_let_go(void);
/* connect.c: asks for a ring the agent that the environment names, or those that wait for processes which run. */
bool connect_to_agent(void);
enum meeting {
	MET,
	MET_NOBODY,
	MET_STRANGER, /* another user's program, where an agent would be */
	MET_NOT_CHOSEN,
	MET_NO_ROOM,
	MET_OTHER_VERSION,
};
enum meeting meet_agent(void);
/*
 * initialize.c: into the ring, from now on; what came of it is in header->state too. Who can be told to come again
 * is not recorded by imports where nothing of CUDA is imported.
 */
enum inside_state begin_recording(bool may_come_again);
/* INSIDE_NEW, or what keeps us from CUPTI while imports are recorded. */
enum inside_state look_for_cupti(void);
/* initialize.c: CUPTI's result, or one of our own; 0 = it was not refused. */
void tell_refusal(enum inside_refused what, int32_t error);
/* One thread at a time is let in here, and has to leave. */
bool enter_set_up(void);
void leave_set_up(void);
/* devices.c: true once it need not be called again. */
bool tell_devices(void);
/* without_cupti.c: records what wrappers see; `why` is told, and is what is returned where it does not. */
enum inside_state record_without_cupti(enum inside_state why, bool unless_none);
void end_without_cupti(void); /* though the capture goes on */
void go_on_without_cupti(
	void); /* on our own thread, to the capture's end: after CUPTI is another's */
/* helper.c: our one thread. */
bool helper_start(void (*work)(void));
bool helper_has_ended(void); /* waits for it a moment */
void help(void);
bool capture_has_ended(uint64_t now);
void helper_register_exit(void);
void helper_wake(void);
void leave_cupti(bool from_return);
/* Whether it is in CUPTI's flush just now: who calls CUPTI then may wait as long as it hangs. */
bool is_flushing(void);

#endif /* STALLTRACE_INSIDE_H */
