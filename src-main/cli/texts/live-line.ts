import type { Run } from '../../shared/remote/run.ts';
import { cleanText } from '../../shared/text/text.ts';
import {
  formatBytes,
  formatCount,
  formatDuration,
  formatRate,
  formatShare,
} from '../../shared/text/units.ts';

const SECOND_NS = 1e9;

/** A capture as it goes, in one line. */
export function runLine(run: Run): string {
  const { live, phase, link, durationS } = run;
  if (link === 'reconnecting' || link === 'lost')
    return 'Still recording there; the connection was lost: reconnecting …';
  if (phase === 'starting' || live === undefined) return 'Starting …';
  const drops = Object.values(live.drops).reduce((sum, count) => sum + count, 0);
  const gpu = live.gpuPercent.at(-1);
  const [slowest] = live.slowest;
  const facts = [
    `${phase === 'stopping' ? 'Stopping' : 'Recording'} ${seconds(live.elapsedNs)} of ${durationS} s`,
    formatBytes(live.sizeBytes),
    `${formatCount(Math.round(live.eventsPerSecond))} events/s`,
    drops === 0 ? 'none lost' : `${formatCount(drops)} LOST`,
    ...(typeof gpu === 'number' ? [`GPU ${Math.round(gpu)} %`] : []),
    ...(slowest === undefined
      ? []
      : [`slowest ${cleanText(slowest.name, 40)} ${formatDuration(slowest.durationNs)}`]),
  ];
  return facts.join(' · ');
}

/** How far the trace is on its way here, in one line. */
export function transferLine({ phase, transfer }: Run): string {
  if (phase === 'brought' || phase === 'cleaned') return 'Cleaning up on the host …';
  if (transfer === undefined || transfer.step === 'waiting') return 'Waiting for the host …';
  if (transfer.step === 'verifying') return 'Checking the trace …';
  if (transfer.step === 'adding') return 'Adding it to the library …';
  const { doneBytes, totalBytes, bytesPerSecond, etaS } = transfer;
  const facts = [
    `Downloading ${formatShare(doneBytes, totalBytes)} of ${formatBytes(totalBytes)}`,
    ...(bytesPerSecond > 0 ? [formatRate(bytesPerSecond, SECOND_NS)] : []),
    ...(etaS === undefined ? [] : [`${Math.ceil(etaS)} s left`]),
  ];
  return facts.join(' · ');
}

function seconds(ns: number): string {
  return (ns / SECOND_NS).toFixed(0);
}
