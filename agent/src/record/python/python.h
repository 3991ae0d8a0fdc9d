/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Python's frames of the job's threads, read from outside without stopping them: some 20 times a second and
 * thread. Frames of a thread that runs are a row of cpu_sample; those of one that sleeps belong to its wait,
 * and are offered to the recorder that has it. Nobody outside includes this file.
 */
#ifndef STALLTRACE_RECORD_PYTHON_H
#define STALLTRACE_RECORD_PYTHON_H

#include "../memory_access.h"
#include "../session.h"

/* Threads of a process, and of all: beyond that they are not looked at, which is said. */
#define MOST_THREADS 1024

/* A thread that has run Python. */
struct looked_thread {
	struct python_thread python;
	pid_t tid;
	int schedstat, stat; /* descriptors */
	bool listed;         /* by the interpreter, at the last look at its list */
	bool looked;
	uint64_t looked_ns, next_ns;
	struct proc_schedstat counted; /* at the last look */
	/* Of the wait it is in, which no recorder has known of so far. */
	unsigned int waiting_frames;
	uint64_t waiting_ns; /* when it slept with them */
	struct python_frame frames[PYTHON_FRAMES];
};

struct looked_process {
	struct process *row;
	bool attached, refused;
	bool own_namespace; /* its tids are not ours */
	bool has_offset;
	uint32_t tid_offset; /* thread_number.h */
	uint64_t next_try_ns, next_list_ns;
	unsigned int lost; /* how often another program was met instead */
	struct looked_thread **threads;
	unsigned int thread_count;
};

struct python_recorder {
	struct session *session;
	struct looked_process **processes;
	size_t process_count, process_capacity;
	bool no_schedstat;
	uint64_t begin_ns, next_round_ns, next_find_ns;
	uint64_t asked_period_ns, period_ns;
	uint64_t looks_ns,
		look_cpu_ns; /* begin of the stretch in which the cost of looks is counted; their CPU time */
	uint32_t random;

	/* For what is said at the end. */
	unsigned int thread_count;                 /* now */
	unsigned int attached, refused, not_known; /* processes */
	bool packages_described;
	uint64_t gaps, gaps_ns; /* between two looks at a thread */
	uint64_t samples, waits, torn;
	uint64_t unlisted; /* threads that there was no room for */
};

/* processes.c */
void python_find_processes(struct python_recorder *recorder);
void python_attach_process(struct python_recorder *recorder, struct looked_process *process);
void python_drop_process(struct python_recorder *recorder, struct looked_process *process);

/* threads.c */
void python_list_threads(struct python_recorder *recorder, struct looked_process *process);
void python_drop_thread(struct python_recorder *recorder, struct looked_thread *thread);
void python_drop_unlisted(struct python_recorder *recorder, struct looked_process *process);
/* The kernel's sums of the thread: 0 or -errno. */
int python_read_sums(const struct looked_process *process, const struct looked_thread *thread,
		     struct proc_schedstat *out);
/* Within a period from now: not all in one round, nor in step with what the job does. */
uint64_t python_random_moment(struct python_recorder *recorder);

/* looks.c: frames of the threads that are due. */
void python_look_at_threads(struct python_recorder *recorder, struct looked_process *process);

/* describe.c */
void python_describe(struct python_recorder *recorder);

#endif /* STALLTRACE_RECORD_PYTHON_H */
