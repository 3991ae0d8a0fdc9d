// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "tiers.h"

const struct tier tiers[TIER_COUNT] = {
	[TIER_BPF] =
		{
			.id = "bpf",
			.label = "Kernel events, by BPF",
			.sees =
				{
					{"Each wait of each thread: why, for how long, and who woke it or ran in its place",
					 0},
					{"CUDA calls of jobs that run already too: duration, bytes, caller and stack of each",
					 0},
					{"What code runs: samples of native and Python stacks", 0},
					{"In which line main threads, and threads that make CUDA calls, waited for 5 ms or more",
					 0},
					{"Disk requests, memory reclaim, out-of-memory kills", 0},
				},
			.misses =
				{
					{"CUDA calls: none of them, their durations or bytes",
					 TIER_BIT(TIER_INSIDE)},
					{"Who woke a thread, and who ran in its place: no cause can be claimed",
					 0},
					{"What native code runs: no samples of its stacks", 0},
					{"Disk requests, memory reclaim, out-of-memory kills", 0},
				},
			.instead =
				"A command that is launched, or a process that a line is pasted into, is recorded from inside; /proc says what threads wait in.",
			.brings =
				"Root's rights on a kernel that allows BPF; a container seldom does, a VM does.",
		},
	[TIER_INSIDE] =
		{
			.id = "inside",
			.label = "From inside the job",
			.sees =
				{
					{"Each CUDA call of a command that is launched here, or of a process that a line is pasted into: duration, bytes, stack, and how long it waited for a CPU",
					 0},
					{"What the GPU did: each kernel, copy and fill, and the call that asked for it",
					 0},
				},
			.misses =
				{
					{"What the GPU did: kernels, copies and fills", 0},
				},
			.instead =
				"Where BPF is allowed its probes see the calls, and not the GPU.",
			.brings =
				"Launch the job with the capture, or paste the capture's line into it. It needs CUPTI, which PyTorch brings (nvidia-cuda-cupti), and no rights.",
		},
	[TIER_IMPORTS] =
		{
			.id = "imports",
			.label = "From inside, without CUPTI",
			.sees =
				{
					{"CUDA calls that a library of the job imports, as PyTorch does: duration, bytes, stack, and how long each waited for a CPU",
					 TIER_BIT(TIER_BPF) | TIER_BIT(TIER_INSIDE)},
				},
			.misses = {{NULL, 0}},
			.instead = "Nothing.",
			.brings =
				"Launch the job with the capture, or paste the capture's line into it. It is done where a process has no CUPTI, or another profiler has it.",
		},
	[TIER_PERF] =
		{
			.id = "perf_switch",
			.label = "Switches, by perf",
			.sees =
				{
					{"Each time a thread of the job left a CPU and came back, to the ns: preempted, or to wait",
					 TIER_BIT(TIER_BPF)},
					{"Which of the job's own threads had a CPU that another one waited for",
					 TIER_BIT(TIER_BPF)},
					{"Each fork, exec, exit and new name of the job's processes and threads",
					 TIER_BIT(TIER_BPF)},
				},
			.misses =
				{
					{"When exactly threads waited, and for which of the job's own threads",
					 TIER_BIT(TIER_BPF)},
				},
			.instead = "/proc is sampled: how long threads waited is known, not when.",
			.brings =
				"No rights: kernel.perf_event_paranoid of 2 or less, and no seccomp filter that refuses perf_event_open, as Docker's default does.",
		},
	[TIER_PYTHON] =
		{
			.id = "python",
			.label = "Python from outside",
			.sees =
				{
					{"What Python code runs, and in which line threads wait: 20 looks a second at each thread",
					 TIER_BIT(TIER_BPF)},
				},
			.misses =
				{
					{"What Python code runs: no samples of its stacks",
					 TIER_BIT(TIER_BPF)},
				},
			.instead =
				"With BPF its samples have Python's frames; without it /proc tells system calls alone.",
			.brings =
				"process_vm_readv of the job, which needs no rights: launch the job with the capture, CPython 3.8 to 3.14.",
		},
	[TIER_PROC] =
		{
			.id = "proc",
			.label = "Samples of /proc",
			.sees =
				{
					{"Each thread every 10 ms: on a CPU, waiting for one, or asleep, and in which system call or kernel function",
					 TIER_BIT(TIER_BPF)},
					{"Time on CPUs and waiting for them, as totals that the kernel keeps",
					 TIER_BIT(TIER_BPF)},
					{"Processes and threads: begin, end, names; page faults; throttling by the CPU quota",
					 0},
				},
			.misses =
				{
					{"Waits of threads", TIER_BIT(TIER_BPF)},
				},
			.instead = "Nothing.",
			.brings = "A /proc that shows the job's processes.",
		},
	[TIER_GPU_SAMPLES] =
		{
			.id = "gpu_samples",
			.label = "Samples of the GPUs",
			.sees =
				{
					{"GPU utilisation, memory and clocks by nvidia-smi", 0},
				},
			.misses =
				{
					{"GPU utilisation, memory and clocks by nvidia-smi", 0},
				},
			.instead = "Nothing.",
			.brings = "nvidia-smi, which comes with the driver.",
		},
	[TIER_MACHINE] =
		{
			.id = "machine",
			.label = "Samples of the machine",
			.sees =
				{
					{"CPU, memory, disk and control-group use of the machine",
					 0},
				},
			.misses =
				{
					{"CPU, memory, disk and control-group use of the machine",
					 0},
				},
			.instead = "Nothing.",
			.brings = "A /proc that shows the machine.",
		},
};

