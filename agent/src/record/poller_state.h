/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What the poller's own files share. Nobody else includes it. */
#ifndef STALLTRACE_POLLER_STATE_H
#define STALLTRACE_POLLER_STATE_H

#include "../../wire.h"
#include "../host/cgroup.h"
#include "polled_thread.h"
#include "poller.h"

struct poller {
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
	struct cgroup_cpu cgroup;
	struct cgroup_throttling throttling;
	bool has_cgroup;
	uint64_t throttling_ns;
	int64_t action_names[PROCESS_RENAME + 1];
};

/* One row of process_event; action: enum process_action. */
void poller_put_event(struct poller *poller, int action, uint64_t at_ns, int64_t thread,
		      int64_t subject);
/* Follows the process and its descendants, all of which were there before. */
void poller_follow_tree(struct poller *poller, pid_t pid, uint64_t now_ns);
/* Follows what the tree has made since the last round. */
void poller_find_new_tasks(struct poller *poller, uint64_t now_ns);
/* Provenance and notices, at the end. */
void poller_describe(const struct poller *poller);

#endif /* STALLTRACE_POLLER_STATE_H */
