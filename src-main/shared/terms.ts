import type { AccountingPart } from './explanation.ts';
import type { Role } from './model/trace.ts';

/** One word for one thing: what every screen and the Markdown call it. */

/** Time in which a thread was off the CPU, whatever the reason. */
export const OFF_CPU = 'Off-CPU';

/** A process or thread by its role. */
export const roleLabels: Readonly<Record<Role, string>> = {
  main: 'Training process',
  'dataloader-worker': 'DataLoader worker',
  'pin-memory': 'Pin-memory thread',
  'queue-feeder': 'Queue feeder',
  'resource-sharer': 'Resource sharer',
  autograd: 'Autograd thread',
  nccl: 'NCCL thread',
  'cuda-driver': 'CUDA driver thread',
  watchdog: 'Watchdog thread',
  launcher: 'Launcher',
  kernel: 'Kernel',
  other: 'Other',
};

/** The parts of a call's wall time. */
export const partLabels: Readonly<Record<AccountingPart['kind'], string>> = {
  running: 'Running',
  runnable: 'Waiting for a CPU',
  blocked: 'Blocked',
  'off-cpu': OFF_CPU,
  unexplained: 'Unexplained',
};
