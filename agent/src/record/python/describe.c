// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* What can be trusted of what was read from outside. */
#include <stdio.h>
#include "python.h"

/* Of looks that found frames, one in so many that made no sense is worth a word. */
#define MOST_TORN_SHARE 20

static uint64_t mean_period_ns(const struct python_recorder *recorder)
{
	return recorder->gaps ? recorder->gaps_ns / recorder->gaps : recorder->asked_period_ns;
}

/* No thread of Python's was met at all. */
static void put_absent(const struct python_recorder *recorder)
{
	const char *note =
		recorder->refused ?
			"The memory of the job's processes could not be read from outside: see the notices." :
		recorder->not_known ?
			"The job runs a Python whose frames can't be read from outside: see the notices." :
			"No process of the job was seen to run Python; stacks of other code are not read from outside.";

	trace_put_provenance(recorder->session->writer, "cpu_sample", "", "absent", TRACE_NULL,
			     note);
}

static void put_sampled(const struct python_recorder *recorder)
{
	struct trace_writer *writer = recorder->session->writer;
	uint64_t period_ns = mean_period_ns(recorder);
	uint64_t read = recorder->samples + recorder->waits + recorder->torn;
	char note[512];

	snprintf(
		note, sizeof(note),
		"Without BPF: Python's frames alone, read from outside %.0f times a second and thread on average. A row is a thread that was running or ready to run, and had run since the look before. %llu of %llu stacks that were read had changed meanwhile, and were left out.",
		1e9 / (double)period_ns, (unsigned long long)recorder->torn,
		(unsigned long long)read);
	trace_put_provenance(writer, "cpu_sample", "", "sampled", (int64_t)period_ns, note);
	trace_put_provenance(writer, "cpu_sample", "mode", "absent", TRACE_NULL,
			     "Not told from outside.");
}

static void put_notices(const struct python_recorder *recorder)
{
	uint64_t read = recorder->samples + recorder->waits + recorder->torn;
	char text[256];

	if (recorder->torn * MOST_TORN_SHARE > read) {
		snprintf(
			text, sizeof(text),
			"%llu of %llu Python stacks changed while they were read from outside, and were left out: what runs in short functions may be seen too seldom.",
			(unsigned long long)recorder->torn, (unsigned long long)read);
		trace_put_notice(recorder->session->writer, "warning", text);
	}
	if (recorder->unlisted) {
		snprintf(text, sizeof(text),
			 "Python stacks of at most %d threads at a time are read from outside: "
			 "there were more.",
			 MOST_THREADS);
		trace_put_notice(recorder->session->writer, "warning", text);
	}
}

void python_describe(struct python_recorder *recorder)
{
	if (recorder->samples || recorder->waits || recorder->gaps)
		put_sampled(recorder);
	else
		put_absent(recorder);
	put_notices(recorder);
}
