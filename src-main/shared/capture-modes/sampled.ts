import type { CaptureModeSpec } from './mode-spec.ts';

/** Switches by perf where the host allows it, else samples of `/proc`: needs no rights. */
export const sampled = {
  id: 'sampled',
  noun: 'A sampled capture',
  agentArguments: ['--no-bpf', '--no-inside'],
  fromInside: false,
  hasGpuRecords: false,
  hasProfiles: false,
  hasCpuSamples: false,
  usesProbes: false,
  exit: {
    code: 3,
    helps: 'sampled ones only',
    means: 'only sampled captures are possible (check)',
  },
  choice: {
    option: 'no-bpf',
    optionHelp: 'record from outside: switches by perf or /proc, no CUDA calls; needs no root',
    label: 'Only perf and /proc, without eBPF',
  },
  limits: {
    instead: 'only sample',
    explanation:
      'It records when the job’s own threads waited: each time by perf where the host allows that, else by samples of /proc every 10 ms. It needs no rights, but does not see individual CUDA calls. You can go on with it.',
    warning:
      'CUDA calls are not seen, nor who caused a wait. Where the host refuses perf, waits are sampled every 10 ms: what is shorter may be missed.',
    noCalls: 'Sampling sees no CUDA calls.',
    badge: 'without eBPF',
  },
  headline: ({ bestNeeds }) => `${bestNeeds}; this works now.`,
  cost: () =>
    'Nothing runs inside the job. By perf each switch of a thread costs about 1.2 µs; the agent reads /proc every 10 ms, and the stacks of Python threads 20 times a second, which takes a part of one CPU.',
} as const satisfies CaptureModeSpec;
