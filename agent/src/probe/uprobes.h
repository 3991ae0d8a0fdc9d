/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Probes on the CUDA functions of one library file after another. */
#ifndef STALLTRACE_UPROBES_H
#define STALLTRACE_UPROBES_H

#include "cuda/functions.h"
#include "cuda/libraries.h"
#include "load/programs.h"

struct uprobes;

/* pretend_missing: as in struct programs_options; may be NULL. */
struct uprobes *uprobes_new(struct programs *programs, const char *pretend_missing);

struct attach_result {
	unsigned int attached; /* functions */
	unsigned int slow;     /* of these, on an instruction that must be single-stepped */
	bool entry_only;       /* a process that maps it filters system calls: no return probes */
	char detail[512];      /* one sentence for the trace and the user */
};

/*
 * Probes every function of the table that the library exports. A library already probed (by inode)
 * is 0 with attached = 0 – unless library->mapped_by must not be given its return probes, which are
 * then taken away (entry_only). -errno and detail where nothing could be.
 */
int uprobes_attach(struct uprobes *uprobes, const struct cuda_library *library,
		   struct attach_result *result);

/*
 * Takes the probes of launches away, or puts them back: all that are known by then. While they are away a launch costs
 * nothing. 0, or -errno where some could not be put back.
 */
int uprobes_leave_launches(struct uprobes *uprobes, bool left);
/* Whether that is done in no time: not with a perf event for each (uprobe_links.h). */
bool uprobes_can_leave_launches(const struct uprobes *uprobes);

struct probe_costs {
	unsigned int functions; /* that would be probed */
	unsigned int slow;      /* of these, on an instruction that must be single-stepped */
};

/* What probes on the library would cost; nothing is attached. 0 or -errno. */
int uprobes_costs(const struct cuda_library *library, struct probe_costs *out);

void uprobes_free(struct uprobes *uprobes); /* detaches all */

#endif /* STALLTRACE_UPROBES_H */
