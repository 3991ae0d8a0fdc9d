import type { FirstFigures } from '../answers/first-figures.ts';
import { lostText } from './table-words.ts';

/** What first figures are of, and what may still change: `Of the 640,000 CUDA calls that were read first: …` */
export function firstFiguresText({ tables }: Pick<FirstFigures, 'tables'>): string {
  const rows = tables
    .filter((each) => each.rows > 0)
    .map(({ table, rows }) => lostText(table, rows))
    .join(' and ');
  return areWhole({ tables })
    ? `Of all ${rows} in the file: its other events are not counted yet.`
    : `Of the ${rows} that were read first: every figure may change.`;
}

/** What a coarse timeline shows, and what its empty places mean. */
export function firstTimelineText({ tables, timeline }: FirstFigures): string {
  const whole = 'How much of the time each thread was in CUDA calls, and each stream had work.';
  const others =
    timeline.lanesLeftOut === 0
      ? ''
      : ` Those with most events; ${timeline.lanesLeftOut} more are not shown yet.`;
  const empty = areWhole({ tables }) ? '' : ' What is empty may not be read yet.';
  return `${whole}${others}${empty}`;
}

const areWhole = ({ tables }: Pick<FirstFigures, 'tables'>) =>
  tables.every(({ isWhole }) => isWhole);
