import { modeOn, modeSpec } from '../capture-modes/modes.ts';
import { formatBytes, plural } from '../text/units.ts';
import { type CaptureRequest, comesInByLine } from './capture-request.ts';
import type { Preflight } from './preflight.ts';

export interface CaptureCost {
  /** What it is expected to cost, what is put on the host and where, and what becomes of the job. */
  readonly sentence: string;
  /** Sentences worth reading before Start. */
  readonly warnings: readonly string[];
}

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
    sentence: `${costText(preflight, request)} ${put} ${jobText(request)}${lineText(request)}`,
    warnings: [
      ...modeWarnings(preflight, request),
      ...spaceWarnings(preflight, request),
      ...otherCaptures(preflight),
      ...slowProbes(preflight, request),
    ],
  };
}

function costText(
  preflight: Preflight,
  { mode, profiles, target, gpuRecords }: CaptureRequest,
): string {
  const wholeMachine = target.kind === 'machine';
  const hasLibrary = target.kind === 'command' && gpuRecords !== 'off';
  const spec = modeSpec(modeOn(preflight.mode, mode, target.kind));
  return spec.cost({ profiles, wholeMachine, hasLibrary });
}

function jobText({ target }: CaptureRequest): string {
  if (target.kind === 'command')
    return 'The command goes on whatever happens to the capture, the connection or Stalltrace.';
  return 'The job keeps running whatever happens to the capture, the connection or Stalltrace.';
}

/** What runs already comes in only with its user's consent. */
function lineText(request: CaptureRequest): string {
  const { fromInside } = modeSpec(request.mode);
  const hasGpu = request.gpuRecords === 'all' || request.gpuRecords === 'copies';
  if (!comesInByLine(request) || !(fromInside || hasGpu)) return '';
  const what = [
    ...(fromInside ? ['its CUDA calls'] : []),
    ...(hasGpu ? ['what the GPU does'] : []),
  ].join(' and ');
  return request.remotePython
    ? ` The agent asks each process of the job that runs Python 3.14 to load its library, so that ${what} can be recorded too. For any other process, Stalltrace shows a line to paste once the capture records.`
    : ` Once it records, a line is shown for you to paste into the job: from then on ${what} can be recorded too.`;
}

function modeWarnings(preflight: Preflight, request: CaptureRequest): string[] {
  if (preflight.mode === 'none') return [`Nothing can be captured here: ${preflight.headline}`];
  const used = modeSpec(modeOn(preflight.mode, request.mode, request.target.kind));
  if (used.limits === undefined) return [];
  if (used.id === request.mode) return [used.limits.warning];
  const wanted = modeSpec(request.mode).noun;
  return [
    `${wanted} is not possible here, so Stalltrace would ${used.limits.instead}: ${preflight.headline}`,
  ];
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
    `${plural(running.length, 'other capture runs', 'other captures run')} on this host: each takes time from the job, and records the time that the other takes.`,
  ];
}

function slowProbes(preflight: Preflight, request: CaptureRequest): string[] {
  if (!modeSpec(request.mode).usesProbes) return [];
  return preflight.rows
    .filter(({ id, status }) => status === 'warn' && SPEED_ROWS.includes(id.replaceAll('_', '-')))
    .map(({ label, detail, next }) =>
      [`Probes may be slow here. ${label}: ${detail}`, next].filter(Boolean).join(' '),
    );
}
