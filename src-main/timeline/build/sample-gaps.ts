import { LONG_GAP } from '../../shared/model/long-gap.ts';
import { percentiles } from '../../shared/numbers/percentile.ts';
import { formatDuration, plural } from '../../shared/text/units.ts';
import type { TimeWindow } from '../model/time-window.ts';

/** Of fewer distances it can't be said which is usual. */
const FEWEST_DISTANCES = 3;

/** Where samples, whose times never fall, are missing: between two that lie far further apart than most. */
export function sampleGaps(timesNs: Float64Array): TimeWindow[] {
  const distances = timesNs.slice(1).map((timeNs, before) => timeNs - timesNs[before]);
  if (distances.length < FEWEST_DISTANCES) return [];
  const [usualNs = 0] = percentiles(distances, [50]);
  // Most samples were taken in pairs: how far apart these are says nothing.
  if (usualNs === 0) return [];
  const gaps: TimeWindow[] = [];
  distances.forEach((distanceNs, before) => {
    if (distanceNs <= LONG_GAP * usualNs) return;
    const next = before + 1;
    gaps.push({ startNs: timesNs[before], endNs: timesNs[next] });
  });
  return gaps;
}

/** What the label of a line says of its gaps; empty where it has none. */
export function gapsNote(gaps: readonly TimeWindow[]): string {
  if (gaps.length === 0) return '';
  const longestNs = gaps.reduce((most, { startNs, endNs }) => Math.max(most, endNs - startNs), 0);
  return `${plural(gaps.length, 'time')} no sample came for longer than usual (at most ${formatDuration(longestNs)}): nothing is drawn there.`;
}