#define WITH_SAMPLES (TIER_BIT(TIER_PROC) | TIER_BIT(TIER_GPU_SAMPLES) | TIER_BIT(TIER_MACHINE))
#define WITHOUT_BPF (TIER_BIT(TIER_PERF) | TIER_BIT(TIER_PYTHON) | WITH_SAMPLES)

const struct capture_mode capture_modes[CAPTURE_MODES] = {
	{"full", TIER_BPF, TIER_BIT(TIER_BPF) | TIER_BIT(TIER_INSIDE) | WITH_SAMPLES, NULL},
	{"inside", TIER_INSIDE, TIER_BIT(TIER_INSIDE) | TIER_BIT(TIER_IMPORTS) | WITHOUT_BPF,
	 "inside the job, without BPF"},
	{"sampled", TIER_PROC, WITHOUT_BPF, "outside the job, without BPF"},
};

static uint32_t used(const struct capture_mode *mode, const struct tier_status *status)
{
	uint32_t bits = 0;

	for (unsigned int i = 0; i < TIER_COUNT; i++)
		if (status[i].available)
			bits |= mode->tiers & TIER_BIT(i);
	return bits;
}

const char *mode_sees(const struct capture_mode *mode, const struct tier_status *status,
		      unsigned int *at)
{
	uint32_t bits = used(mode, status);

	for (; *at < TIER_COUNT * TIER_TEXTS; (*at)++) {
		const struct tier_text *text = &tiers[*at / TIER_TEXTS].sees[*at % TIER_TEXTS];

		if (!(bits & TIER_BIT(*at / TIER_TEXTS)) || !text->text || bits & text->unless)
			continue;
		(*at)++;
		return text->text;
	}
	return NULL;
}

const char *mode_misses(const struct capture_mode *mode, const struct tier_status *status,
			unsigned int *at, const char **why)
{
	uint32_t bits = used(mode, status);

	for (; *at < TIER_COUNT * TIER_TEXTS; (*at)++) {
		unsigned int tier = *at / TIER_TEXTS;
		const struct tier_text *text = &tiers[tier].misses[*at % TIER_TEXTS];

		if (bits & TIER_BIT(tier) || !text->text || bits & text->unless)
			continue;
		(*at)++;
		/* One that can be had here is only not in this mode. */
		*why = status[tier].available ? NULL : status[tier].detail;
		return text->text;
	}
	return NULL;
}
