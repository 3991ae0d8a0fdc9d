/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Recording without BPF: /proc of every thread of the tree each 10 ms. Fills off_cpu, on_cpu,
 * process_event and aggregate of the same file, provenance `sampled`.
 */
#ifndef STALLTRACE_POLLER_H
#define STALLTRACE_POLLER_H

#include <stdint.h>
#include <sys/types.h>
#include "../trace/writer.h"
#include "stacks.h"
#include "tasks.h"

struct poller;
struct poller *poller_new(struct trace_writer *writer, struct tasks *tasks, struct stacks *stacks,
			  uint64_t period_ns);
void poller_add_target(struct poller *poller, pid_t pid);
/* One round; finds new children and threads by itself. Returns living threads of the tree. */
int poller_round(struct poller *poller, uint64_t now_ns);
/* Ends the open intervals and writes the tables' provenance. */
void poller_finish(struct poller *poller, uint64_t now_ns);
void poller_free(struct poller *poller);

#endif /* STALLTRACE_POLLER_H */
