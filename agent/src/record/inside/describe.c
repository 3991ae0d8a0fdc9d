// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* What was lost, and what is said of it. */
#include <stdio.h>
#include <string.h>
#include "../../../inside/job_cupti.h"
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

/* What to do where a profiler of the job wants CUPTI. */
#define LEAVE_CUPTI                                                                            \
	"Where you want that profiler's result beside this trace, leave CUPTI to it from the " \
	"begin (--no-cupti; stalltrace capture: --gpu-records no-cupti)."

static void keep_detail(struct inside_recorder *inside, const struct inside_header *header,
			uint32_t state)
{
	inside->cupti_version = header->cupti_version;
	if (state == INSIDE_RECORDING || state == INSIDE_LEFT || state == INSIDE_YIELDED)
		return;
	memcpy(inside->detail, header->detail, sizeof(inside->detail) - 1);
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

/*
 * From the moment on at which another profiler began, nothing is known; of calls until probes see them again, or
 * those that libraries import are recorded.
 */
static void note_yielded(struct inside_recorder *inside, const struct inside_process *process,
			 uint64_t end_ns)
{
	struct inside_header *header = process->ring;
	struct trace_writer *writer = inside->session->writer;
	uint64_t from_ns = atomic_load(&header->yielded_ns), calls_ns = end_ns;
	uint64_t imports_ns = atomic_load(&header->imports_ns);
	int64_t start_ns = trace_time(writer, from_ns);
	bool by_imports = imports_ns > from_ns && imports_ns < end_ns;

	if (from_ns >= end_ns)
		return;
	if (process->probed_ns && process->probed_ns < end_ns)
		calls_ns = process->probed_ns;
	if (by_imports)
		calls_ns = imports_ns;
	inside->imports_after_cupti += by_imports;
	trace_put_gap(writer, "cuda_call", start_ns, trace_time(writer, calls_ns) - start_ns, -1);
	trace_put_gap(writer, "gpu_work", start_ns, trace_time(writer, end_ns) - start_ns, -1);
	inside->partial_calls = inside->partial_work = true;
	session_notice(
		inside->session, "warning",
		"Another profiler began in process %d after %.1f s, and CUPTI serves one at a time: what its GPU does from then on is not recorded%s. %s",
		process->pid, (double)start_ns / 1e9,
		inside->beside_probes ? "" :
		by_imports ? ", and of its CUDA calls those alone that a library imports" :
			     ", nor are its CUDA calls",
		LEAVE_CUPTI);
}

static void note_imports(struct inside_recorder *inside, const struct inside_process *process,
			 uint64_t end_ns)
{
	struct inside_header *header = process->ring;
	struct trace_writer *writer = inside->session->writer;
	uint64_t until_ns = atomic_load(&header->yielded_ns);
	uint64_t from_ns = atomic_load(&header->recording_ns);
	uint32_t why = atomic_load(&header->without_cupti);

	inside->without_cupti[why < INSIDE_STATES ? why : INSIDE_NEW]++;
	inside->without_imports += !atomic_load(&header->places);
	inside->partial_calls = true;
	/* Of one that comes in once more, with CUPTI, there is work of the GPU from then on alone. */
	if (!until_ns || until_ns >= end_ns)
		return;
	trace_put_gap(writer, "cuda_call", trace_time(writer, until_ns),
		      trace_time(writer, end_ns) - trace_time(writer, until_ns), -1);
	trace_put_gap(writer, "gpu_work", trace_time(writer, from_ns),
		      trace_time(writer, end_ns) - trace_time(writer, from_ns), -1);
}

/* CUPTI stays in a job that goes on, where it can't be taken out without harm (pytorch issue 146604). */
static void note_slower(struct inside_recorder *inside, const struct inside_process *process)
{
	const struct inside_header *header = process->ring;
	uint32_t version = header->cupti_version;

	if (!process->goes_on || !version || version >= INSIDE_FINALIZE_FROM)
		return;
	session_notice(
		inside->session, "info",
		"Process %d goes on, with a CUPTI older than 12.6, which can't be taken out of it whole: until it ends its CUDA calls may take longer than before the capture (10 to 20 %% were reported). Start it again where that matters.",
		process->pid);
}

void inside_note_end(struct inside_recorder *inside, struct inside_process *process,
		     uint64_t end_ns)
{
	struct inside_header *header = process->ring;
	uint32_t state = atomic_load(&header->state);

	if (state >= INSIDE_STATES)
		state = INSIDE_NEW;
	inside->by_state[state]++;
	inside->unreadable += process->unreadable;
	keep_detail(inside, header, state);
	inside_keep_refusals(inside, process, state);
	if (state == INSIDE_BY_IMPORTS)
		note_imports(inside, process, end_ns);
	if (state == INSIDE_YIELDED)
		note_yielded(inside, process, end_ns);
	if (state == INSIDE_RECORDING || state == INSIDE_LEFT) {
		note_unflushed(inside, process, end_ns);
		note_slower(inside, process);
	} else
		inside->partial_work = true;
	/* Probes see the calls of a process that the library can't record. */
	if (state != INSIDE_RECORDING && state != INSIDE_LEFT)
		inside->partial_calls |= !inside->beside_probes;
	inside->own_clock |= atomic_load(&header->own_clock);
	if (process->damaged)
		session_notice(
			inside->session, "warning",
			"Process %d wrote into the memory that it shares with the agent: %llu parts of it could not be read, and calls are missing.",
			process->pid, (unsigned long long)process->damaged);
	inside->partial_calls |= process->damaged > 0;
}

/* What pip installs, by the CUDA runtime that was mapped. */
static const char *package_for(const char *runtime)
{
	switch (cuda_major(runtime)) {
	case 11:
		return CUPTI_PACKAGE_11 " (pip)";
	case 12:
		return CUPTI_PACKAGE_12 " (pip)";
	case 13:
		return CUPTI_PACKAGE_13 " (pip)";
	default:
		return CUPTI_PACKAGE_12 " (pip), or the one of its CUDA version,";
	}
}

/* "another profiler holds CUPTI …", without a full stop; false where there is nothing to say. */
static bool say_because(const struct inside_recorder *inside, enum inside_state state, char *out,
			size_t size)
{
	static const char *const why[INSIDE_STATES] = {
		[INSIDE_NEW] = "it ended while it was being set up",
		[INSIDE_WRONG_CUPTI] = "its libcupti lacks a function that is needed",
		[INSIDE_TAKEN] = "another profiler is in it, and CUPTI serves one at a time",
		[INSIDE_NO_THREAD] =
			"no thread could be started in it, or CUPTI names no function that is known",
		[INSIDE_UNASKED] = "CUPTI was not to be used (--no-cupti)",
	};
	const struct inside_refusals *refused = &inside->refusals[INSIDE_SUBSCRIBE];
	const char *text = why[state];
	char no_cupti[192];

	if ((state == INSIDE_REFUSED || state == INSIDE_TAKEN) && refused->processes) {
		inside_say_why(refused->error, refused->text, out, size);
		return true;
	}
	if (state == INSIDE_NO_CUPTI) {
		snprintf(no_cupti, sizeof(no_cupti),
			 "there is no libcupti for its CUDA: install the package %s beside PyTorch",
			 package_for(inside->detail));
		text = no_cupti;
	}
	if (text)
		snprintf(out, size, inside->detail[0] ? "%s (%.255s)" : "%s", text, inside->detail);
	return text;
}

/* Of processes that were not recorded, or by their imports alone. */
static void describe_state(struct inside_recorder *inside, enum inside_state state)
{
	bool held = state == INSIDE_TAKEN && inside->refusals[INSIDE_SUBSCRIBE].processes;
	const char *holder = held ? " " CUPTI_HELD_BY_PYTORCH : "";
	char because[512];

	if (!say_because(inside, state, because, sizeof(because)))
		return;
	if (inside->by_state[state])
		session_notice(inside->session, "warning",
			       "%u of its processes: %s not recorded from inside, because %s.%s",
			       inside->by_state[state],
			       inside->beside_probes ? "what the GPU did was" : "CUDA calls were",
			       because, holder);
	if (inside->without_cupti[state])
		session_notice(
			inside->session, "warning",
			"%u of its processes: what the GPU did was not recorded, because %s.%s Of their CUDA calls those are there that a library imports; not those of a CUDA runtime that is linked statically, or of functions that are asked for by name.",
			inside->without_cupti[state], because, holder);
}

/* Work of launches that were only counted has none to name, nor has that of calls that were lost. */
static void describe_work_without_call(struct inside_recorder *inside)
{
	uint64_t explained = inside->counted_launches + *inside->call_losses;

	if (inside->work_without_call <= explained)
		return;
	session_notice(
		inside->session, "warning",
		"%llu of %llu pieces of the GPU's work name no call: which call asked for them is not known.",
		(unsigned long long)(inside->work_without_call - explained),
		(unsigned long long)inside->work);
}

bool inside_anyone_came(const struct inside_recorder *inside)
{
	for (unsigned int i = 0; i < INSIDE_STATES; i++)
		if (inside->by_state[i])
			return true;
	return false;
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
	inside_describe_refusals(inside);
	describe_work_without_call(inside);
	if (inside->without_imports)
		session_notice(
			inside->session, "warning",
			"%u of its processes: no library imports CUDA's functions, so none of their CUDA calls was recorded. CUPTI or BPF would show them.",
			inside->without_imports);
	if (inside->refused_processes)
		session_notice(
			inside->session, "warning",
			"%u processes that use CUDA were not recorded from inside: there were more than %d at a time, or no memory for what they do.",
			inside->refused_processes, MOST_PROCESSES);
	inside_note_outsiders(inside, recorded + inside->by_state[INSIDE_BY_IMPORTS]);
	if (!all && !inside->session->options->inside_waits &&
	    inside->session->options->inside_asked)
		session_notice(
			inside->session, "warning",
			"No process of the job has asked for the library inside: it uses no CUDA, or its driver does not load CUDA_INJECTION64_PATH.");
	inside->partial_calls |= (inside->refused_processes && !inside->beside_probes) ||
				 *inside->call_losses;
	inside->partial_work |= inside->refused_processes > 0 || *inside->work_losses ||
				inside_any_refused(inside);
	inside_put_provenance(inside, recorded);
}
