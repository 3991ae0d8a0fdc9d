// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Records Python's stacks from outside, where no timer of the kernel's may sample them. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "../../probe/kernel/kernel_support.h"
#include "python.h"

#define MOST_LOOKS_PER_SECOND 20
#define WAIT_MS 10
#define FIND_NS (50 * NS_PER_MS)
/* Looks may take this part of a CPU; else they become fewer. */
#define CPU_SHARE 50
#define COST_NS (500 * NS_PER_MS)

/* A job that runs already is not our child: 0 where one of its processes lets us in. */
static int may_read_any(const struct record_options *options, char *why, size_t why_size)
{
	char reason[320];
	int err = 0;

	for (unsigned int i = 0; i < options->pid_count; i++) {
		err = memory_may_read(options->pids[i], reason, sizeof(reason));
		if (!err || err == -ESRCH)
			return 0;
	}
	if (err)
		snprintf(why, why_size, "%s", reason);
	return err;
}

static int may_record(struct session *session, char *why, size_t why_size)
{
	const struct record_options *options = session->options;
	int err = -ENOTSUP;

	if (!options->samples_per_second)
		snprintf(why, why_size, "Not asked for: --samples 0.");
	else if (!(session->recorded & SOURCE_BIT(SOURCE_PROCESSES)))
		snprintf(why, why_size, "Threads are not followed.");
	else if (pretends_missing(options->pretend_missing, tiers[TIER_PYTHON].id))
		snprintf(why, why_size, "Taken away for a test.");
	else
		err = memory_try_out(why, why_size);
	return err ? err : may_read_any(options, why, why_size);
}

static int python_open(struct session *session, void **out, char *why, size_t why_size)
{
	const unsigned int hz = session->options->samples_per_second;
	struct source_status *status = &session->status[SOURCE_SAMPLES];
	struct python_recorder *recorder;
	int err = may_record(session, why, why_size);

	if (err < 0)
		return err;
	recorder = calloc(1, sizeof(*recorder));
	if (!recorder)
		return -ENOMEM;
	recorder->session = session;
	recorder->random = 0x9e3779b9;
	recorder->asked_period_ns =
		NS_PER_SECOND / (hz < MOST_LOOKS_PER_SECOND ? hz : MOST_LOOKS_PER_SECOND);
	recorder->period_ns = recorder->asked_period_ns;
	recorder->no_schedstat = !proc_has_schedstat();
	status->available = true;
	snprintf(status->detail, sizeof(status->detail), "Python's frames, read from outside");
	snprintf(session->tiers[TIER_PYTHON].detail, sizeof(session->tiers[TIER_PYTHON].detail),
		 "%.319s", why);
	*out = recorder;
	return 0;
}

static int python_begin(void *state)
{
	struct python_recorder *recorder = state;

	recorder->begin_ns = recorder->looks_ns = recorder->session->begin_ns;
	return 0;
}

/* Whoever follows threads adds it, with its descendants. */
static void python_add_target(void *state, pid_t pid)
{
}

static void drop_ended(struct python_recorder *recorder)
{
	size_t kept = 0;

	for (size_t i = 0; i < recorder->process_count; i++) {
		struct looked_process *process = recorder->processes[i];

		if (!process->row->ended) {
			recorder->processes[kept++] = process;
			continue;
		}
		python_drop_process(recorder, process);
		free(process);
	}
	recorder->process_count = kept;
}

/* So that looks take a fiftieth of a CPU at the most, however many threads there are. */
static void adapt_period(struct python_recorder *recorder)
{
	uint64_t now_ns = recorder->session->now_ns, length_ns = now_ns - recorder->looks_ns;
	uint64_t most_ns = length_ns / CPU_SHARE;

	if (length_ns < COST_NS)
		return;
	recorder->period_ns = recorder->period_ns * (recorder->look_cpu_ns + 1) / (most_ns + 1);
	if (recorder->period_ns < recorder->asked_period_ns)
		recorder->period_ns = recorder->asked_period_ns;
	recorder->look_cpu_ns = 0;
	recorder->looks_ns = now_ns;
}

static void python_consume(void *state)
{
	struct python_recorder *recorder = state;
	struct session *session = recorder->session;
	uint64_t begin_cpu_ns;

	if (session->now_ns < recorder->next_round_ns)
		return;
	recorder->next_round_ns = session->now_ns + WAIT_MS * NS_PER_MS - NS_PER_MS;
	if (session->now_ns >= recorder->next_find_ns) {
		drop_ended(recorder);
		python_find_processes(recorder);
		recorder->next_find_ns = session->now_ns + FIND_NS;
	}
	for (size_t i = 0; i < recorder->process_count; i++)
		python_attach_process(recorder, recorder->processes[i]);
	begin_cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	for (size_t i = 0; i < recorder->process_count; i++) {
		python_list_threads(recorder, recorder->processes[i]);
		python_look_at_threads(recorder, recorder->processes[i]);
	}
	recorder->look_cpu_ns += clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin_cpu_ns;
	adapt_period(recorder);
}

static void python_finish(void *state, uint64_t end_ns)
{
	python_describe(state);
}

static void python_close(void *state)
{
	struct python_recorder *recorder = state;

	for (size_t i = 0; i < recorder->process_count; i++) {
		python_drop_process(recorder, recorder->processes[i]);
		free(recorder->processes[i]);
	}
	free(recorder->processes);
	free(recorder);
}

const struct recorder python_recorder = {
	.tier = TIER_PYTHON,
	.sources = SOURCE_BIT(SOURCE_SAMPLES),
	.wait_ms = WAIT_MS,
	.try_out = memory_try_out,
	.open = python_open,
	.begin = python_begin,
	.add_target = python_add_target,
	.consume = python_consume,
	.finish = python_finish,
	.close = python_close,
};
