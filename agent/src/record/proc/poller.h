/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Recording without BPF: /proc of every thread of the tree each 10 ms. Fills off_cpu, on_cpu,
 * process_event and aggregate of the same file, provenance `sampled`. Nobody outside includes it.
 */
#ifndef STALLTRACE_POLLER_H
#define STALLTRACE_POLLER_H

#include "../session.h"
#include "../throttling.h"
#include "polled_thread.h"

struct poller {
	struct session *session;
	struct polling polling;
	struct polled_thread **threads;
	size_t count, capacity;
	uint64_t period_ns, asked_period_ns;
	uint64_t longest_gap_ns; /* between two rounds, as it came */
	uint64_t begin_ns, round_ns, next_round_ns, scanned_ns;
	uint64_t round_cost_ns; /* CPU time of a round, smoothed */
	uint64_t rounds;
	uint64_t lost_threads; /* for lack of memory or room */
	pid_t last_pid;        /* the newest in our PID namespace */
	bool last_pid_known;
	struct throttling throttling;
};

/* Follows the process and its descendants, all of which were there before. */
void poller_follow_tree(struct poller *poller, pid_t pid, uint64_t now_ns);
/* NULL = is not followed. */
struct polled_thread *poller_find_thread(const struct poller *poller, pid_t tid);
/* Follows what the tree has made since the last round. */
void poller_find_new_tasks(struct poller *poller, uint64_t now_ns);
/* Provenance and notices, at the end. */
void poller_describe(const struct poller *poller);

#endif /* STALLTRACE_POLLER_H */
