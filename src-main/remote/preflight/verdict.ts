import type { Preflight } from '../../shared/remote/preflight.ts';
import { type Findings, itemOf } from './findings.ts';

/** What the agent names in `check`, in words for what a capture shows. */
export const SOURCES: Readonly<Record<string, string>> = {
  cuda_calls: 'CUDA calls: duration, bytes, caller and stack of each',
  switches: 'Each wait of each thread: why, for how long, and who woke it or ran in its place',
  processes: 'Processes and threads: begin, end, names',
  cpu_samples: 'What code runs: samples of native and Python stacks',
  block_io: 'Disk requests',
  reclaim: 'Memory reclaim',
  oom: 'Out-of-memory kills',
  page_faults: 'Page faults, each timed (on request)',
  page_allocs: 'Page allocations (on request)',
  syscalls: 'Slow system calls (on request)',
  off_cpu_stacks: 'Stacks where threads began to wait (on request)',
};
const GPU_SAMPLES = 'GPU utilisation, memory and clocks by nvidia-smi';
const MACHINE = 'CPU, memory, disk and control-group use of the machine';

type Verdict = Pick<Preflight, 'mode' | 'headline' | 'sees' | 'cannotSee'>;

/** What can be captured on a host, and what would be needed for more. */
export function judge(findings: Findings): Verdict {
  const { mode, captured } = findings.report.summary;
  if (captured.length === 0) {
    const headline =
      'Nothing can be captured here: the agent can read neither the kernel nor /proc.';
    return { mode: 'none', headline, sees: [], cannotSee: Object.values(SOURCES) };
  }
  return mode === 'sampled' ? sampled(findings) : full(findings);
}

function full({ report }: Findings): Verdict {
  const { captured, missing, mode } = report.summary;
  const sees = captured.map(inWords);
  const cannotSee = missing.map(({ what, why }) => `${inWords(what)} – ${why}`);
  const headline =
    mode === 'partial'
      ? 'Full capture works here only in part: see what will be missing.'
      : missing.length === 0
        ? 'Full capture works here.'
        : 'Full capture works here, but not all of it: see what will be missing.';
  return { mode: 'full', headline, sees: [...sees, MACHINE], cannotSee };
}

function sampled(findings: Findings): Verdict {
  const { report, asRoot } = findings;
  const hasGpu = report.summary.captured.includes('gpu_samples');
  return {
    mode: 'sampled',
    headline: `${needs(findings)}; this works now.`,
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
}

/** What keeps eBPF away; the first that nothing else would help against. */
function needs(findings: Findings): string {
  const { report, found, asRoot } = findings;
  const status = (id: string) => itemOf(report, id)?.status;
  const inContainer = !/none/.test(itemOf(report, 'container')?.detail ?? 'none');
  if (asRoot && inContainer && status('privileges') === 'warn') return 'Full capture needs a VM';
  if (status('kernel') === 'fail') return 'Full capture needs Linux 5.15 or later';
  if (status('btf') === 'fail') return 'Full capture needs a kernel that describes its types (BTF)';
  if (status('lockdown') === 'fail') {
    return 'Full capture needs a kernel that is not locked down for confidentiality';
  }
  if (asRoot) return 'Full capture needs a kernel that allows eBPF to root';
  if (inContainer && found.privilege !== 'sudo-declined') {
    return 'Full capture needs root’s rights, and in a container usually a VM';
  }
  return found.privilege === 'sudo-declined'
    ? 'Full capture needs the password for sudo'
    : 'Full capture needs root’s rights on this host';
}

function inWords(what: string): string {
  if (what === 'gpu_samples') return GPU_SAMPLES;
  return SOURCES[what] ?? what;
}
