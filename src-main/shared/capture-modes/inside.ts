import type { CaptureModeSpec } from './mode-spec.ts';

/** A command that is launched, with the agent's library in it: no eBPF, no rights. */
export const inside = {
  id: 'inside',
  noun: 'An inside capture',
  agentArguments: ['--no-bpf', '--inside'],
  commandsOnly: true,
  hasProfiles: false,
  hasCpuSamples: false,
  usesProbes: false,
  exit: {
    code: 4,
    helps: 'exact CUDA calls of a command that is launched, else sampled captures',
    means: 'without eBPF: launched commands exactly, others by sampling (check)',
  },
  choice: {
    option: 'inside',
    optionHelp: 'record COMMAND from inside, without eBPF; needs no root',
    label: 'From inside the command only, without eBPF',
  },
  limits: {
    instead: 'record the command from inside',
    explanation:
      'Launch the job from here: then each of its CUDA calls and what the GPU did is recorded from inside, without any rights. A job that runs already can only be sampled.',
    warning:
      'Recorded from inside: CUDA calls and the GPU’s work are exact, other waits are where the host allows perf, else sampled every 10 ms, and who caused a wait is not seen.',
    badge: 'from inside, without eBPF',
  },
  headline: ({ bestNeeds }) =>
    `${bestNeeds}; this works now: a command that is launched from here is recorded exactly.`,
  cost: () =>
    'Each CUDA call costs the job about 0.9 µs, and each launch 0.1 µs, beside what CUPTI itself takes (measured against a stand-in for it, not on a GPU). Each switch of a thread costs about 1.2 µs where perf is allowed. The agent reads /proc every 10 ms, which takes a part of one CPU.',
} as const satisfies CaptureModeSpec;
