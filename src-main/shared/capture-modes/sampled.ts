import type { CaptureModeSpec } from './mode-spec.ts';
import { GPU_SAMPLES, MACHINE } from './sources.ts';

/** `/proc`, every 10 ms: needs no rights. */
export const sampled = {
  id: 'sampled',
  noun: 'A sampled capture',
  agentArguments: ['--no-bpf'],
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
  promise({ captured, asRoot, bestNeeds }) {
    const hasGpu = captured.includes('gpu_samples');
    return {
      headline: `${bestNeeds}; this works now.`,
      sees: [
        'Each thread every 10 ms: on a CPU, waiting for one, or asleep, and in which system call or kernel function',
        'Time on CPUs and waiting for them, as totals that the kernel keeps',
        'Page faults of each thread; throttling by the CPU quota',
        'Processes and threads: begin, end, names',
        MACHINE,
        ...(hasGpu ? [GPU_SAMPLES] : []),
      ],
      cannotSee: [
        'CUDA calls: none of them, their durations or bytes',
        'Who woke a thread, and who ran in its place: no cause can be claimed',
        'Waits shorter than 10 ms, and the exact time of longer ones',
        'What code runs: no samples of stacks',
        'Disk requests, memory reclaim, out-of-memory kills',
        ...(asRoot ? [] : ['What threads of other users wait in']),
        ...(hasGpu ? [] : [GPU_SAMPLES]),
      ],
    };
  },
  cost: () =>
    'Nothing runs inside the job: the agent reads /proc every 10 ms, which takes a part of one CPU.',
} as const satisfies CaptureModeSpec;
