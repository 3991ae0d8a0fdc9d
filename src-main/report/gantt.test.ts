import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hostileName } from '../../test/fixtures/hostile/names.ts';
import type { Moment, MomentBar } from '../shared/answers/report.ts';
import { ganttBlock, ganttNotes, unitOf } from './gantt.ts';

const bar = (changes: Partial<MomentBar> = {}): MomentBar => ({
  kind: 'call',
  name: 'cudaMemcpyAsync',
  startNs: 1_000_000,
  durationNs: 65_000_369,
  ...changes,
});

const moment = (bars: readonly MomentBar[], changes: Partial<Moment> = {}): Moment => ({
  startNs: 0,
  endNs: 100_000_000,
  lanes: [{ title: 'CUDA calls', bars, more: 0 }],
  empty: [],
  workersLeftOut: 0,
  ...changes,
});

test('the chart as Mermaid reads it', () => {
  const bars = [bar(), bar({ kind: 'off-cpu', name: 'Sleeping', startNs: 90_000_000 })];
  expect(ganttBlock(moment(bars))).toBe(`\`\`\`mermaid
%%{init: {"gantt": {"leftPadding": 84}}}%%
gantt
    title 1 on the axis #61; 100 #181;s#44; 0 #61; +0.000#8239;000#8239;000 s of the trace
    dateFormat x
    axisFormat %Q
    todayMarker off
    section CUDA calls
    65.00 ms cudaMemcpyAsync :crit, 10, 650ms
    65.00 ms Sleeping (cut here) :done, 900, 100ms
\`\`\``);
});

test.each([
  [3, 1],
  [9_999, 1],
  [10_000, 10],
  [65_000_369, 10_000],
  [14e9, 10_000_000],
])('a moment of %i ns counts in units of %i ns', (spanNs, unitNs) => {
  expect(unitOf(spanNs)).toBe(unitNs);
});

const evil = fc.oneof(
  fc.constantFrom(
    'a:b',
    'c;d',
    '%%x',
    'section y',
    'title z',
    '"q"',
    'l\nm',
    '```',
    '#35;',
    '%%{init: {}}%%',
  ),
  fc.string({ unit: 'binary', maxLength: 80 }),
  hostileName,
);

/** Mermaid's gantt grammar, as far as we write it: a name without `:`, `;`, `#` but for entity codes. */
const NAME = String.raw`(?:[A-Za-z0-9 _.()+-]|#\d+;)+`;
const LINE = new RegExp(
  `^ {4}(?:section ${NAME}|\\d[\\d.]* (?:ns|#181;s|ms|s) ${NAME} :(?:(?:crit|active|done), )?\\d+, [1-9]\\d*ms)$`,
);

test('whatever things are called, every line is a section or a task, within the axis', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(evil, evil), { minLength: 1, maxLength: 5 }), (names) => {
      const lanes = names.map(([title, name]) => ({
        title: `of ${title}`,
        bars: [bar({ name })],
        more: 0,
      }));
      const lines = ganttBlock(moment([], { lanes })).split('\n');
      expect(lines).toHaveLength(8 + 2 * names.length);
      for (const line of lines.slice(7, -1)) expect(line).toMatch(LINE);
    }),
  );
});

test('says what it does not draw', () => {
  const lanes = [{ title: 'a', bars: [bar()], more: 12 }];
  const text = ganttNotes(moment([], { lanes, empty: ['worker `1`'], workersLeftOut: 3 })).join(
    ' ',
  );
  expect(text).toContain('From 0 ns to 100000000 ns.');
  expect(text).toContain('12 shorter ones are not drawn.');
  expect(text).toContain('3 more DataLoader workers are not drawn.');
  expect(text).toContain('In this time the trace has none of: `` worker `1` ``.');
});
