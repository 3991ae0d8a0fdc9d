import { codeSpan } from '../markdown/escape.ts';
import type { Moment, MomentBar, MomentBarKind } from '../shared/answers/report.ts';
import { cleanText, shortenMiddle } from '../shared/text/text.ts';
import { formatDuration, formatMoment, formatRoundDuration, plural } from '../shared/text/units.ts';

/**
 * A moment as a Mermaid gantt chart. Mermaid counts in whole ms, so one of its ms stands for a power
 * of ten of ns: the chart then is 1,000 to 10,000 units wide, and its axis shows their number
 * (`%Q` of d3-time-format). https://mermaid.js.org/syntax/gantt.html
 */

const MAX_LABEL = 60;
const MOST_UNITS = 10_000;

/** `crit` is red, `active` light, `done` grey; without a tag it has the main colour. */
const tags: Readonly<Record<MomentBarKind, string>> = {
  call: 'crit, ',
  'other-call': 'active, ',
  gpu: 'active, ',
  running: '',
  'off-cpu': 'done, ',
};

/** ns that one unit of the axis stands for: a power of ten. */
export function unitOf(spanNs: number): number {
  let unitNs = 1;
  while (spanNs / unitNs >= MOST_UNITS) unitNs *= 10;
  return unitNs;
}

/**
 * Text as Mermaid's grammar takes it in a title, section or task. All but letters, digits and a few
 * signs become its entity codes: `:` would end a name, `;` a line, `#` and `%%` begin a comment.
 */
export function ganttText(text: string, maxLength = MAX_LABEL): string {
  return shortenMiddle(cleanText(text), maxLength).replace(
    /[^A-Za-z0-9 _.()+-]/gu,
    (character) => `#${character.codePointAt(0)};`,
  );
}

/** The fenced block. Every name begins with a digit or a word of ours, so that none is a keyword. */
export function ganttBlock(moment: Moment): string {
  const spanNs = moment.endNs - moment.startNs;
  const unitNs = unitOf(spanNs);
  const unit = formatRoundDuration(unitNs);
  const title = `1 on the axis = ${unit}, 0 = ${formatMoment(moment.startNs)} of the trace`;
  const lines = moment.lanes.flatMap(({ title: lane, bars }) => [
    `    section ${ganttText(lane)}`,
    ...bars.map((bar) => `    ${taskOf(bar, moment, unitNs)}`),
  ]);
  return [
    '```mermaid',
    `%%{init: {"gantt": {"leftPadding": ${leftPaddingOf(moment)}}}}%%`,
    'gantt',
    `    title ${ganttText(title, 100)}`,
    '    dateFormat x',
    '    axisFormat %Q',
    '    todayMarker off',
    ...lines,
    '```',
  ].join('\n');
}

/** px for the sections' names, which Mermaid would else draw over the bars. */
function leftPaddingOf({ lanes }: Moment): number {
  const longest = lanes.reduce((most, { title }) => Math.max(most, title.length), 0);
  return Math.min(300, 24 + longest * 6);
}

/** A bar within the chart's edges; its name says how long it was as a whole. */
function taskOf(bar: MomentBar, moment: Moment, unitNs: number): string {
  const fromNs = Math.max(bar.startNs, moment.startNs) - moment.startNs;
  const toNs = Math.min(bar.startNs + bar.durationNs, moment.endNs) - moment.startNs;
  const from = Math.floor(fromNs / unitNs);
  const length = Math.max(1, Math.round((toNs - fromNs) / unitNs));
  const cut = toNs - fromNs < bar.durationNs ? ' (cut here)' : '';
  const label = ganttText(
    `${formatDuration(bar.durationNs)} ${bar.name || 'without a name'}${cut}`,
  );
  return `${label} :${tags[bar.kind]}${from}, ${length}ms`;
}

/** What the chart cannot say of itself. */
export function ganttNotes(moment: Moment): string[] {
  const { startNs, endNs, lanes, empty, workersLeftOut } = moment;
  const notes = [
    `From ${startNs} ns to ${endNs} ns. Red: the call this is about; grey: off the CPU. Bars are rounded to the axis; their names say how long they were.`,
  ];
  const more = lanes.reduce((sum, lane) => sum + lane.more, 0);
  if (more > 0) notes.push(`${plural(more, 'shorter one is', 'shorter ones are')} not drawn.`);
  if (workersLeftOut > 0)
    notes.push(
      `${plural(workersLeftOut, 'more DataLoader worker is', 'more DataLoader workers are')} not drawn.`,
    );
  if (empty.length > 0)
    notes.push(`In this time the trace has none of: ${empty.map(codeSpan).join(', ')}.`);
  return notes;
}
