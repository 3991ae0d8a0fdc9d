/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The BPF object: what this kernel can load of it, loaded and attached. */
#ifndef STALLTRACE_PROGRAMS_H
#define STALLTRACE_PROGRAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "probe_source.h"

enum uprobe_kind { UPROBE_NONE, UPROBE_SESSION, UPROBE_MULTI, UPROBE_PERF };

struct programs_options {
	const struct probe_source *const *sources; /* source_count of them, which may be missing */
	unsigned int source_count;
	const struct probe_source *always; /* without its programs there are no targets */
	bool all_tasks;
	bool python;
	unsigned int ring_bytes;         /* power of two × page; 0 = 16 MiB */
	unsigned int samples_per_second; /* 0 = 49 */
	uint64_t syscall_threshold_ns;   /* 0 = 1 ms */
	uint64_t stack_threshold_ns;     /* 50 µs by default, set by the caller */
	uint32_t launches_per_bucket;    /* a thread in 100 ms */
	/* For tests: pretend that the named thing is not there ("btf", "uprobe_session", …). */
	const char *pretend_missing;
};

struct programs;

/*
 * Opens and loads what the kernel can of what status says is wanted, one of each source. 0 with every
 * source's status filled, also where single ones are missing; -errno where nothing of it can be had (no BTF, no capability, locked down), with why
 * in detail. Prints nothing.
 */
int programs_load(const struct programs_options *options, struct programs **out,
		  struct source_status *status, char *detail, size_t detail_size);

/* Attaches everything but the uprobes (see uprobes.h). A source that can't be is marked in status. */
int programs_attach(struct programs *programs, struct source_status *status);
/* For a source's `attach`: a clock that samples each CPU; counters at which page faults end. */
void attach_cpu_clock(struct programs *programs, struct source_status *status);
void attach_fault_counters(struct programs *programs, struct source_status *status);

/* Starts and stops recording without detaching. */
/* Without waiting for what is on the way; from any thread. */
void programs_silence(struct programs *programs);
void programs_record(struct programs *programs, bool on);

/* Makes all threads of the process targets; its later children become targets by themselves. */
int programs_add_target(struct programs *programs, pid_t tgid);
int programs_set_python(struct programs *programs, pid_t tgid, const struct python_config *config);
int programs_set_function(struct programs *programs, unsigned int function,
			  const struct function_spec *spec);
/* Whether the calls that the process begins are left to another recorder. */
void programs_leave_calls(struct programs *programs, pid_t tgid, bool left);
/*
 * The probes of launches are about to go (left), or are all there again: in between no launch is recorded, and of one
 * that was under way nobody waits for the return.
 */
void programs_leave_launches(struct programs *programs, bool left);
/* Before it records: the first call_id that is given out is the next one. */
void programs_begin_call_ids(struct programs *programs, uint64_t last);

/*
 * File descriptor to wait on; each record reaches handle in order. Returns how many did, or -errno:
 * not all that there are, where more come as fast; 0 = none is left.
 */
int programs_ring_fd(const struct programs *programs);
int programs_consume(struct programs *programs,
		     int (*handle)(void *context, const struct record_header *record),
		     void *context);

/* Records lost since the load, by kind. */
void programs_drops(const struct programs *programs, uint64_t drops[RECORD_KINDS]);

/* ns that all programs ran, and how often: 0 where nobody has the kernel count (bpf_stats_enabled). */
void programs_run_time(const struct programs *programs, uint64_t *run_ns, uint64_t *runs);

/* For uprobes.c: the loaded programs' descriptors, -1 where there is none. */
enum uprobe_kind programs_uprobe_kind(const struct programs *programs);
int programs_uprobe_session_fd(const struct programs *programs);
int programs_uprobe_entry_fd(const struct programs *programs);
int programs_uprobe_return_fd(const struct programs *programs);
/* Entry only: for processes that must not be given return probes. */
int programs_uprobe_entry_only_fd(const struct programs *programs);

void programs_free(struct programs *programs);

#endif /* STALLTRACE_PROGRAMS_H */
