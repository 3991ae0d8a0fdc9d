import { formatDuration, plural } from '../../shared/text/units.ts';
import type { Alignment } from './align-traces.ts';

/** `rank1.json: 0.310 ms were taken off its times, right to ± 40 µs, as 18 collectives ended together.` */
export function alignmentWords(fileName: string, alignment: Alignment): string {
  const { by, count, uncertaintyNs = 0, isReadTwice } = alignment;
  if (by === 'first') return `${fileName}: its clock is the reference for all.`;
  if (by === 'none')
    return `${fileName}: nothing in it shows how its clock relates to the first file’s. Its times are unchanged.`;
  const what = movedBy(alignment);
  if (by === 'clock') return `${fileName}: ${what}, as both read the clock of one machine.`;
  const how = {
    collectives: `as ${plural(count, 'collective')} ended together`,
    steps: `as ${plural(count, 'equally numbered step')} ended about together`,
    measured: `as Stalltrace measured both machines’ clocks before ${isReadTwice ? 'and after ' : ''}their captures`,
  }[by];
  return `${fileName}: ${what}, right to ± ${formatDuration(uncertaintyNs)}, ${how}.`;
}

function movedBy({ offsetNs, offsetAtEndNs = offsetNs }: Alignment): string {
  const by = (ns: number) =>
    `${formatDuration(Math.abs(ns))} were ${ns > 0 ? 'added to' : 'taken off'}`;
  if (offsetAtEndNs !== offsetNs)
    return `${by(offsetNs)} its times at its begin, and ${by(offsetAtEndNs)} them at its end`;
  return offsetNs === 0 ? 'its times stand as they were' : `${by(offsetNs)} its times`;
}
