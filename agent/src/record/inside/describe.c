// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* What was lost, and what can be trusted. */
#include <stdio.h>
#include <string.h>
#include "inside.h"

static void put_loss(struct inside_recorder *inside, const struct inside_process *process,
		     const char *table, uint64_t lost)
{
	struct trace_writer *writer = inside->session->writer;
	int64_t from = trace_time(writer, process->quiet_ns);

	if (lost)
		trace_put_gap(writer, table, from,
			      trace_time(writer, inside->session->now_ns) - from, row_value(lost));
}

void inside_note_losses(struct inside_recorder *inside, struct inside_process *process)
{
	struct inside_header *header = process->ring;
	uint64_t lost[INSIDE_KINDS], cupti_lost = atomic_load(&header->cupti_lost), calls, work;

	for (unsigned int i = 0; i < INSIDE_KINDS; i++)
		lost[i] = atomic_load(&header->lost[i]);
	calls = lost[INSIDE_CALL] - process->lost[INSIDE_CALL];
	work = lost[INSIDE_WORK] - process->lost[INSIDE_WORK] + cupti_lost - process->cupti_lost;
	put_loss(inside, process, "cuda_call", calls);
	put_loss(inside, process, "gpu_work", work);
	put_loss(inside, process, "aggregate",
		 lost[INSIDE_LAUNCHES] - process->lost[INSIDE_LAUNCHES]);
	*inside->call_losses += calls;
	*inside->work_losses += work;
	/* What a lost call pinned or freed is not known. */
	if (calls)
		host_ranges_doubt(inside->ranges, (uint32_t)process->pid);
	memcpy(process->lost, lost, sizeof(lost));
	process->cupti_lost = cupti_lost;
	process->quiet_ns = inside->session->now_ns;
}

static void keep_detail(struct inside_recorder *inside, const struct inside_header *header,
			uint32_t state)
{
	inside->cupti_version = header->cupti_version;
	if (state == INSIDE_RECORDING || state == INSIDE_LEFT || state == INSIDE_YIELDED)
		return;
	memcpy(inside->detail, header->detail, sizeof(inside->detail) - 1);
	inside->error = header->error;
}

/* Work that CUPTI had not handed over when its process ended without a word. */
static void note_unflushed(struct inside_recorder *inside, const struct inside_process *process,
			   uint64_t end_ns)
{
	struct inside_header *header = process->ring;
	struct trace_writer *writer = inside->session->writer;
	uint64_t from_ns = atomic_load(&header->flushed_ns);

	if (header->gpu_records == INSIDE_GPU_NONE ||
	    atomic_load(&header->flushed) == INSIDE_FLUSHED || from_ns >= end_ns)
		return;
	if (from_ns < inside->session->begin_ns)
		from_ns = process->last_work_ns ? process->last_work_ns : inside->session->begin_ns;
	if (from_ns >= end_ns)
		return;
	inside->partial_work = true;
	trace_put_gap(writer, "gpu_work", trace_time(writer, from_ns),
		      trace_time(writer, end_ns) - trace_time(writer, from_ns), -1);
}

/* From the moment on at which another profiler began, nothing is known; of calls until probes see them again. */
static void note_yielded(struct inside_recorder *inside, const struct inside_process *process,
			 uint64_t end_ns)
{
	struct inside_header *header = process->ring;
	struct trace_writer *writer = inside->session->writer;
	uint64_t from_ns = atomic_load(&header->yielded_ns), calls_ns = end_ns;
	int64_t start_ns = trace_time(writer, from_ns);

	if (from_ns >= end_ns)
		return;
	if (process->probed_ns && process->probed_ns < end_ns)
		calls_ns = process->probed_ns;
	trace_put_gap(writer, "cuda_call", start_ns, trace_time(writer, calls_ns) - start_ns, -1);
	trace_put_gap(writer, "gpu_work", start_ns, trace_time(writer, end_ns) - start_ns, -1);
	inside->partial_calls = inside->partial_work = true;
	session_notice(
		inside->session, "warning",
		"Another profiler began in process %d after %.1f s, and CUPTI serves one at a time: its %s from then on %s not recorded.",
		process->pid, (double)start_ns / 1e9,
		inside->beside_probes ? "GPU work" : "CUDA calls and GPU work",
		inside->beside_probes ? "is" : "are");
}

