// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Processes that ran already when the recording began: how they come in, and what is missing of them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../../probe/cuda/libraries.h"
#include "inside.h"

#define MOST_NAMED 8

void inside_tell_line(struct inside_recorder *inside)
{
	const struct record_options *options = inside->session->options;
	const char *what = inside->beside_probes ? "What the GPU does is" :
						   "CUDA calls and what the GPU does are";

	if (!options->inside_waits)
		return;
	if (options->target == TARGET_ALL)
		session_notice(
			inside->session, "info",
			"%s recorded of each Python process from when this line is pasted into it: %s",
			what, options->inside_line);
	else
		session_notice(
			inside->session, "info",
			"%s recorded from when this line is pasted into process %d, and into each one below it that uses CUDA: %s",
			what, options->pids[0], options->inside_line);
}

/* "4242 (rank 1)" */
static void name_process(pid_t pid, char *out, size_t size)
{
	struct proc_facts *facts = calloc(1, sizeof(*facts));

	snprintf(out, size, "%d", pid);
	if (facts && !proc_read_facts(pid, facts) && facts->rank >= 0)
		snprintf(out, size, "%d (rank %d)", pid, facts->rank);
	free(facts);
}

static bool is_in(const struct inside_recorder *inside, pid_t pid)
{
	for (unsigned int i = 0; i < inside->process_count; i++)
		if (inside->processes[i]->pid == pid && inside_records(inside->processes[i]))
			return true;
	return false;
}

/* A program that only imports PyTorch has no driver yet. */
static void look_for_driver(void *found, const struct cuda_library *library)
{
	*(bool *)found |= library->driver;
}

bool inside_uses_cuda(const struct process *process)
{
	bool found = false;

	/* What is forked can't use CUDA where its parent does. */
	return !process->forked &&
	       libraries_of_process(process->pid, look_for_driver, &found) >= 0 && found &&
	       !proc_forked_without_exec(process->pid, process->parent ? process->parent->pid : 0);
}

static bool is_listed(const struct outsiders *outsiders, pid_t pid)
{
	for (unsigned int i = 0; i < outsiders->count; i++)
		if (outsiders->pids[i] == pid)
			return true;
	return false;
}

static void look_at_process(void *context, struct process *process)
{
	struct inside_recorder *inside = context;
	struct outsiders *outsiders = &inside->outsiders;

	if (process->target && !process->ended && !is_in(inside, process->pid) &&
	    !is_listed(outsiders, process->pid) && outsiders->count < MOST_PROCESSES &&
	    inside_uses_cuda(process))
		outsiders->pids[outsiders->count++] = process->pid;
}

void inside_find_outsiders(struct inside_recorder *inside)
{
	struct outsiders *outsiders = &inside->outsiders;
	unsigned int kept = 0;

	for (unsigned int i = 0; i < outsiders->count; i++)
		if (!is_in(inside, outsiders->pids[i]))
			outsiders->pids[kept++] = outsiders->pids[i];
	outsiders->count = kept;
	if (inside->session->options->target != TARGET_ALL)
		tasks_each_living(inside->session->tasks, look_at_process, inside);
}

/* "4242 (rank 1), 4243 (rank 2) and 3 more" */
static void name_outsiders(const struct inside_recorder *inside, char *out, size_t size)
{
	const struct outsiders *outsiders = &inside->outsiders;
	char name[48];

	out[0] = '\0';
	for (unsigned int i = 0; i < outsiders->count && i < MOST_NAMED; i++) {
		size_t length = strlen(out);

		name_process(outsiders->pids[i], name, sizeof(name));
		snprintf(out + length, size - length, "%s%s", i ? ", " : "", name);
	}
	if (outsiders->count > MOST_NAMED)
		snprintf(out + strlen(out), size - strlen(out), " and %u more",
			 outsiders->count - MOST_NAMED);
}

void inside_note_joined(struct inside_recorder *inside, struct inside_process *process)
{
	struct inside_header *header = process->ring;
	char name[48], others[512];

	if (!inside->session->options->inside_waits || process->joined || !inside_records(process))
		return;
	process->joined = true;
	name_process(process->pid, name, sizeof(name));
	session_notice(
		inside->session, "info",
		atomic_load(&header->state) == INSIDE_RECORDING ?
			"Process %s has come in: it is recorded from inside from now on." :
			"Process %s has come in, without CUPTI: CUDA calls that a library of it imports are recorded from now on, and not what the GPU does.",
		name);
	inside_find_outsiders(inside);
	if (!inside->outsiders.count)
		return;
	name_outsiders(inside, others, sizeof(others));
	session_notice(inside->session, "info", "Not in yet, and using CUDA too: process %s.",
		       others);
}

void inside_note_before(struct inside_recorder *inside, const struct inside_process *process,
			uint64_t end_ns)
{
	struct inside_header *header = process->ring;
	struct trace_writer *writer = inside->session->writer;
	uint64_t until_ns = atomic_load(&header->recording_ns), from_ns = inside->session->begin_ns;
	uint64_t began_ns = proc_ticks_to_monotonic(process->start_ticks);
	int64_t start_ns, duration_ns;

	if (!process->ran_before || !until_ns)
		return;
	if (until_ns > end_ns)
		until_ns = end_ns;
	if (from_ns < began_ns)
		from_ns = began_ns;
	if (from_ns < process->again_ns)
		from_ns = process->again_ns;
	if (from_ns >= until_ns)
		return;
	start_ns = trace_time(writer, from_ns);
	duration_ns = trace_time(writer, until_ns) - start_ns;
	if (!inside->beside_probes)
		trace_put_gap(writer, "cuda_call", start_ns, duration_ns, -1);
	trace_put_gap(writer, "gpu_work", start_ns, duration_ns, -1);
	inside->partial_calls |= !inside->beside_probes;
	inside->partial_work = true;
	/* What came between has been said of what it was. */
	if (process->again_ns)
		return;
	session_notice(
		inside->session, "warning",
		"Process %d came in %.1f s after the capture began: its %s before that %s missing. CUDA graphs that it instantiated before are not seen, and of host memory that it pinned before %s.",
		process->pid, (double)(until_ns - inside->session->begin_ns) / 1e9,
		inside->beside_probes ? "GPU work" : "CUDA calls and GPU work",
		inside->beside_probes ? "is" : "are",
		atomic_load(&header->state) == INSIDE_BY_IMPORTS ?
			"nothing tells" :
			"only the GPU's records of copies tell");
}

void inside_note_outsiders(struct inside_recorder *inside, unsigned int recorded)
{
	struct session *session = inside->session;
	const char *what = inside->beside_probes ? "what the GPU did" : "CUDA calls";
	char text[1024], others[512];

	if (!session->options->inside_waits)
		return;
	/* Of who came and was not recorded it is said why. */
	if (!recorded && inside_anyone_came(inside))
		return;
	if (!recorded) {
		snprintf(
			text, sizeof(text),
			"Nothing was recorded from inside: %s would be there from when this line is pasted into the process, while it is captured: %s",
			what, session->options->inside_line);
		trace_put_notice(session->writer, "info", text);
		return;
	}
	if (!inside->outsiders.count)
		return;
	name_outsiders(inside, others, sizeof(others));
	inside->partial_calls |= !inside->beside_probes;
	inside->partial_work = true;
	session_notice(
		session, "warning",
		"Not recorded from inside: process %s, which use CUDA and did not come in. The line has to be pasted into each rank.",
		others);
}
