// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "roles.h"

#include <stddef.h>
#include <string.h>

static bool begins(const char *text, const char *prefix)
{
	return text && !strncmp(text, prefix, strlen(prefix));
}

bool is_python_name(const char *comm)
{
	return begins(comm, "python") || begins(comm, "pypy") || begins(comm, "ipython") ||
	       begins(comm, "pt_main_thread") || begins(comm, "pt_data_worker") ||
	       begins(comm, "ray::") || begins(comm, "torchrun");
}

/*
 * Names that PyTorch itself gives to its processes and threads (torch.multiprocessing's
 * _set_thread_name, from 2.6 on): pt_main_thread, pt_data_worker, pt_data_pin. Older versions leave
 * the interpreter's name.
 */
static bool guess_by_name(const struct role_facts *facts, struct role_guess *out)
{
	if (begins(facts->comm, "pt_data_worker")) {
		*out = (struct role_guess){"dataloader-worker", "PyTorch named it pt_data_worker"};
		return true;
	}
	if (facts->in_pin_loop) {
		*out = (struct role_guess){"pin-memory", "runs DataLoader's pin-memory loop"};
		return true;
	}
	if (!facts->thread && facts->in_worker_loop) {
		*out = (struct role_guess){"dataloader-worker", "runs DataLoader's worker loop"};
		return true;
	}
	if (begins(facts->comm, "pt_data_pin") || begins(facts->comm, "pin_memory")) {
		*out = (struct role_guess){"pin-memory", "named as PyTorch's pinning thread"};
		return true;
	}
	if (!facts->thread && begins(facts->comm, "pt_main_thread") &&
	    !facts->forked_without_exec) {
		*out = (struct role_guess){"main", "PyTorch named it pt_main_thread"};
		return true;
	}
	return false;
}

/* Python's and PyTorch's own processes that look like workers from outside. */
static bool is_multiprocessing_server(const char *command_line)
{
	static const char *const servers[] = {
		"multiprocessing.resource_tracker", "multiprocessing.semaphore_tracker",
		"multiprocessing.forkserver",       "torch_shm_manager",
		"torch._inductor.compile_worker",
	};
	size_t i;

	for (i = 0; command_line && i < sizeof(servers) / sizeof(*servers); i++) {
		if (strstr(command_line, servers[i]))
			return true;
	}
	return false;
}

static bool is_spawned_worker(const struct role_facts *facts)
{
	return facts->parent_runs_python && facts->command_line &&
	       strstr(facts->command_line, "multiprocessing.spawn") &&
	       strstr(facts->command_line, "spawn_main");
}

static struct role_guess guess_child(const struct role_facts *facts)
{
	if (is_multiprocessing_server(facts->command_line) && !facts->forked_without_exec)
		return (struct role_guess){NULL, "a server of Python's multiprocessing"};
	if (facts->made_cuda_calls)
		return (struct role_guess){"main", "a Python process that uses CUDA"};
	/* A Pool's, a queue manager's: whoever has stacks is known by them. */
	if (facts->python_stacks >= ENOUGH_STACKS && facts->parent_runs_python &&
	    (facts->forked_without_exec || is_spawned_worker(facts)))
		return (struct role_guess){
			NULL, "of Python's multiprocessing, but never in DataLoader's worker loop"};
	if (is_spawned_worker(facts))
		return (struct role_guess){"dataloader-worker",
					   "spawned by a Python process's multiprocessing"};
	if (facts->forked_without_exec && facts->parent_runs_python)
		return facts->siblings_alike ?
			       (struct role_guess){"dataloader-worker",
						   "one of several forked by a Python process "
						   "without exec"} :
			       (struct role_guess){"dataloader-worker",
						   "forked by a Python process without exec"};
	if (!is_python_name(facts->comm))
		return (struct role_guess){NULL, "no Python process, and uses no CUDA"};
	if (facts->has_python_children)
		return (struct role_guess){"main", "a Python process that forked workers"};
	if (facts->maps_cuda)
		return (struct role_guess){"main", "a Python process that maps a CUDA library"};
	return (struct role_guess){NULL, "a Python process without CUDA or workers"};
}

struct role_guess guess_role(const struct role_facts *facts)
{
	struct role_guess guess;

	if (facts->kernel)
		return (struct role_guess){"kernel", "a kernel thread"};
	if (guess_by_name(facts, &guess))
		return guess;
	/* A thread without a telling name does what its process does: nothing to add. */
	if (facts->thread)
		return (struct role_guess){NULL, NULL};
	if (facts->made_cuda_calls && !is_python_name(facts->comm) && !facts->parent_runs_python)
		return (struct role_guess){"main", "uses CUDA"};
	return guess_child(facts);
}