void inside_note_end(struct inside_recorder *inside, struct inside_process *process,
		     uint64_t end_ns)
{
	struct inside_header *header = process->ring;
	uint32_t state = atomic_load(&header->state);

	if (state >= INSIDE_STATES)
		state = INSIDE_NEW;
	inside->by_state[state]++;
	keep_detail(inside, header, state);
	if (state == INSIDE_YIELDED)
		note_yielded(inside, process, end_ns);
	if (state == INSIDE_RECORDING || state == INSIDE_LEFT)
		note_unflushed(inside, process, end_ns);
	else
		inside->partial_work = true;
	/* Probes see the calls of a process that the library can't record. */
	if (state != INSIDE_RECORDING && state != INSIDE_LEFT)
		inside->partial_calls |= !inside->beside_probes;
	inside->own_clock |= atomic_load(&header->own_clock);
	inside->partial_work |= atomic_load(&header->gpu_records_refused) || header->missing_kinds;
	if (process->damaged)
		session_notice(
			inside->session, "warning",
			"Process %d wrote into the memory that it shares with the agent: %llu parts of it could not be read, and calls are missing.",
			process->pid, (unsigned long long)process->damaged);
	inside->partial_calls |= process->damaged > 0;
}

static void describe_state(struct inside_recorder *inside, enum inside_state state)
{
	static const char *const why[INSIDE_STATES] = {
		[INSIDE_NEW] = "it ended while it was being set up",
		[INSIDE_NO_CUPTI] =
			"there is no libcupti for its CUDA: install the package nvidia-cuda-cupti-cu12 (pip), or the one of its CUDA version, beside PyTorch",
		[INSIDE_WRONG_CUPTI] = "its libcupti lacks a function that is needed",
		[INSIDE_TAKEN] = "another profiler is in it: end that, and record again",
		[INSIDE_REFUSED] = "CUPTI refused",
		[INSIDE_NO_THREAD] =
			"no thread could be started in it, or CUPTI names no function that is known",
	};
	char detail[INSIDE_DETAIL_BYTES + 32] = "";

	if (!inside->by_state[state] || !why[state])
		return;
	if (inside->error)
		snprintf(detail, sizeof(detail), " (CUPTI's error %d)", inside->error);
	else if (inside->detail[0])
		snprintf(detail, sizeof(detail), " (%.255s)", inside->detail);
	session_notice(inside->session, "warning",
		       "%u of its processes: %s not recorded from inside, because %s%s.",
		       inside->by_state[state],
		       inside->beside_probes ? "what the GPU did was" : "CUDA calls were",
		       why[state], detail);
}

static void put_columns_beside_probes(struct trace_writer *writer)
{
	trace_put_provenance(writer, "cuda_call", "correlation", "partial", TRACE_NULL,
			     "CUPTI's number of a call that was recorded from inside.");
	trace_put_provenance(
		writer, "cuda_call", "parent_call_id", "partial", TRACE_NULL,
		"From inside, a driver call inside a runtime call is part of it, and not stored.");
}

/* all: since a process has begun. */
static void put_columns(struct trace_writer *writer, bool any, bool all)
{
	static const char *const sums[] = {"off_cpu_ns", "run_queue_ns", "minor_faults",
					   "major_faults"};
	const char *kind = any ? "exact" : "absent";

	for (size_t i = 0; i < sizeof(sums) / sizeof(sums[0]); i++)
		trace_put_provenance(
			writer, "cuda_call", sums[i], kind, TRACE_NULL,
			"The kernel's own sums for the thread, read at entry and return of each call but launches.");
	trace_put_provenance(writer, "cuda_call", "correlation", kind, TRACE_NULL,
			     "CUPTI's number of the call, and of the work it submitted.");
	trace_put_provenance(writer, "cuda_call", "parent_call_id", "absent", TRACE_NULL,
			     "A driver call inside a runtime call is part of it, and not stored.");
	trace_put_provenance(
		writer, "cuda_call", "host_memory",
		!any ? "absent" :
		all  ? "exact" :
		       "partial",
		TRACE_NULL,
		all ? "From the allocations and registrations of each process, all of which were seen." :
		      "From the allocations and registrations since a process came in; of memory from before, the GPU's records of copies alone tell.");
}

