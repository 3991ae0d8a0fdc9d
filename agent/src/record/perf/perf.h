/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Recording the switches of the job's own threads by perf events, which need no privilege where they are allowed
 * at all. Fills off_cpu, on_cpu and process_event; /proc adds what threads waited in, and how long of it
 * for a CPU. Nobody outside includes it.
 */
#ifndef STALLTRACE_PERF_H
#define STALLTRACE_PERF_H

#include "../session.h"
#include "../task_files.h"
#include "../throttling.h"
#include "rings.h"

enum thread_state {
	THREAD_UNKNOWN, /* since_ns: from when on no record of it can be missing; 0 = not known */
	THREAD_ON,
	THREAD_OFF
};

/* An interval off the CPU. */
struct perf_wait {
	uint64_t start_ns, end_ns;
	int cpu_out, cpu_in; /* -1 = not known */
	bool ready;          /* all the time: preempted, or new */
	bool is_new;
	uint64_t asleep_until_ns; /* it was seen asleep then; 0 = not looked at */
	uint64_t queue_ns;        /* of it, waiting for a CPU */
	struct waited_in in;
};

/* What /proc said of a thread between two moments. */
struct perf_look {
	uint64_t from_ns, to_ns;
	struct proc_schedstat counted;
	uint64_t minor_faults, major_faults;
	bool has_faults;
};

struct perf_thread {
	struct perf_thread *next; /* of its bucket */
	struct task *task;
	struct task_files files;
	bool files_open;
	struct waited_in seen; /* what it was last seen to wait in */
	enum thread_state state;
	uint64_t since_ns;  /* when the state began */
	int cpu;            /* on which it is, or was last; -1 = not known */
	bool ready, is_new; /* while off the CPU */
	/* Of the wait under way: when it was seen asleep; 0 = not yet. */
	uint64_t asleep_from_ns, asleep_until_ns;
	/* Python's frames, and when it slept with them; 0 = never */
	int64_t python_stack;
	uint64_t python_ns;
	/* Waits that have ended, whose time in the queue is not known yet. */
	struct perf_wait *ended;
	size_t ended_count, ended_room;
	/* The kernel's sums as of the last wait that was written, and as of the last look. */
	bool has_base, has_look;
	struct perf_look base, look;
	uint64_t faults_read_ns;
	unsigned int missing; /* how many times in a row /proc had it no more */
	uint64_t
		left_ns; /* when the kernel stopped to tell of it, before it is known why; 0 = it tells */
};

#define PERF_BUCKETS 4096 /* a power of two */

struct perf_recorder {
	struct session *session;
	struct perf_rings *rings;
	struct wait_reading reading;
	bool no_schedstat; /* the kernel keeps no sums */
	struct throttling throttling;
	char without_bpf[sizeof(((struct source_status *)0)->detail)]; /* why */
	struct perf_thread *by_tid[PERF_BUCKETS];
	uint64_t *losses;
	uint64_t on_ns, off_ns; /* what lies between is recorded */
	uint64_t next_look_ns, swept_ns;
	uint64_t lost_threads; /* for lack of memory */
	uint64_t out_of_sight; /* processes that gained rights */
	uint64_t python_waits; /* those that Python's frames were read in */
	uint64_t voluntary,
		shared; /* waits that threads went into, and of these those that shared a sum */
};

/* threads.c: who there is, and what each record makes of them */
struct perf_thread *perf_thread_find(const struct perf_recorder *perf, pid_t tid);
/* The thread of that number, known from now on; NULL without memory, or where there is none. */
struct perf_thread *perf_thread_see(struct perf_recorder *perf, pid_t pid, pid_t tid);
struct perf_thread *perf_thread_add(struct perf_recorder *perf, struct task *task);
/* Writes what is open, and forgets it. */
void perf_thread_end(struct perf_recorder *perf, struct perf_thread *thread, uint64_t end_ns);
/* What it does from that moment on is not known. */
void perf_thread_forget_state(struct perf_recorder *perf, struct perf_thread *thread,
			      uint64_t at_ns);
void perf_threads_each(struct perf_recorder *perf,
		       void (*visit)(struct perf_recorder *perf, struct perf_thread *thread));
void perf_threads_free(struct perf_recorder *perf);
void perf_switch(struct perf_recorder *perf, const struct perf_record *record);
/* What came between two moments in one CPU's ring was lost. */
void perf_lose(struct perf_recorder *perf, const struct perf_record *record);

/* processes.c */
void perf_fork(struct perf_recorder *perf, const struct perf_record *record);
void perf_exit(struct perf_recorder *perf, const struct perf_record *record);
void perf_comm(struct perf_recorder *perf, const struct perf_record *record);
/* Of one that the kernel tells no more of: whether it has ended, or is not for this user to watch. */
void perf_look_why_left(struct perf_recorder *perf, struct perf_thread *thread);
/* Its last moment, in all rows. */
void perf_end_task(struct perf_recorder *perf, struct perf_thread *thread, uint64_t at_ns);
/* A tid that may have been used before: task and identity as /proc has them. NULL where there is none. */
struct task *perf_see_task(struct perf_recorder *perf, pid_t pid, pid_t tid);

/* waits.c */
/* Of the wait under way, which ends; its row comes once its time in the queue is known. */
void perf_wait_end(struct perf_recorder *perf, struct perf_thread *thread, uint64_t end_ns,
		   int cpu_in);
/* As struct recorder has it. */
int perf_wait_stack(void *state, struct wait_stack *stack);
/* Writes the waits that the last look accounts for. */
void perf_waits_settle(struct perf_recorder *perf, struct perf_thread *thread);
/* Writes all that have ended; what is not known of them stays unknown. */
void perf_waits_flush(struct perf_recorder *perf, struct perf_thread *thread);

/* looks.c: reads of /proc what is worth it now. */
void perf_look_at_all(struct perf_recorder *perf, uint64_t now_ns);

/* targets.c: the threads of the targets and their descendants, into the rings, which are mapped then. -errno */
int perf_add_targets(struct perf_rings *rings, const struct record_options *options);

/* provenance.c */
void perf_describe(const struct perf_recorder *perf);

#endif /* STALLTRACE_PERF_H */
