/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* A software perf event on each CPU, which runs a program. */
#ifndef STALLTRACE_PERF_EVENTS_H
#define STALLTRACE_PERF_EVENTS_H

#include <bpf/libbpf.h>
#include <linux/perf_event.h>
#include <stdbool.h>

struct perf_events {
	struct bpf_link **links;
	unsigned int count;
};

/*
 * config is one of enum perf_sw_ids; value its frequency in Hz, or else its period. Closed CPUs are
 * passed over. -errno where no CPU or only some can be had.
 */
int perf_events_attach(struct perf_events *events, const struct bpf_program *program,
		       unsigned int config, unsigned int value, bool is_frequency);
void perf_events_detach(struct perf_events *events);

#endif /* STALLTRACE_PERF_EVENTS_H */
