/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The processes of this moment that may be a training job, with their descendants, as trees. */
#ifndef STALLTRACE_PROCESS_TABLE_H
#define STALLTRACE_PROCESS_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include "../../host/proc.h"
#include "../../host/roles.h"

struct listed_process {
	struct proc_stat stat;
	struct proc_facts *facts; /* NULL = has ended, or may not be read */
	struct role_guess role;
	unsigned int depth; /* 0 = the root of a tree */
	bool forked_without_exec;
	bool maps_cuda;
	int64_t gpu_memory_bytes; /* < 0 = not known; 0 too where it uses none */
	bool uses_gpu;
	double cpu_percent; /* of one CPU; < 0 = not known */
	char container[64]; /* "docker 3bce5526f0ba"; empty = none that is known */
};

struct process_table {
	struct listed_process *processes; /* trees one after another, parents before children */
	size_t count;
};

/* Takes about a quarter of a second: CPU use is measured meanwhile. 0 or -errno. */
int process_table_read(const char *nvidia_smi, struct process_table *out);
void process_table_free(struct process_table *table);

#endif /* STALLTRACE_PROCESS_TABLE_H */
