/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What a process or thread of a training job probably does, told from its name and lineage. */
#ifndef STALLTRACE_ROLES_H
#define STALLTRACE_ROLES_H

#include <stdbool.h>

/* A guess and its reason; static texts. role NULL = other. */
struct role_guess {
	const char *role; /* "main", "dataloader-worker", "pin-memory", "kernel" or NULL */
	const char *basis;
};

/* What is known; false, 0 and NULL where it isn't. */
struct role_facts {
	const char *comm;
	const char *command_line; /* of the process */
	const char *parent_comm;
	bool kernel;
	bool thread;              /* one thread of a process, and not its first */
	bool forked_without_exec; /* still runs its parent's program */
	bool parent_runs_python;
	bool made_cuda_calls; /* or maps a CUDA library and uses a GPU */
	bool maps_cuda;
	bool has_python_children;    /* that it forked and that did not exec */
	bool in_worker_loop;         /* a stack of it was in torch's _worker_loop */
	bool in_pin_loop;            /* a stack of this thread was in torch's _pin_memory_loop */
	unsigned int python_stacks;  /* different ones in multiprocessing's run() */
	unsigned int siblings_alike; /* of the same parent, forked without exec as well */
};

/* So many stacks of a worker, and none in its loop, are not to be expected. */
#define ENOUGH_STACKS 2

struct role_guess guess_role(const struct role_facts *facts);
/* "python3.11", "pt_main_thread" … */
bool is_python_name(const char *comm);

#endif /* STALLTRACE_ROLES_H */
