/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Nodes of memory (NUMA): which one a GPU is attached to, and on which ones pinned memory lies. `root` stands
 * before /sys and /proc: "" but in tests.
 */
#ifndef STALLTRACE_NUMA_H
#define STALLTRACE_NUMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define NUMA_MOST_NODES 64

/* Whether CPUs are on more than one node: else it is no question where anything lies. */
bool numa_has_several_nodes(const char *root);
/* By its PCI address, as nvidia-smi, CUDA or /proc writes it; TRACE_NULL = none or not known. */
int64_t numa_node_of_gpu(const char *root, const char *pci_bus_id);

/* How much of [begin, end) is pinned, bytes. */
typedef uint64_t numa_pinned(void *context, uint64_t begin, uint64_t end);
/*
 * Adds the pinned memory of a process to `bytes`, by node. Of a mapping that is pinned in part, only what the
 * pages on other nodes can't be. The kernel walks all pages of the process for that. 0 or -errno.
 */
int numa_read_pinned(const char *root, pid_t pid, numa_pinned *pinned, void *context,
		     uint64_t bytes[NUMA_MOST_NODES]);
/* "N0=1048576 N1=4096"; "" where there is none. Nodes for which there is no room are left out. */
void numa_text(const uint64_t bytes[NUMA_MOST_NODES], char *out, size_t size);

#endif /* STALLTRACE_NUMA_H */
