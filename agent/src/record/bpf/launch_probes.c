// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * While every process of the job that uses CUDA is recorded from inside, probes of launches tell nothing, and cost each
 * launch a microsecond: they are taken away. They come back before another process can launch: with each exec, each
 * CUDA library that is mapped, each process that is not recorded from inside any more. Where one has mapped it first all the same, the time until then is a gap.
 */
#include "../../host/proc.h"
#include "bpf.h"

/* A launch that initialises CUDA, and with which its process came in, has returned by then. */
#define SETTLED_NS (5 * NS_PER_SECOND)
#define FIRST_PAUSE_NS (1 * NS_PER_SECOND)
#define LONGEST_PAUSE_NS (64 * NS_PER_SECOND)

static unsigned int place_of(const struct launch_probes *launches, pid_t pid)
{
	unsigned int i = 0;

	while (i < launches->left_count && launches->left[i].pid != pid)
		i++;
	return i;
}

static uint64_t left_since(const struct launch_probes *launches, pid_t pid)
{
	unsigned int i = place_of(launches, pid);

	return i < launches->left_count ? launches->left[i].since_ns : 0;
}

bool bpf_calls_left(const struct bpf_recorder *bpf, pid_t pid)
{
	const struct launch_probes *launches = &bpf->launches;

	return launches->left_count == MOST_LEFT || left_since(launches, pid);
}

/* Recorded from inside, or forked from such a one since, where CUDA does not work. */
static bool can_launch_unseen(const struct launch_probes *launches, const struct process *process)
{
	uint64_t begin_ns = UINT64_MAX;

	for (; process; process = process->parent) {
		uint64_t since_ns = left_since(launches, process->pid);

		if (since_ns && since_ns < begin_ns && since_ns > process->exec_ns)
			return false;
		if (!process->forked)
			return true;
		begin_ns = process->start_ns;
	}
	return true;
}

static void ignore_library(void *context, const struct cuda_library *library)
{
}

struct search {
	struct bpf_recorder *bpf;
	bool found;
};

static bool uses_cuda_unseen(const struct bpf_recorder *bpf, const struct process *process)
{
	return process->target && !process->ended && can_launch_unseen(&bpf->launches, process) &&
	       libraries_of_process(process->pid, ignore_library, NULL) > 0;
}

static void look_for_unseen(void *context, struct process *process)
{
	struct search *search = context;

	search->found = search->found || uses_cuda_unseen(search->bpf, process);
}

void bpf_probe_launches_again(struct bpf_recorder *bpf)
{
	struct launch_probes *launches = &bpf->launches;

	launches->pause_ns = FIRST_PAUSE_NS;
	launches->next_look_ns = clock_ns(CLOCK_MONOTONIC) + SETTLED_NS;
	if (!launches->are_away)
		return;
	if (uprobes_leave_launches(bpf->uprobes, false) < 0) {
		session_notice(
			bpf->session, "warning",
			"Launches are not probed any more: the kernel refused it. Those of processes that are not recorded from inside are missing.");
		bpf->session->calls_missed = true;
	}
	launches->are_away = false;
	launches->back_ns = clock_ns(CLOCK_MONOTONIC);
}

void bpf_note_mapped(struct bpf_recorder *bpf, pid_t pid, uint64_t mapped_ns)
{
	const struct launch_probes *launches = &bpf->launches;
	uint64_t since_ns = left_since(launches, pid);

	if (mapped_ns < launches->away_ns || mapped_ns >= launches->back_ns ||
	    (since_ns && since_ns < mapped_ns))
		return;
	bpf_note_unprobed(bpf, pid, mapped_ns);
	session_notice(
		bpf->session, "warning",
		"Launches were probed %.0f ms after process %d mapped CUDA: those of that time are missing.",
		(double)(launches->back_ns - mapped_ns) / 1e6, pid);
}

void bpf_leave_launches(struct bpf_recorder *bpf, pid_t pid, bool left)
{
	struct launch_probes *launches = &bpf->launches;
	unsigned int place = place_of(launches, pid);

	if (place < launches->left_count)
		launches->left[place] = launches->left[--launches->left_count];
	if (left && launches->left_count < MOST_LEFT) {
		launches->left[launches->left_count].pid = pid;
		launches->left[launches->left_count++].since_ns = clock_ns(CLOCK_MONOTONIC);
	}
	bpf_probe_launches_again(bpf);
}

/* Who maps CUDA from now on is told of by the kernel, with the time. */
void bpf_consider_launches(struct bpf_recorder *bpf)
{
	struct launch_probes *launches = &bpf->launches;
	struct search search = {.bpf = bpf};
	uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);

	if (launches->are_away || !bpf->watch || !launches->left_count ||
	    now_ns < launches->next_look_ns || bpf->session->options->target == TARGET_ALL ||
	    !uprobes_can_leave_launches(bpf->uprobes))
		return;
	/* Whoever maps CUDA after this look is not in it. */
	launches->away_ns = now_ns;
	tasks_each_living(bpf->session->tasks, look_for_unseen, &search);
	if (search.found) {
		launches->next_look_ns = now_ns + launches->pause_ns;
		if (launches->pause_ns < LONGEST_PAUSE_NS)
			launches->pause_ns *= 2;
		return;
	}
	bpf_end_windows(bpf, now_ns);
	launches->are_away = true;
	uprobes_leave_launches(bpf->uprobes, true);
}
