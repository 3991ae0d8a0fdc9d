// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* What can be trusted of what was recorded from inside. */
#include <stdio.h>
#include "inside.h"

static void put_columns_beside_probes(struct trace_writer *writer)
{
	trace_put_provenance(writer, "cuda_call", "correlation", "partial", TRACE_NULL,
			     "CUPTI's number of a call that was recorded from inside.");
	trace_put_provenance(
		writer, "cuda_call", "parent_call_id", "partial", TRACE_NULL,
		"From inside, a driver call inside a runtime call is part of it, and not stored.");
}

/* Calls of some processes, or of some time, were seen through imports alone. */
static bool has_imports(const struct inside_recorder *inside)
{
	return inside->by_state[INSIDE_BY_IMPORTS] || inside->imports_after_cupti;
}

static void put_host_memory(const struct inside_recorder *inside, unsigned int cupti)
{
	bool imports = has_imports(inside);
	bool late = inside->session->options->inside_waits;

	trace_put_provenance(
		inside->session->writer, "cuda_call", "host_memory",
		!cupti && !imports ? "absent" :
		imports            ? "inferred" :
		late               ? "partial" :
				     "exact",
		TRACE_NULL,
		imports && late ?
			"From the allocations and registrations since a process came in that were seen; of other memory nothing is told, but by the GPU's records of copies." :
		imports ?
			"From the allocations and registrations of each process that were seen: what others have pinned is told as pageable." :
		late ? "From the allocations and registrations since a process came in; of memory from before, the GPU's records of copies alone tell." :
		       "From the allocations and registrations of each process, all of which were seen.");
}

static const char *kind_of(bool any, uint64_t calls, uint64_t without)
{
	return !any || (calls && without == calls) ? "absent" : without ? "partial" : "exact";
}

#define SUMS \
	"The kernel's own sums for the thread, read at entry and return of each call but launches."

/* Of calls that the kernel did not count for, nothing is claimed. */
static void put_sums(const struct inside_recorder *inside, bool any)
{
	static const char *const sums[] = {"off_cpu_ns", "minor_faults", "major_faults"};
	struct trace_writer *writer = inside->session->writer;
	uint64_t calls = inside->accounts.calls, without = inside->accounts.without_sums;
	uint64_t unqueued = inside->accounts.without_queue;

	for (size_t i = 0; i < sizeof(sums) / sizeof(sums[0]); i++)
		trace_put_provenance(
			writer, "cuda_call", sums[i], kind_of(any, calls, without), TRACE_NULL,
			without ? SUMS
				" Not of those where the kernel, or a filter of system calls, refused getrusage." :
				  SUMS);
	trace_put_provenance(
		writer, "cuda_call", "run_queue_ns", kind_of(any, calls, unqueued), TRACE_NULL,
		unqueued > without ? SUMS
			" Not of those that left the CPU where /proc/thread-self/schedstat can't be read, or does not count: how much of their time was spent waiting for a CPU is not known." :
		without ? SUMS
			" Not of those where the kernel, or a filter of system calls, refused getrusage." :
			  SUMS);
	if (any)
		trace_put_capability(
			writer, "schedstat", unqueued == without,
			unqueued == without ?
				"how long calls waited for a CPU" :
				"/proc/thread-self/schedstat can't be read in the job, or does not count");
}

static void put_columns(const struct inside_recorder *inside, unsigned int cupti)
{
	struct trace_writer *writer = inside->session->writer;
	bool imports = has_imports(inside);

	put_sums(inside, cupti || imports);
	trace_put_provenance(writer, "cuda_call", "correlation",
			     !cupti  ? "absent" :
			     imports ? "partial" :
				       "exact",
			     TRACE_NULL,
			     "CUPTI's number of the call, and of the work it submitted.");
	trace_put_provenance(writer, "cuda_call", "parent_call_id", "absent", TRACE_NULL,
			     "A driver call inside a runtime call is part of it, and not stored.");
	put_host_memory(inside, cupti);
}

static const char *why_none(const struct inside_recorder *inside)
{
	if (inside_anyone_came(inside))
		return "No process that has loaded the library inside could be recorded: why is in the notices.";
	return inside->session->options->inside_waits ?
		       "The line that brings a running process in was not pasted into any." :
		       "The library inside was not called: no process of the job used CUDA, or its driver does not load it.";
}

static const char *note_of_calls(const struct inside_recorder *inside, unsigned int recorded)
{
	if (!recorded)
		return why_none(inside);
	if (has_imports(inside))
		return "From inside the processes; of those without CUPTI, or after another profiler took it, the calls that a library imports, from the end of CUDA's initialisation on, not those of a CUDA runtime that is linked statically, or of functions that are asked for by name. Launches above a rate are counted in aggregate.";
	if (inside->beside_probes && inside->session->launches_missed)
		return "Every known CUDA call, each once, from inside or by BPF's probes, but for launches of processes not recorded from inside, between the windows in which these were probed: see gap. A launch that reaches into such a gap is missing too. Launches above a rate are counted in aggregate.";
	if (inside->beside_probes)
		return "Every known CUDA call, each once: from inside the processes (CUPTI's callbacks), and by BPF's probes of those where that was not to be had, and until CUDA was initialised. Launches above a rate are counted in aggregate; they are not probed while all processes that use CUDA are recorded from inside.";
	return "Every known CUDA call, from inside the processes (CUPTI's callbacks). Launches above a rate are counted in aggregate.";
}

