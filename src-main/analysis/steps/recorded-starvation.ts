import type { Rank } from '../../shared/answers/jobs.ts';
import type { DeviceTime, Starvation } from '../../shared/answers/steps.ts';
import type { TimeSpan } from '../../shared/answers/summary.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { lowerBound } from '../../shared/numbers/bisect.ts';
import { formatDuration } from '../../shared/text/units.ts';
import {
  type DeviceSpans,
  deviceSpans,
  deviceSpansIn,
  ofAnyDevice,
  wholeSpan,
} from '../gpu/device-spans.ts';
import { deviceLabel, devicesOf } from '../gpu/devices.ts';
import { type Spans, spansBoth, spansLength, spansWithout } from '../index/spans.ts';
import { idleSplit } from './idle-causes.ts';
import { phasesOf } from './phases.ts';

/** When a rank's device had nothing to do. */
export interface RankStarvation {
  readonly summary: Starvation;
  /** Proven idle, within the window; disjoint, in order. */
  readonly idle: Spans;
  /** Set where it is from the GPU's own records: what any of its GPUs did, within the window. */
  readonly recorded?: DeviceSpans;
}

/**
 * As the GPUs' own records show it, of every GPU that worked for `rank`. In `unseen` a GPU that ran nothing
 * may have run what was not recorded.
 */
export function starvationByRecords(
  trace: Trace,
  rank: Rank,
  window: TimeSpan,
  unseen: Spans,
): RankStarvation {
  const host = trace.processes[rank.process]?.host ?? 0;
  const used = devicesOf(trace).usedBy(rank.processes, host);
  const spans = used.map((device) => deviceSpansIn(deviceSpans(trace, device), window));
  const all = ofAnyDevice(spans);
  const place = { trace, rank, window, unseen };
  const devices = used.map(
    (device, at) => timeOf(place, spans[at], deviceLabel(trace, device)).time,
  );
  const { idle, time } = timeOf(place, all, devices.map(({ label }) => label).join(', '));
  const lengthNs = Math.max(0, window[1] - window[0]);
  const basis = time.unknownNs > 0 ? 'bound' : 'exact';
  const busyNs = spansLength(all.busy);
  const summary = told(basis, recordsNote(time.unknownNs), idle, busyNs, lengthNs);
  return {
    summary: { ...summary, recorded: { all: time, devices, unused: unusedGpus(trace, host) } },
    idle,
    recorded: all,
  };
}

interface Place {
  readonly trace: Trace;
  readonly rank: Rank;
  readonly window: TimeSpan;
  readonly unseen: Spans;
}

function timeOf(
  { trace, rank, window, unseen }: Place,
  { busy, computing, collective, h2d, kernelsNs }: DeviceSpans,
  label: string,
): { idle: Spans; time: DeviceTime } {
  const quiet = spansWithout(wholeSpan(window), busy);
  const idle = spansWithout(quiet, unseen);
  const waiting = spansWithout(collective, computing);
  const copying = spansWithout(spansWithout(busy, computing), collective);
  const time = {
    label,
    computingNs: spansLength(computing),
    kernels: lowerBound(kernelsNs, window[1]) - lowerBound(kernelsNs, window[0]),
    collectiveNs: spansLength(waiting),
    copyingNs: spansLength(copying),
    h2dNs: spansLength(spansBoth(copying, h2d)),
    idleNs: spansLength(idle),
    unknownNs: spansLength(spansBoth(quiet, unseen)),
    idleBy: idleSplit(trace, phasesOf(trace, rank), idle),
  };
  return { idle, time };
}

/** GPUs of the rank's host that nobody used, as far as is recorded. */
function unusedGpus(trace: Trace, host: number): string[] {
  return trace.gpus.flatMap(({ host: own = 0 }, gpu) =>
    own === host && devicesOf(trace).rowsOn(gpu).rows.length === 0 ? [deviceLabel(trace, gpu)] : [],
  );
}

function recordsNote(unknownNs: number): string {
  const note = 'From the GPU’s own records of what it ran.';
  return unknownNs > 0
    ? `${note} In ${formatDuration(unknownNs)} of the time some may be missing: whether it was idle then is not known.`
    : note;
}

const LONGEST = 50;

/** The summary of `idle`, in a window of `lengthNs`. */
export function told(
  basis: Starvation['basis'],
  note: string,
  idle: Spans,
  busyNs: number,
  lengthNs: number,
): Starvation {
  const idleNs = spansLength(idle);
  const longest = Array.from(idle.startsNs, (startNs, at): TimeSpan => [startNs, idle.endsNs[at]])
    .sort((a, b) => b[1] - b[0] - (a[1] - a[0]))
    .slice(0, LONGEST);
  return { basis, note, idleNs, busyNs, unknownNs: lengthNs - idleNs - busyNs, longest };
}
