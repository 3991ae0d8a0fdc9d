// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "process_table.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "../../host/container.h"
#include "../../clock.h"
#include "../../host/gpu/gpu_ask.h"
#include "../../probe/cuda/libraries.h"

#define CPU_INTERVAL_NS (200 * NS_PER_MS)
#define MAX_GPU_PROCESSES 1024
#define MAX_DEPTH 64

struct snapshot {
	struct listed_process *all;
	size_t count, capacity;
	int err;
	size_t *order; /* indexes of those listed */
	size_t listed;
};

static void add_process(void *context, pid_t pid)
{
	struct snapshot *snapshot = context;
	struct listed_process process = {.gpu_memory_bytes = -1, .cpu_percent = -1};

	if (snapshot->err || proc_read_stat(pid, 0, &process.stat) || process.stat.kernel_thread ||
	    process.stat.state == 'Z')
		return;
	redact_name(process.stat.comm);
	if (snapshot->count == snapshot->capacity) {
		size_t capacity = snapshot->capacity ? 2 * snapshot->capacity : 256;
		void *grown = reallocarray(snapshot->all, capacity, sizeof(*snapshot->all));

		if (!grown) {
			snapshot->err = -ENOMEM;
			return;
		}
		snapshot->all = grown;
		snapshot->capacity = capacity;
	}
	snapshot->all[snapshot->count++] = process;
}

static bool runs_python(const struct listed_process *process)
{
	char path[64], target[1024];
	const char *base;
	ssize_t length;

	if (is_python_name(process->stat.comm))
		return true;
	snprintf(path, sizeof(path), "/proc/%d/exe", process->stat.pid);
	length = readlink(path, target, sizeof(target) - 1);
	if (length <= 0)
		return false;
	target[length] = '\0';
	base = strrchr(target, '/');
	return base && is_python_name(base + 1);
}

static void ignore_library(void *context, const struct cuda_library *library)
{
}

static bool is_ours(const struct snapshot *snapshot, const struct listed_process *process)
{
	pid_t pid = process->stat.pid;

	for (int depth = 0; depth < MAX_DEPTH && pid > 1; depth++) {
		size_t i;

		if (pid == getpid())
			return true;
		for (i = 0; i < snapshot->count && snapshot->all[i].stat.pid != pid; i++)
			;
		if (i == snapshot->count)
			return false;
		pid = snapshot->all[i].stat.parent;
	}
	return false;
}

static bool is_candidate(const struct snapshot *snapshot, struct listed_process *process,
			 const struct gpu_process *gpu, int gpu_count)
{
	for (int i = 0; i < gpu_count; i++) {
		if (gpu[i].pid != process->stat.pid)
			continue;
		process->uses_gpu = true;
		process->gpu_memory_bytes = gpu[i].memory_bytes;
	}
	process->maps_cuda = libraries_of_process(process->stat.pid, ignore_library, NULL) > 0;
	if (is_ours(snapshot, process))
		return false;
	return process->uses_gpu || process->maps_cuda || runs_python(process);
}

/* Appends the process and its descendants; the listed ones are marked by their place in order. */
static void list_tree(struct snapshot *snapshot, bool *taken, size_t index, unsigned int depth)
{
	if (taken[index] || depth > MAX_DEPTH)
		return;
	taken[index] = true;
	snapshot->all[index].depth = depth;
	snapshot->order[snapshot->listed++] = index;
	for (size_t i = 0; i < snapshot->count; i++) {
		if (snapshot->all[i].stat.parent == snapshot->all[index].stat.pid &&
		    !is_ours(snapshot, &snapshot->all[i]))
			list_tree(snapshot, taken, i, depth + 1);
	}
}

static bool has_candidate_above(const struct snapshot *snapshot, const bool *candidates,
				size_t index)
{
	pid_t parent = snapshot->all[index].stat.parent;

	for (int depth = 0; depth < MAX_DEPTH && parent > 1; depth++) {
		size_t i;

		for (i = 0; i < snapshot->count && snapshot->all[i].stat.pid != parent; i++)
			;
		if (i == snapshot->count)
			return false;
		if (candidates[i])
			return true;
		parent = snapshot->all[i].stat.parent;
	}
	return false;
}

static int choose(struct snapshot *snapshot, const struct gpu_process *gpu, int gpu_count)
{
	bool *candidates = calloc(2 * snapshot->count + 1, sizeof(*candidates));
	bool *taken = candidates + snapshot->count;

	snapshot->order = calloc(snapshot->count + 1, sizeof(*snapshot->order));
	if (!candidates || !snapshot->order) {
		free(candidates);
		return -ENOMEM;
	}
	for (size_t i = 0; i < snapshot->count; i++)
		candidates[i] = is_candidate(snapshot, &snapshot->all[i], gpu, gpu_count);
	for (size_t i = 0; i < snapshot->count; i++) {
		if (candidates[i] && !has_candidate_above(snapshot, candidates, i))
			list_tree(snapshot, taken, i, 0);
	}
	free(candidates);
	return 0;
}

