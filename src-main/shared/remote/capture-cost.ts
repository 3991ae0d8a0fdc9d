import { formatBytes, plural } from '../text/units.ts';
import type { CaptureProfile, CaptureRequest } from './capture-request.ts';
import type { Preflight } from './preflight.ts';

export interface CaptureCost {
  /** What it is expected to cost, what is put on the host and where, and what becomes of the job. */
  readonly sentence: string;
  /** Sentences worth reading before Start. */
  readonly warnings: readonly string[];
}

/** Of the run time of a DataLoader job that used all CPUs, in percent: docs/agent.md, "What is recorded". */
export const PROFILE_RUN_TIME: Readonly<Record<Exclude<CaptureProfile, 'off-cpu-stacks'>, number>> =
  {
    faults: 10.7,
    'page-allocs': 4.7,
    syscalls: 3.7,
  };
/** Of recording where each thread was when it left a CPU. */
export const STACK_COST = '0.6–0.8 µs';
const DEFAULT_RUN_TIME = 0.2;
/** The recorder ends before the disk is full; below this it would do so soon. */
const SPARE_BYTES = 256 * 1024 ** 2;
/** Rows of the preflight that say whether probes are slow here. */
const SPEED_ROWS = ['slow-probes', 'uprobes', 'clock', 'cpu-quota', 'virtual-machine'];

/** What to know before a capture begins. */
export function captureCost(preflight: Preflight, request: CaptureRequest): CaptureCost {
  const folder = preflight.agent.path.replace(/\/agent\/[^/]*\/[^/]*$/, '');
  const afterwards = request.keepAgent
    ? 'the trace is removed afterwards, the agent stays'
    : 'both are removed afterwards';
  const put = `The agent (${formatBytes(preflight.agent.sizeBytes)}) and the trace (${formatBytes(request.maxSizeBytes)} at most) are put into ${folder} on ${preflight.host.hostName}; ${afterwards}.`;
  return {
    sentence: `${costText(preflight, request)} ${put} ${jobText(request)}`,
    warnings: [
      ...modeWarnings(preflight, request),
      ...spaceWarnings(preflight, request),
      ...otherCaptures(preflight),
      ...slowProbes(preflight, request),
    ],
  };
}

function costText(preflight: Preflight, request: CaptureRequest): string {
  if (request.mode === 'sampled' || preflight.mode !== 'full')
    return 'Nothing runs inside the job: the agent reads /proc every 10 ms, which takes a part of one CPU.';
  const percent = request.profiles.reduce(
    (sum, profile) => sum + (profile === 'off-cpu-stacks' ? 0 : PROFILE_RUN_TIME[profile]),
    DEFAULT_RUN_TIME,
  );
  const stacks = request.profiles.includes('off-cpu-stacks')
    ? `, and ${STACK_COST} for each time a thread leaves a CPU`
    : '';
  return `Expected cost: about +${percent.toFixed(1)} % run time while it records, as measured on a job that used all CPUs${stacks}.${machineText(request)}`;
}

function machineText({ target, profiles }: CaptureRequest): string {
  if (target.kind !== 'machine') return '';
  const kinds =
    profiles.length === 0 ? '' : ', and more kinds of events than the recorder may keep up with';
  return ` Of the whole machine it is more: every process pays it${kinds}.`;
}

function jobText({ target }: CaptureRequest): string {
  if (target.kind === 'command')
    return 'The command goes on whatever happens to the capture, the connection or Stalltrace.';
  return 'The job keeps running whatever happens to the capture, the connection or Stalltrace.';
}

function modeWarnings(preflight: Preflight, request: CaptureRequest): string[] {
  if (preflight.mode === 'none') return [`Nothing can be captured here: ${preflight.headline}`];
  if (preflight.mode === 'sampled' && request.mode === 'full')
    return [`A full capture is not possible here, so it would only sample: ${preflight.headline}`];
  if (request.mode === 'sampled')
    return [
      'Sampled every 10 ms: what is shorter may be missed, CUDA calls are not seen, and no cause is proved.',
    ];
  return [];
}

function spaceWarnings({ host }: Preflight, { maxSizeBytes }: CaptureRequest): string[] {
  if (host.freeBytes >= maxSizeBytes + SPARE_BYTES) return [];
  return [
    `Only ${formatBytes(host.freeBytes)} are free there, and the trace may take ${formatBytes(maxSizeBytes)}: the capture ends, complete, before the disk is full. Lower the size limit, or free some space.`,
  ];
}

function otherCaptures({ running }: Preflight): string[] {
  if (running.length === 0) return [];
  return [
    `${plural(running.length, 'other capture runs', 'other captures run')} on this host: each costs the job time, and sees what the other costs.`,
  ];
}

function slowProbes(preflight: Preflight, request: CaptureRequest): string[] {
  if (request.mode === 'sampled') return [];
  return preflight.rows
    .filter(({ id, status }) => status === 'warn' && SPEED_ROWS.includes(id.replaceAll('_', '-')))
    .map(({ label, detail, next }) =>
      [`Probes may be slow here. ${label}: ${detail}`, next].filter(Boolean).join(' '),
    );
}
