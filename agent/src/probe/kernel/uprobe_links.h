/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The kernel's ways to put a BPF program on places of a file. libbpf 1.1 knows only the oldest. */
#ifndef STALLTRACE_UPROBE_LINKS_H
#define STALLTRACE_UPROBE_LINKS_H

#include <stdbool.h>
#include <stdint.h>
#include "../../../wire.h"

/* enum bpf_attach_type, newer than some systems' headers (6.6, 6.13). */
#define ATTACH_UPROBE_MULTI 48
#define ATTACH_UPROBE_SESSION 57

/* Places in one file, each with its function's number. */
struct probe_points {
	unsigned int count;
	uint64_t offsets[MAX_FUNCTIONS];
	uint64_t functions[MAX_FUNCTIONS];
};

/* What keeps them there: descriptors of links. */
struct uprobe_links {
	unsigned int count;
	int fds[2 * MAX_FUNCTIONS];
};

/* One link for `count` places; cookies are the functions' numbers, or NULL. Descriptor or -errno. */
int uprobe_link_create(int program, int attach_type, bool returns, const char *path,
		       const uint64_t *offsets, const uint64_t *functions, unsigned int count);
/*
 * All places with one link (6.6 on; sessions 6.13 on). Where the kernel refuses the whole, each
 * place by itself: *refused of them could not be had. 0, or -errno where none could.
 */
int uprobe_links_multi(struct uprobe_links *links, int program, int attach_type, bool returns,
		       const char *path, const struct probe_points *points, unsigned int *refused);
/* A perf event with a link for each place (5.15 on). */
int uprobe_links_perf(struct uprobe_links *links, int program, bool returns, const char *path,
		      const struct probe_points *points, unsigned int *refused);
void uprobe_links_close(struct uprobe_links *links);
/*
 * Closes them, and has a process of its own wait for it. The kernel takes about 0.2 s to end each perf event,
 * one after the other: a minute for two libraries, which nobody should wait for. Without memory for a process
 * or a pipe, closing takes that long.
 */
void uprobe_links_end_apart(struct uprobe_links *links);

#endif /* STALLTRACE_UPROBE_LINKS_H */