/* Of calls, what probes have said stays where nothing came from inside. */
static void put_calls(const struct inside_recorder *inside, unsigned int cupti)
{
	struct trace_writer *writer = inside->session->writer;
	unsigned int recorded = cupti + inside->by_state[INSIDE_BY_IMPORTS];
	bool partial = inside->partial_calls ||
		       (inside->beside_probes && inside->session->calls_missed);

	if (inside->beside_probes && !recorded)
		return;
	trace_put_provenance(writer, "cuda_call", "",
			     !recorded ? "absent" :
			     partial   ? "partial" :
					 "exact",
			     TRACE_NULL, note_of_calls(inside, recorded));
	if (inside->beside_probes) {
		put_columns_beside_probes(writer);
		/* Else what BPF's probes have said holds for both. */
		if (inside->accounts.without_queue)
			put_sums(inside, true);
	} else
		put_columns(inside, cupti);
	if (recorded && !inside->session->launches_missed)
		trace_put_provenance(writer, "aggregate", "", "exact", TRACE_NULL,
				     "Launches above a rate, counted for each thread.");
}

static const char *note_of_work(const struct inside_recorder *inside, unsigned int recorded)
{
	unsigned int asked = inside->session->options->gpu_records;

	if (asked == INSIDE_GPU_NONE)
		return "Not asked for: --gpu-records none.";
	if (!recorded)
		return inside->by_state[INSIDE_BY_IMPORTS] ?
			       "Only CUPTI tells that: why it was not to be had is in the notices." :
			       why_none(inside);
	if (inside->without_work >= recorded)
		return "CUPTI refused its records of the GPU's work: why is in the notices.";
	if (asked == INSIDE_GPU_COPIES)
		return "Kernels and graphs were not asked for: --gpu-records copies.";
	if (inside_any_refused(inside))
		return "As the GPU ran it (CUPTI's records), but for what CUPTI refused: what, and why, is in the notices.";
	return inside->own_clock ?
		       "As the GPU ran it (CUPTI's records). Their clock is CUPTI's, brought onto the trace's every second." :
		       "As the GPU ran it (CUPTI's records); CUPTI converts the GPU's clock.";
}

/* Whether any came is known at the end, for the source as for the way to record. */
static void put_work(const struct inside_recorder *inside, unsigned int recorded)
{
	struct trace_writer *writer = inside->session->writer;
	unsigned int asked = inside->session->options->gpu_records;
	bool absent = asked == INSIDE_GPU_NONE || inside->without_work >= recorded;
	bool partial = asked == INSIDE_GPU_COPIES || inside->partial_work;
	const char *note = note_of_work(inside, recorded);

	trace_put_provenance(writer, "gpu_work", "",
			     absent  ? "absent" :
			     partial ? "partial" :
				       "exact",
			     TRACE_NULL, note);
	trace_put_capability(writer, event_sources[SOURCE_GPU_WORK]->probe.name, !absent, note);
}

/* What CUPTI told of the GPU's work is said with `gpu_work`; here only that it told any. */
static const char *what_cupti_tells(const struct inside_recorder *inside, unsigned int recorded)
{
	unsigned int asked = inside->session->options->gpu_records;

	if (asked == INSIDE_GPU_NONE || inside->without_work >= recorded)
		return "CUPTI tells each CUDA call.";
	if (asked == INSIDE_GPU_COPIES)
		return "CUPTI tells each CUDA call, and the copies of the GPU.";
	return "CUPTI tells each CUDA call, and what the GPU did.";
}

static void put_meta(const struct inside_recorder *inside, unsigned int recorded)
{
	unsigned int imports = inside->by_state[INSIDE_BY_IMPORTS] + inside->imports_after_cupti;
	char text[192];

	snprintf(
		text, sizeof(text),
		"{\"way\":\"%s\",\"processes\":%u,\"by_imports\":%u,\"cupti_version\":%u,\"other_profiler\":%s}",
		inside->session->options->inside_waits ? "line" : "injection", recorded, imports,
		inside->cupti_version,
		inside->by_state[INSIDE_TAKEN] || inside->without_cupti[INSIDE_TAKEN] ||
				inside->by_state[INSIDE_YIELDED] ?
			"true" :
			"false");
	trace_put_meta(inside->session->writer, "inside", text);
	trace_put_capability(
		inside->session->writer, tiers[TIER_INSIDE].id, recorded > 0,
		recorded ?
			what_cupti_tells(inside, recorded) :
		imports ?
			"Without CUPTI: calls that libraries of the job import, and nothing of the GPU." :
			"No process of the job called it.");
	inside_put_capabilities(inside, recorded);
	if (imports)
		trace_put_capability(inside->session->writer, tiers[TIER_IMPORTS].id, true,
				     tiers[TIER_IMPORTS].sees[0].text);
}

/* The library reads its own process, but where Python keeps its frames is proved from outside, and names are read there. */
static void put_stacks(const struct inside_recorder *inside)
{
	char note[512];

	if (!inside->unreadable)
		return;
	snprintf(note, sizeof(note), "%u of its processes: without Python's frames. %s",
		 inside->unreadable, inside->why_unreadable);
	trace_put_provenance(inside->session->writer, "cuda_call", "stack_id", "partial",
			     TRACE_NULL, note);
}

void inside_put_provenance(const struct inside_recorder *inside, unsigned int recorded)
{
	put_calls(inside, recorded);
	put_stacks(inside);
	put_work(inside, recorded);
	put_meta(inside, recorded);
}
