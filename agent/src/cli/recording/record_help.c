// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* What `record --help` says; of each opt-in source, what its own row says. */
#include <stdio.h>
#include <string.h>
#include "record_options.h"

/* Where the text of an option of --profile begins. */
#define PROFILE_COLUMN 21

static const char before_profiles[] =
	"Usage: stalltrace-agent record [OPTIONS] -- COMMAND [ARGUMENTS]\n"
	"       stalltrace-agent record [OPTIONS] --pid PID [--pid PID ...]\n"
	"       stalltrace-agent record [OPTIONS] --all\n"
	"\n"
	"Records CUDA calls and what the kernel did meanwhile into one SQLite file. Only the agent\n"
	"needs root; COMMAND runs as the user who called sudo. Ending a capture never ends its job.\n"
	"\n"
	"What\n"
	"  --pid PID          a running process and its descendants; may be repeated. A line is printed that,\n"
	"                     pasted into it, has CUDA calls and what the GPU does recorded from inside\n"
	"  --all              every process of the machine\n"
	"  --user NAME        run COMMAND as this user (root only)\n"
	"  --sudo             call sudo for the agent alone; COMMAND keeps its whole environment\n"
	"\n"
	"How long, how much, where\n"
	"  --duration TIME    30s, 2m, 1h; at most 24h [1h]\n"
	"  --max-size SIZE    of the file: 500M, 2G [4G]\n"
	"  --out FILE         must not exist [./stalltrace-YYYYMMDD-HHMMSS.trace.db]\n"
	"\n"
	"What to record besides CUDA calls, switches, processes, block I/O, reclaim and samples\n"
	"  --profile LIST     of, with commas between; costs are a prototype's, on a DataLoader job that\n"
	"                     used all CPUs:\n";

static const char after_profiles[] =
	"  --samples HZ       CPU samples of every thread, 0 = none, at most 999 [49]. Without BPF: Python's\n"
	"                     stacks alone, read from outside, at most 20 times a second and thread.\n"
	"                     Measured, of one CPU: 0.5 % for a DataLoader with 4 workers, 0.4 % for 32\n"
	"                     threads; 16 us a look (23 frames), 37 us before Python 3.11; 2 % at most\n"
	"  --library PATH     probe this library too, before anyone maps it; may be repeated\n"
	"  --nvidia-smi PATH  where it is, if in no usual place; root's alone to write\n"
	"  --no-bpf           switches of the job's own threads by perf events, or samples of /proc where\n"
	"                     these are refused; needs no privilege. A switch costs the job 1.2 us more\n"
	"  --no-inside        COMMAND without the library that CUDA loads into it: no record of what the GPU\n"
	"                     did, and calls by BPF alone. Costs of a call and of a launch, measured against\n"
	"                     a stand-in for CUDA and CUPTI, not on a GPU:\n"
	"                       from inside, without BPF  0.9 us, 0.1 us\n"
	"                       from inside, beside BPF   1.8 us, 1.1 us; a launch as without BPF from 5 s\n"
	"                           after the job last started a program, mapped CUDA, or had a process\n"
	"                           come in or leave. Not where one with CUDA never comes in, with --all,\n"
	"                           or before Linux 6.6\n"
	"                       --no-inside, by BPF       1.9 us, 1.9 us; launches in windows of 50 to\n"
	"                           100 ms once a thread made over 10,000 a second for 3 s, which takes\n"
	"                           about 2 % of its time\n"
	"  --inside           don't begin where COMMAND can't have the library, or a --pid can't load it\n"
	"  --remote-python    have a --pid of Python 3.14 run the line that brings it in, between two\n"
	"                     bytecodes, instead of you: a file of its user's with the line in it, and its\n"
	"                     name written into the process (PEP 768). Not run on a real 3.14 yet\n"
	"  --no-cupti         leave CUPTI to a profiler of the job (torch.profiler, XLA's): from inside, only\n"
	"                     calls that libraries import, and nothing of the GPU; 0.9 us, 0.1 us\n"
	"  --gpu-records WHAT of what the GPU did: all, copies (no kernels), none [all]. What these\n"
	"                     take is in the figures, but not what CUPTI itself takes\n"
	"\n"
	"How it runs\n"
	"  --json             one JSON object a line on standard output; COMMAND's own standard output\n"
	"                     goes to standard error then\n"
	"  --json-fd N        these lines on descriptor N instead; COMMAND keeps standard output\n"
	"  --progress         sentences on standard error too\n"
	"  --detach           go to the background once it records; see `status` and `stop`\n"
	"  --run-dir DIR      where runs are kept [/run/stalltrace, or $XDG_RUNTIME_DIR/stalltrace]\n"
	"  --command-output FILE  output of a detached COMMAND [the trace's name + .output]\n"
	"  --stop-with-stdin  end the capture when standard input ends\n"
	"\n"
	"Exit code: COMMAND's (128 + signal; 126, 127 where it can't be started; 125 where the capture\n"
	"could not begin, and COMMAND was not started). Without COMMAND: 0, 1 failed, 2 wrong options,\n"
	"3 nothing was recorded, 4 it got stuck and had to be ended.\n";

/* Its first line stands beside its word, the others below that. */
static void print_profile(const struct event_source *source)
{
	const char *line = source->help, *label = source->profile;

	for (;;) {
		int length = (int)strcspn(line, "\n");

		printf("      %-*s%.*s\n", PROFILE_COLUMN - 6, label, length, line);
		if (!line[length])
			return;
		line += length + 1;
		label = "";
	}
}

void record_help_print(void)
{
	fputs(before_profiles, stdout);
	for (int i = 0; i < SOURCE_COUNT; i++)
		if (event_sources[i]->profile)
			print_profile(event_sources[i]);
	fputs(after_profiles, stdout);
}
