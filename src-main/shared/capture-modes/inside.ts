import type { CaptureModeSpec } from './mode-spec.ts';

/** A job with the agent's library in it, launched so or by a line that is pasted into it: no eBPF, no rights. */
export const inside = {
  id: 'inside',
  noun: 'An inside capture',
  agentArguments: ['--no-bpf', '--inside'],
  fromInside: true,
  hasGpuRecords: true,
  hasProfiles: false,
  hasCpuSamples: false,
  usesProbes: false,
  exit: {
    code: 4,
    helps:
      'exact CUDA calls of a job that is launched or has a line pasted into it, else sampled captures',
    means: 'a launched job can be captured exactly, any other sampled only (check)',
  },
  choice: {
    option: 'inside',
    optionHelp: 'record from inside: CUDA calls, the GPU’s work, no eBPF; needs no root',
    label: 'From inside the job only, without eBPF',
  },
  limits: {
    instead: 'record the job from inside',
    explanation:
      'Launch the job from here, or paste a line into a running one: then each of its CUDA calls and the GPU’s work are recorded from inside, without special rights.',
    warning:
      'CUDA calls and the GPU’s work are exact. So are other waits where the host allows perf; elsewhere they are sampled every 10 ms. Who caused a wait is not seen.',
    badge: 'from inside, without eBPF',
  },
  headline: ({ bestNeeds }) =>
    `${bestNeeds}; this works now: a command launched from here is recorded exactly. A job that already runs is recorded from the moment a line is pasted into it.`,
  cost: () =>
    'Each CUDA call costs the job about 0.9 µs, and each launch 0.1 µs, beside what CUPTI itself takes (measured against a stand-in for it, not on a GPU). Each switch of a thread costs about 1.2 µs where perf is allowed. The agent reads /proc every 10 ms, which takes a part of one CPU. A job that used all CPUs took 4.4 % longer.',
} as const satisfies CaptureModeSpec;
