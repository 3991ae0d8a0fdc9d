/** What the agent names in `check`, in words for what a capture shows. */
export const sourceWords: Readonly<Record<string, string>> = {
  cuda_calls: 'CUDA calls: duration, bytes, caller and stack of each',
  gpu_work: 'What the GPU did: kernels, copies and fills (of a command that is launched)',
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
export const GPU_SAMPLES = 'GPU utilisation, memory and clocks by nvidia-smi';
export const MACHINE = 'CPU, memory, disk and control-group use of the machine';

export function inWords(source: string): string {
  return source === 'gpu_samples' ? GPU_SAMPLES : (sourceWords[source] ?? source);
}