static const char *why_none(const struct inside_recorder *inside)
{
	return inside->session->options->inside_waits ?
		       "The line that brings a running process in was not pasted into any." :
		       "The library inside was not called: no process of the job used CUDA, or its driver does not load it.";
}

/* Of calls, what probes have said stays where nothing came from inside. */
static void put_calls(struct inside_recorder *inside, unsigned int recorded)
{
	struct trace_writer *writer = inside->session->writer;
	bool partial = inside->partial_calls ||
		       (inside->beside_probes && inside->session->calls_missed);
	const char *note =
		!recorded ?
			why_none(inside) :
		inside->beside_probes ?
			"Every known CUDA call, each once: from inside the processes (CUPTI's callbacks), and by BPF's probes of those where that was not to be had, and until CUDA was initialised. Launches above a rate are counted in aggregate." :
			"Every known CUDA call, from inside the processes (CUPTI's callbacks). Launches above a rate are counted in aggregate.";

	if (inside->beside_probes && !recorded)
		return;
	trace_put_provenance(writer, "cuda_call", "",
			     !recorded ? "absent" :
			     partial   ? "partial" :
					 "exact",
			     TRACE_NULL, note);
	if (inside->beside_probes)
		put_columns_beside_probes(writer);
	else
		put_columns(writer, recorded, !inside->session->options->inside_waits);
	if (recorded)
		trace_put_provenance(writer, "aggregate", "", "exact", TRACE_NULL,
				     "Launches above a rate, counted for each thread.");
}

static void put_provenance(struct inside_recorder *inside, unsigned int recorded)
{
	struct trace_writer *writer = inside->session->writer;
	bool none = inside->session->options->gpu_records == INSIDE_GPU_NONE;
	bool copies = inside->session->options->gpu_records == INSIDE_GPU_COPIES;
	const char *work = !recorded || none              ? "absent" :
			   inside->partial_work || copies ? "partial" :
							    "exact";

	put_calls(inside, recorded);
	trace_put_provenance(
		writer, "gpu_work", "", work, TRACE_NULL,
		none ? "Not asked for: --gpu-records none." :
		!recorded ?
		       why_none(inside) :
		copies ?
		       "Kernels and graphs were not asked for: --gpu-records copies." :
		inside->own_clock ?
		       "As the GPU ran it (CUPTI's records). Their clock is CUPTI's, brought onto the trace's every second." :
		       "As the GPU ran it (CUPTI's records); CUPTI converts the GPU's clock.");
}

static void put_meta(struct inside_recorder *inside, unsigned int recorded)
{
	char text[160];

	snprintf(text, sizeof(text),
		 "{\"way\":\"%s\",\"processes\":%u,\"cupti_version\":%u,\"other_profiler\":%s}",
		 inside->session->options->inside_waits ? "line" : "injection", recorded,
		 inside->cupti_version,
		 inside->by_state[INSIDE_TAKEN] || inside->by_state[INSIDE_YIELDED] ? "true" :
										      "false");
	trace_put_meta(inside->session->writer, "inside", text);
	trace_put_capability(inside->session->writer, "inside", recorded > 0,
			     recorded ? "CUPTI" : "not called");
}

void inside_describe(struct inside_recorder *inside)
{
	unsigned int recorded = inside->by_state[INSIDE_RECORDING] + inside->by_state[INSIDE_LEFT] +
				inside->by_state[INSIDE_YIELDED];
	unsigned int all = inside->refused_processes;

	for (unsigned int i = 0; i < INSIDE_STATES; i++) {
		all += inside->by_state[i];
		describe_state(inside, i);
	}
	if (inside->refused_processes)
		session_notice(
			inside->session, "warning",
			"%u processes that use CUDA were not recorded from inside: there were more than %d at a time, or no memory for what they do.",
			inside->refused_processes, MOST_PROCESSES);
	inside_note_outsiders(inside, recorded);
	if (!all && !inside->session->options->inside_waits &&
	    inside->session->options->inside_asked)
		session_notice(
			inside->session, "warning",
			"No process of the job has asked for the library inside: it uses no CUDA, or its driver does not load CUDA_INJECTION64_PATH.");
	inside->partial_calls |= (inside->refused_processes && !inside->beside_probes) ||
				 *inside->call_losses;
	inside->partial_work |= inside->refused_processes > 0 || *inside->work_losses;
	put_provenance(inside, recorded);
	put_meta(inside, recorded);
}
