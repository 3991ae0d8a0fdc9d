/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Switches, forks, execs, exits and names of chosen threads and all that they make, as the kernel's perf events
 * tell them to whoever may look at these threads. One ring a CPU, whatever number of threads.
 */
#ifndef STALLTRACE_PERF_RINGS_H
#define STALLTRACE_PERF_RINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum perf_record_kind { PERF_OUT, PERF_IN, PERF_FORK, PERF_EXIT, PERF_COMM, PERF_LOST };

struct perf_record {
	uint64_t time_ns; /* CLOCK_MONOTONIC */
	uint64_t order;   /* of those of one time: as they were read */
	enum perf_record_kind kind;
	pid_t pid, tid;
	uint32_t cpu;
	union {
		bool preempted; /* PERF_OUT */
		struct {
			pid_t parent_pid, parent_tid;
		}; /* PERF_FORK */
		struct {
			char comm[16];
			bool exec;
		}; /* PERF_COMM */
		struct {
			uint64_t since_ns, lost; /* 0 = not told how many */
		}; /* PERF_LOST: after since_ns, in the ring of that CPU */
	};
};

struct perf_rings;
/* For the CPUs that the caller's control group allows, and the given process. -ENOMEM. */
int perf_rings_new(pid_t pid, struct perf_rings **out);
void perf_rings_free(struct perf_rings *rings);

/* Adds a thread, switched off as yet, with all that it makes from now on. -errno. */
int perf_rings_add(struct perf_rings *rings, pid_t tid);
/* Once the first was added. As large as this user may have them, -ENOBUFS where that is too small to be of use. */
int perf_rings_map(struct perf_rings *rings);
/* Whether there are descriptors for so many threads; raises the limit where it must. */
bool perf_rings_have_room(const struct perf_rings *rings, size_t threads);
void perf_rings_switch(struct perf_rings *rings, bool on);

/*
 * What came, in order of time, up to the moment of the call: none of it is older than what an earlier call
 * returned. Valid until the next call.
 */
const struct perf_record *perf_rings_read(struct perf_rings *rings, uint64_t until_ns,
					  size_t *count);
/*
 * Of the ring of that CPU, the at-th, after the last reading: whether something may have been lost since, as
 * a record of a loss that ends then.
 */
bool perf_rings_end(const struct perf_rings *rings, unsigned int at, uint64_t end_ns,
		    struct perf_record *out);
/* Descriptors that wake who waits, edge-triggered: after all threads of one have ended it would never rest. */
void perf_rings_watch(const struct perf_rings *rings, int epoll_fd);

/* Of each ring. */
size_t perf_rings_bytes(const struct perf_rings *rings);
unsigned int perf_rings_cpus(const struct perf_rings *rings);

/* Whether this user may record switches, tried on the calling thread; -errno and why, in one sentence. */
int perf_rings_try(char *why, size_t why_size);
/* What an error of perf_rings_add or perf_rings_map means, in one sentence. */
void perf_rings_explain(int err, char *why, size_t why_size);

#endif /* STALLTRACE_PERF_RINGS_H */