static int take_listed(const struct snapshot *snapshot, struct process_table *out)
{
	out->processes = calloc(snapshot->listed + 1, sizeof(*out->processes));
	if (!out->processes)
		return -ENOMEM;
	out->count = snapshot->listed;
	for (size_t i = 0; i < snapshot->listed; i++)
		out->processes[i] = snapshot->all[snapshot->order[i]];
	return 0;
}

/* CPU use: what /proc says comes in clock ticks, so over a short interval in coarse steps. */
static void measure_cpu(struct process_table *table)
{
	const struct timespec interval = {.tv_nsec = CPU_INTERVAL_NS};
	uint64_t before_ns;
	double elapsed_ticks;

	for (size_t i = 0; i < table->count; i++) {
		struct proc_stat now;

		if (!proc_read_stat(table->processes[i].stat.pid, 0, &now) &&
		    now.start_ticks == table->processes[i].stat.start_ticks)
			table->processes[i].stat = now;
	}
	before_ns = clock_ns(CLOCK_MONOTONIC);
	nanosleep(&interval, NULL);
	elapsed_ticks = (double)(clock_ns(CLOCK_MONOTONIC) - before_ns) / 1e9 *
			(double)sysconf(_SC_CLK_TCK);
	for (size_t i = 0; i < table->count; i++) {
		struct listed_process *process = &table->processes[i];
		struct proc_stat now;

		if (proc_read_stat(process->stat.pid, 0, &now) ||
		    now.start_ticks != process->stat.start_ticks)
			continue;
		process->cpu_percent =
			100 *
			(double)(now.user_ticks + now.system_ticks - process->stat.user_ticks -
				 process->stat.system_ticks) /
			elapsed_ticks;
		process->stat = now;
	}
}

static struct listed_process *parent_of(const struct process_table *table,
					const struct listed_process *process)
{
	for (size_t i = 0; i < table->count; i++) {
		if (table->processes[i].stat.pid == process->stat.parent)
			return &table->processes[i];
	}
	return NULL;
}

static unsigned int children_alike(const struct process_table *table, pid_t parent)
{
	unsigned int count = 0;

	for (size_t i = 0; i < table->count; i++)
		count += table->processes[i].stat.parent == parent &&
			 table->processes[i].forked_without_exec;
	return count;
}

static void guess_roles(struct process_table *table)
{
	for (size_t i = 0; i < table->count; i++) {
		struct listed_process *process = &table->processes[i];
		const struct listed_process *parent = parent_of(table, process);
		bool forked = process->forked_without_exec;
		const struct role_facts facts = {
			.comm = process->stat.comm,
			.command_line = process->facts ? process->facts->command_line : NULL,
			.parent_comm = parent ? parent->stat.comm : NULL,
			.forked_without_exec = forked,
			.parent_runs_python = parent && runs_python(parent),
			/* A forked worker maps what its parent mapped: only use counts. */
			.made_cuda_calls = process->uses_gpu,
			.maps_cuda = process->maps_cuda,
			.has_python_children = children_alike(table, process->stat.pid) > 0,
			.siblings_alike = forked ? children_alike(table, process->stat.parent) - 1 :
						   0,
		};

		process->role = guess_role(&facts);
	}
}

static void read_all_facts(struct process_table *table)
{
	for (size_t i = 0; i < table->count; i++) {
		struct listed_process *process = &table->processes[i];

		process->facts = malloc(sizeof(*process->facts));
		if (process->facts && proc_read_facts(process->stat.pid, process->facts)) {
			free(process->facts);
			process->facts = NULL;
		}
		if (!process->facts)
			continue;
		process->forked_without_exec = process->depth > 0 &&
					       process->facts->forked_without_exec;
		container_of_cgroup(process->facts->cgroup, process->container,
				    sizeof(process->container));
	}
}

int process_table_read(const char *nvidia_smi, struct process_table *out)
{
	struct gpu_process *gpu = calloc(MAX_GPU_PROCESSES, sizeof(*gpu));
	struct snapshot snapshot = {0};
	int gpu_count = 0, err;

	memset(out, 0, sizeof(*out));
	if (!gpu)
		return -ENOMEM;
	if (nvidia_smi)
		gpu_count = gpu_processes(nvidia_smi, gpu, MAX_GPU_PROCESSES);
	err = proc_each_process(add_process, &snapshot);
	err = err ? err : snapshot.err;
	err = err ? err : choose(&snapshot, gpu, gpu_count);
	err = err ? err : take_listed(&snapshot, out);
	if (!err) {
		measure_cpu(out);
		read_all_facts(out);
		guess_roles(out);
	}
	free(gpu);
	free(snapshot.all);
	free(snapshot.order);
	return err;
}

void process_table_free(struct process_table *table)
{
	if (!table)
		return;
	for (size_t i = 0; i < table->count; i++)
		free(table->processes[i].facts);
	free(table->processes);
	memset(table, 0, sizeof(*table));
}
