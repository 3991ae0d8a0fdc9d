import type { CaptureModeSpec } from './mode-spec.ts';

/** `/proc`, every 10 ms: needs no rights. */
export const sampled = {
  id: 'sampled',
  noun: 'A sampled capture',
  agentArguments: ['--no-bpf', '--no-inside'],
  commandsOnly: false,
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
    optionHelp: 'sample /proc every 10 ms only; needs no root',
    label: 'Only sample /proc, without eBPF',
  },
  limits: {
    instead: 'only sample',
    explanation:
      'Sampling reads /proc every 10 ms. It needs no rights and finds which process kept the CPUs busy, but sees no single CUDA call. You can go on with it.',
    warning:
      'Sampled every 10 ms: what is shorter may be missed, CUDA calls are not seen, and no cause is proved.',
    noCalls: 'Sampling sees no CUDA calls.',
    badge: 'sampled every 10 ms',
  },
  headline: ({ bestNeeds }) => `${bestNeeds}; this works now.`,
  cost: () =>
    'Nothing runs inside the job: the agent reads /proc every 10 ms, which takes a part of one CPU.',
} as const satisfies CaptureModeSpec;
