import type { Severity, TraceVerdict } from '../answers/diagnosis.ts';
import type { AccountingPart, PartDetail } from '../answers/explanation.ts';
import type { Phase } from '../answers/steps.ts';
import type { CycleCause, Proof } from '../answers/wait-chain.ts';
import type { Verdict } from '../library/investigation.ts';
import type { ThreadState } from '../model/thread-state.ts';
import type { Role } from '../model/trace.ts';

/** One word for one thing: what every screen and the Markdown call it. */

/** Time in which a thread was off the CPU, whatever the reason. */
export const OFF_CPU = 'Off-CPU';

/** A process or thread by its role. */
export const roleLabels: Readonly<Record<Role, string>> = {
  main: 'Training process',
  inference: 'Inference process',
  server: 'Model server',
  'gpu-process': 'GPU process',
  'dataloader-worker': 'DataLoader worker',
  'pin-memory': 'Pin-memory thread',
  'queue-feeder': 'Queue feeder',
  'resource-sharer': 'Resource sharer',
  autograd: 'Autograd thread',
  nccl: 'NCCL thread',
  'cuda-driver': 'CUDA driver thread',
  watchdog: 'Watchdog thread',
  launcher: 'Launcher',
  compiler: 'Compiler',
  kernel: 'Kernel',
  other: 'Other',
};

/** Several processes or threads by their role: `Training process`, `4 DataLoader workers`. */
export function roleGroupLabel(role: Role, count: number): string {
  if (role === 'other') return count === 1 ? 'Other process' : 'Other processes';
  if (role === 'kernel') return 'Kernel threads';
  const { [role]: label } = roleLabels;
  if (count === 1) return label;
  return `${count} ${label}${/[sx]$/.test(label) ? 'es' : 's'}`;
}

/** The parts of a call's wall time. */
export const partLabels: Readonly<Record<AccountingPart['kind'], string>> = {
  running: 'Running',
  runnable: 'Waiting for a CPU',
  blocked: 'Blocked',
  'off-cpu': OFF_CPU,
  unexplained: 'Not recorded',
};

/** What a thread's time went to, after the kind of the part: `Blocked: on a lock`. */
const detailLabels: Readonly<Record<PartDetail, string>> = {
  'device-wait': 'waiting for the GPU',
  'staging-copy': 'copying pageable memory',
  fault: 'page faults',
  stolen: 'interrupts or the hypervisor',
  other: 'other work',
  'own-job-ran': 'its own job ran',
  'others-ran': 'other processes ran',
  'kernel-ran': 'the kernel ran',
  throttled: 'CPU quota used up',
  'idle-cpu': 'the CPU was idle',
  lock: 'on a lock',
  pipe: 'on a pipe',
  socket: 'on a socket',
  file: 'on a file',
  poll: 'on a poll',
  child: 'on a child process',
  process: 'on another process',
  disk: 'on a disk',
  page: 'on a page from disk',
  device: 'on a device',
  timer: 'on a timer',
  stopped: 'stopped from outside',
  unknown: 'details not known',
};

/** A part of a call's time in a few words. */
export function partText({
  kind,
  detail,
}: Pick<AccountingPart, 'kind'> & { readonly detail?: PartDetail | undefined }): string {
  return detail === undefined || detail === 'unknown'
    ? partLabels[kind]
    : `${partLabels[kind]}: ${detailLabels[detail]}`;
}

export const stateLabels: Readonly<Record<ThreadState, string>> = {
  unknown: 'Not known',
  running: 'Running',
  runnable: 'Waiting for a CPU',
  sleeping: 'Sleeping',
  disk: 'Waiting for a disk',
  uninterruptible: 'Waiting in the kernel',
  stopped: 'Stopped',
  dead: 'Ended',
};

/** How far a segment of a wait chain is known, and what that means. */
export const proofLabels: Readonly<
  Record<Proof, { readonly label: string; readonly meaning: string }>
> = {
  proven: { label: 'proven', meaning: 'Every event behind it is in the trace' },
  bound: { label: 'bound', meaning: 'At least or at most this: the reason says which' },
  partly: {
    label: 'partly known',
    meaning: 'Several stretches shown as one: some of them are known',
  },
  unknown: { label: 'unknown', meaning: 'The trace does not say what happened here' },
};

export const cycleLabels: Readonly<Record<CycleCause, string>> = {
  running: 'Running',
  'runnable-own': 'Waiting for a CPU: its own job ran',
  'runnable-other': 'Waiting for a CPU: others ran',
  throttled: 'CPU quota used up',
  stopped: 'Stopped from outside',
  'idle-cpu': 'Waiting for a CPU that was idle',
  disk: 'Waiting for a disk',
  sleeping: 'Sleeping',
  lock: 'Waiting for a lock',
  'shared-lock': 'Waiting for a lock between processes',
  starting: 'Starting up',
  sending: 'Sending the batch',
  'waiting-for-index': 'Waiting for work',
  unknown: 'Not known',
};

/** What the training loop was doing. */
export const phaseLabels: Readonly<Record<Phase, string>> = {
  input: 'Waiting for input',
  h2d: 'Copying to the GPU',
  compute: 'Computing, or waiting for the GPU',
  collective: 'In a collective',
  idle: 'Idle between requests',
  other: 'Other host time',
};

/** Of the analysis, and of a person who has looked at it and not decided. */
const CANNOT_TELL = 'CANNOT TELL';

/** Of the analysis and in the library, in the words of TraceML's guide to DataLoader bottlenecks. */
export const verdictLabels: Readonly<Record<TraceVerdict | Verdict['kind'], string>> = {
  'input-bound': 'INPUT-BOUND',
  'input-straggler': 'INPUT STRAGGLER',
  'h2d-bound': 'H2D-BOUND',
  'compute-bound': 'COMPUTE-BOUND',
  'host-bound': 'HOST-BOUND',
  'cpu-wait': 'CPU WAIT',
  balanced: 'BALANCED',
  serving: 'SERVING',
  other: 'OTHER CAUSE',
  unclear: CANNOT_TELL,
  unknown: CANNOT_TELL,
};

export const severityLabels: Readonly<Record<Severity, string>> = {
  high: 'high',
  medium: 'medium',
  low: 'low',
  info: 'note',
};
