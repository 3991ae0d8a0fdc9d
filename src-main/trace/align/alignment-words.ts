import { formatDuration, plural } from '../../shared/text/units.ts';
import type { Alignment } from './align-traces.ts';

/** `rank1.json: 0.310 ms were taken off its times, right to ± 40 µs, as 18 collectives ended together.` */
export function alignmentWords(fileName: string, alignment: Alignment): string {
  const { by, count, offsetNs, uncertaintyNs = 0 } = alignment;
  if (by === 'first') return `${fileName}: its clock is that of all.`;
  if (by === 'none')
    return `${fileName}: nothing in it tells how its clock compares with that of the first. Its times stand as its own clock wrote them.`;
  const moved = formatDuration(Math.abs(offsetNs));
  const what =
    offsetNs === 0
      ? 'its times stand as they were'
      : `${moved} were ${offsetNs > 0 ? 'added to' : 'taken off'} its times`;
  if (by === 'clock') return `${fileName}: ${what}, as both read the clock of one machine.`;
  const how = {
    collectives: `as ${plural(count, 'collective')} ended together`,
    steps: `as ${plural(count, 'step')} of one number ended about together`,
    measured: 'as Stalltrace measured both machines’ clocks before their captures',
  }[by];
  return `${fileName}: ${what}, right to ± ${formatDuration(uncertaintyNs)}, ${how}.`;
}
