// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Which processes run Python, found as they come. */
#include <errno.h>
#include <stdlib.h>
#include "../../reserve.h"
#include "../../watchdog.h"
#include "python.h"

#define RETRY_NS (50 * NS_PER_MS)
#define RETRY_MAX_NS (2 * NS_PER_SECOND)
#define MOST_PROCESSES 4096

static struct looked_process *add_process(struct python_recorder *recorder)
{
	struct looked_process *process;

	if (reserve((void **)&recorder->processes, &recorder->process_capacity,
		    recorder->process_count + 1, sizeof(*recorder->processes), MOST_PROCESSES))
		return NULL;
	process = calloc(1, sizeof(*process));
	if (process)
		recorder->processes[recorder->process_count++] = process;
	return process;
}

static struct looked_process *find_process(const struct python_recorder *recorder,
					   const struct process *row)
{
	for (size_t i = 0; row && i < recorder->process_count; i++)
		if (recorder->processes[i]->row == row)
			return recorder->processes[i];
	return NULL;
}

static void begin_to_read(struct python_recorder *recorder, struct looked_process *process)
{
	process->attached = true;
	process->has_offset = false;
	process->next_list_ns = recorder->session->now_ns;
	recorder->attached++;
	if (!recorder->packages_described)
		host_describe_packages(recorder->session->writer, process->row->pid);
	recorder->packages_described = true;
}

/* A fork's child has its parent's interpreter, at the same addresses: nothing is to be looked for. */
static bool inherit(struct python_recorder *recorder, struct looked_process *process)
{
	const struct looked_process *parent = find_process(recorder, process->row->parent);

	if (!process->row->forked || !parent || !parent->attached ||
	    python_fork(recorder->session->python, (uint64_t)parent->row->id,
			(uint64_t)process->row->id))
		return false;
	begin_to_read(recorder, process);
	return true;
}

static void find_new(void *context, struct process *row)
{
	struct python_recorder *recorder = context;
	struct looked_process *process;

	if (!row->target || row->ended || row->python_looked)
		return;
	process = add_process(recorder);
	if (!process)
		return;
	row->python_looked = true;
	process->row = row;
	process->own_namespace = proc_namespace_tid(row->pid, row->pid) != row->pid;
	process->next_try_ns = recorder->session->now_ns;
	inherit(recorder, process);
}

void python_find_processes(struct python_recorder *recorder)
{
	tasks_each_living(recorder->session->tasks, find_new, recorder);
}

/* Notes whether a process lets itself be read at all. */
static bool is_refused(struct python_recorder *recorder, struct looked_process *process)
{
	char why[320] = "";

	if (!memory_is_refused(process->row->pid, why, sizeof(why))) {
		if (process->refused)
			recorder->refused--;
		process->refused = false;
		return false;
	}
	process->next_try_ns = recorder->session->now_ns + RETRY_MAX_NS;
	if (process->refused)
		return true;
	process->refused = true;
	if (!recorder->refused++)
		session_notice(recorder->session, "warning",
			       "Python stacks of process %d can't be read from outside. %s",
			       process->row->pid, why);
	return true;
}

static void not_known(struct python_recorder *recorder, struct looked_process *process,
		      const char *detail)
{
	process->next_try_ns = UINT64_MAX;
	recorder->not_known++;
	session_notice(
		recorder->session, "warning",
		"Process %d runs a Python whose frames can't be read, so no stacks of it are: %s",
		process->row->pid, detail);
}

void python_attach_process(struct python_recorder *recorder, struct looked_process *process)
{
	struct session *session = recorder->session;
	struct process *row = process->row;
	uint64_t pause_ns = tasks_is_young(row, session->now_ns) ? RETRY_NS : RETRY_MAX_NS;
	struct python_config config;
	char detail[320] = "";
	int error;

	if (process->attached || session->now_ns < process->next_try_ns)
		return;
	watchdog_step(STEP_OF_WORK);
	process->next_try_ns = session->now_ns + pause_ns;
	if (is_refused(recorder, process))
		return;
	symboliser_read_process(session->symbols, (uint64_t)row->id, row->pid);
	error = python_attach(session->python, (uint64_t)row->id, row->pid, &config, detail,
			      sizeof(detail));
	if (!error)
		begin_to_read(recorder, process);
	/* What closed itself meanwhile looks like what nobody knows. */
	else if (error == -ENOTSUP && !tasks_asks_python_again(row, session->now_ns) &&
		 !is_refused(recorder, process))
		not_known(recorder, process, detail);
}

void python_drop_process(struct python_recorder *recorder, struct looked_process *process)
{
	for (unsigned int i = 0; i < process->thread_count; i++)
		python_drop_thread(recorder, process->threads[i]);
	free(process->threads);
	process->threads = NULL;
	process->thread_count = 0;
}
