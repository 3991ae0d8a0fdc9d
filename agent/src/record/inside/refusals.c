// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* What CUPTI refused in the processes that were recorded, and why: told in the words of who can change it. */
#include <stdio.h>
#include <string.h>
#include "inside.h"

/* Of CUPTI's results; those below 0 are the library's own. */
static const char *words_of(int32_t error)
{
	switch (error) {
	case INSIDE_TOO_SHORT:
		return "this CUPTI's records of it are of another form than is known";
	case INSIDE_NO_MEMORY:
		return "there was no memory for them";
	case 8:
		return "CUPTI had no memory for them";
	case 15:
		return "CUPTI can't reach the driver: the process is shown no GPU, or CUPTI is of another CUDA version than the driver allows";
	case 21:
	case 27:
		return "this CUPTI can't record it on this GPU";
	case 33:
		return "this virtual GPU allows no tracing";
	case 35:
	case 40:
		return "this user is not allowed to trace the GPU: its driver keeps that to administrators (RmProfilingAdminOnly), which its owner can change";
	case 39:
		return "another profiler holds CUPTI, which serves one at a time";
	case 41:
		return "a GPU in confidential mode allows no tracing";
	case 999:
		return "CUPTI failed without saying why: often the driver and CUPTI are of CUDA versions that don't fit";
	default:
		return "CUPTI refused";
	}
}

void inside_say_why(int32_t error, const char *text, char *out, size_t size)
{
	if (error > 0)
		snprintf(out, size, "%s (CUPTI's error %d%s%.*s)", words_of(error), error,
			 text[0] ? ", " : "", INSIDE_REFUSAL_BYTES, text);
	else
		snprintf(out, size, "%s", words_of(error));
}

/* The job's to write: a text ends where it must. */
static void keep(struct inside_refusals *kept, const struct inside_refusal *from)
{
	int32_t error = *(volatile const __s32 *)&from->error;

	if (!error)
		return;
	kept->processes++;
	kept->error = error;
	memcpy(kept->text, from->text, sizeof(from->text));
	kept->text[sizeof(from->text)] = '\0';
}

static bool is_asked_for(const struct inside_recorder *inside, unsigned int what)
{
	enum inside_gpu_records records = inside->session->options->gpu_records;

	return records == INSIDE_GPU_ALL ||
	       (records == INSIDE_GPU_COPIES && what != INSIDE_KERNELS && what != INSIDE_GRAPHS);
}

static bool has_cupti(enum inside_state state)
{
	return state == INSIDE_RECORDING || state == INSIDE_LEFT || state == INSIDE_YIELDED;
}

void inside_keep_refusals(struct inside_recorder *inside, const struct inside_process *process,
			  enum inside_state state)
{
	const struct inside_header *header = process->ring;
	bool all = true;

	for (unsigned int i = 0; i < INSIDE_REFUSALS; i++) {
		keep(&inside->refusals[i], &header->refusals[i]);
		if (i >= INSIDE_KERNELS && is_asked_for(inside, i))
			all &= header->refusals[i].error != 0;
	}
	if (has_cupti(state))
		inside->without_work += all || header->refusals[INSIDE_BUFFERS].error;
}

static const char *const names[INSIDE_REFUSALS] = {
	[INSIDE_BUFFERS] = "what the GPU did",        [INSIDE_KERNELS] = "the GPU's kernels",
	[INSIDE_GRAPHS] = "CUDA graphs on the GPU",   [INSIDE_FILLS] = "the GPU's fills",
	[INSIDE_PEER_COPIES] = "copies between GPUs", [INSIDE_COPIES] = "the GPU's copies",
};

/* Whether a kind before it was refused in as many processes for the same reason. */
static bool is_as_before(const struct inside_recorder *inside, unsigned int what)
{
	for (unsigned int i = INSIDE_KERNELS; i < what; i++)
		if (inside->refusals[i].error == inside->refusals[what].error &&
		    inside->refusals[i].processes == inside->refusals[what].processes)
			return true;
	return false;
}

/* "the GPU's kernels, the GPU's fills": all that were refused alike. */
static void name_alike(const struct inside_recorder *inside, unsigned int what, char *out,
		       size_t size)
{
	out[0] = '\0';
	for (unsigned int i = what; i < INSIDE_REFUSALS; i++)
		if (inside->refusals[i].error == inside->refusals[what].error &&
		    inside->refusals[i].processes == inside->refusals[what].processes)
			snprintf(out + strlen(out), size - strlen(out), "%s%s", out[0] ? ", " : "",
				 names[i]);
}

void inside_describe_refusals(const struct inside_recorder *inside)
{
	char which[192], why[512];

	for (unsigned int i = INSIDE_BUFFERS; i < INSIDE_REFUSALS; i++) {
		const struct inside_refusals *refused = &inside->refusals[i];

		if (!refused->processes || is_as_before(inside, i))
			continue;
		name_alike(inside, i, which, sizeof(which));
		inside_say_why(refused->error, refused->text, why, sizeof(why));
		session_notice(inside->session, "warning",
			       "%u of its processes: not recorded: %s, because %s.",
			       refused->processes, which, why);
	}
}

bool inside_any_refused(const struct inside_recorder *inside)
{
	for (unsigned int i = INSIDE_BUFFERS; i < INSIDE_REFUSALS; i++)
		if (inside->refusals[i].processes)
			return true;
	return false;
}

static void put(const struct inside_recorder *inside, const char *name, bool available,
		const char *detail)
{
	trace_put_capability(inside->session->writer, name, available, detail);
}

void inside_put_capabilities(const struct inside_recorder *inside, unsigned int recorded)
{
	const struct inside_refusals *first = &inside->refusals[INSIDE_SUBSCRIBE];
	char why[512] = "No process had a CUPTI that could be used.";

	if (!inside_anyone_came(inside))
		return;
	if (!recorded && first->processes)
		inside_say_why(first->error, first->text, why, sizeof(why));
	put(inside, "cupti_subscribe", recorded > 0, recorded ? "CUPTI tells of each call." : why);
	for (unsigned int i = INSIDE_BUFFERS; i < INSIDE_REFUSALS && !first->processes; i++)
		if (inside->refusals[i].processes)
			first = &inside->refusals[i];
	if (!first->processes || recorded > inside->without_work)
		put(inside, "cupti_activity", recorded > 0,
		    !recorded                  ? why :
		    inside_any_refused(inside) ? "Not all kinds of work: see the notices." :
						 "CUPTI tells of the GPU's work.");
	else {
		inside_say_why(first->error, first->text, why, sizeof(why));
		put(inside, "cupti_activity", false, why);
	}
}
