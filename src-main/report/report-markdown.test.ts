import fc from 'fast-check';
import { expect, test } from 'vitest';
import { buildTrace } from '../analysis/testing/build-trace.ts';
import { parseMarkdown } from '../markdown/tree.ts';
import type { Diagnosis } from '../shared/answers/diagnosis.ts';
import type { OperationStats } from '../shared/answers/operations.ts';
import { GITHUB_LIMIT } from '../shared/answers/report.ts';
import type { Note } from '../shared/library/note.ts';
import { fakeSummary } from '../timeline/testing/fake-summary.ts';
import { traceArbitrary } from '../trace/testing/trace-arbitrary.ts';
import { reportFacts } from './report-facts.ts';
import type { ReportInput } from './report-input.ts';
import { reportMarkdown } from './report-markdown.ts';
import { copyPlan, reportInput } from './testing/report-trace.ts';

function report(changes: Partial<ReportInput> = {}): string {
  return reportMarkdown(reportInput(undefined, changes));
}

const note = (text: string, changes: Partial<Note> = {}): Note => ({
  id: '0',
  kind: 'note',
  text,
  startNs: 5,
  endNs: 5,
  createdAt: '',
  updatedAt: '',
  ...changes,
});

const operation: OperationStats = {
  source: 'CUDA',
  name: 'cudaFree',
  direction: null,
  count: 2,
  bytes: 0,
  totalNs: 9,
  p50Ns: 4,
  p95Ns: 5,
  p99Ns: 5,
  maxNs: 5,
};

test('begins with the call and one sentence, ends with who made it', () => {
  const text = report();
  expect(text).toMatch(
    /^## Why slow: `cudaMemcpyAsync` H2D, 100 ns\n\n\*\*Off the CPU for 60\.0 %/,
  );
  expect(text).toMatch(/Made by Stalltrace 0\.1\.0\.\n$/);
});

test('the parts of the call sum to its duration and to 100 %', () => {
  const rows = /### Where its time went\n\n([\s\S]*?)\n\n/
    .exec(report())?.[1]
    ?.split('\n')
    .slice(2);
  const cells = (rows ?? []).map((row) => row.replaceAll('*', '').split(' | '));
  const parts = cells.slice(0, -1);
  const sum = (column: number) =>
    parts.reduce((total, row) => total + Number.parseFloat(row[column] ?? ''), 0);
  expect(sum(1)).toBe(100);
  expect(sum(2)).toBeCloseTo(100, 9);
  expect(cells.at(-1)?.slice(0, 3)).toEqual(['| Whole call', '100', '100\u00a0%']);
});

test('tells the copy with raw figures, its stack folded', () => {
  const text = report();
  expect(text).toContain('| Start | +0.000\u202f001\u202f000 s (1000 ns) after the trace began |');
  expect(text).toContain('| Size | 4.000 KiB (4096 bytes) |');
  expect(text).toContain('| Thread | `python`, pid 7, tid 9 |');
  expect(text).toContain(
    '<details>\n<summary>Called from (1 frame, innermost first)</summary>\n\n- `copy_` at `/home/alice/train.py:3` (python)\n\n</details>',
  );
});

test('what is not known is said so, never as -1 or 0', () => {
  const [call] = copyPlan.rows.cuda_call;
  const unknown = { ...call, bytes: -1, thread: -1, returnCode: -1, stack: -1 };
  const text = reportMarkdown(
    reportInput(buildTrace({ ...copyPlan, rows: { cuda_call: [unknown] } })),
  );
  expect(text).toContain('| Size | not known |');
  expect(text).toContain('| Thread | not known |');
  expect(text).toContain('| GPU | not recorded |');
  expect(text).not.toMatch(/[ (]-1\b/);
});

test('a synthetic trace says so before anything is found in it', () => {
  const text = report({ summary: fakeSummary({}, { synthetic: 'made by x.ts' }) });
  expect(text.indexOf('This trace is synthetic')).toBeLessThan(text.indexOf('Off the CPU for'));
});

test('losses are told from their not being recorded', () => {
  expect(report()).toContain('The recorder reports no losses.');
  expect(report({ summary: fakeSummary({}) })).toContain(
    'Whether events were lost is not recorded.',
  );
  const losses = { gaps: 2, lostEvents: 67, uncounted: 1, longest: [10, 30] } as const;
  const { facts } = reportInput();
  expect(report({ facts: { ...facts, losses } })).toMatch(
    /in 2 stretches of time, 67 of them counted; the longest is 20 ns/,
  );
});

test('what TraceML says of the run stands beside the verdict, in the long form with the figures of both', () => {
  const summary = 'Step time is bound by *compute*.';
  const traceml = { kind: 'COMPUTE_BOUND', status: 'COMPUTE-BOUND', summary, step: {} };
  const { facts } = reportInput();
  const diagnosis: Diagnosis = {
    ...{ verdict: 'unknown', severity: 'info', headline: '', ranks: [], findings: [] },
    ...{ chains: [], costs: [], windowNs: 0, cannotTell: [] },
  };
  const judged = { facts: { ...facts, diagnosis } };
  const brief = report({ ...judged, traceml, long: false });
  expect(brief).toContain('### What TraceML says\n\n');
  expect(brief).toContain('TraceML: Step time is bound by `*compute*`.');
  expect(brief).not.toContain('| TraceML |');
  expect(report({ ...judged, traceml, long: true })).toMatch(
    /### What TraceML says\n.*\| TraceML \|/s,
  );
  expect(report({ ...judged, long: false })).not.toContain('What TraceML says');
});

test('a trace without calls still has a report', () => {
  const { facts } = reportInput();
  const { explanation: _none, ...rest } = facts;
  expect(report({ facts: rest })).toContain('This trace has no CUDA calls');
});

test('a trace with sums only is not said to have no CUDA calls', () => {
  const { facts, summary } = reportInput();
  const { explanation: _none, ...rest } = facts;
  // By what the file says of the table, single calls could be in it.
  const cuda_call = { ...summary.tables.cuda_call, rows: 0 };
  const summed = { ...summary, hasSummedCalls: true, tables: { ...summary.tables, cuda_call } };
  const text = report({ facts: rest, summary: summed });
  expect(text).toMatch(/^## A trace with sums of its CUDA calls only: /);
  expect(text).not.toMatch(/no CUDA calls|without CUDA calls/);
});

test('a long table ends with how many rows are left out, the peers of the call stand first', () => {
  const { facts } = reportInput();
  const others = Array.from({ length: 40 }, (_, at) => ({ ...operation, name: `op${at}` }));
  const peers = { ...operation, name: 'cudaMemcpyAsync', counted: { stored: 2, counted: 7 } };
  const text = report({ facts: { ...facts, operations: [...others, peers] } });
  expect(text).toContain('16 more rows.');
  expect(text.indexOf('| `cudaMemcpyAsync` |')).toBeLessThan(text.indexOf('| `op0` |'));
  expect(text).toContain('Stored: `cudaMemcpyAsync` 2 of 7. Percentiles');
});

test('a selection has what is stored and what happened in columns of their own', () => {
  const { facts } = reportInput();
  const counted = { stored: 1, counted: 7, storedNs: 100, totalNs: 900, maxNs: 400 };
  const whole = { ...operation, name: 'cudaMemcpy', count: 1, totalNs: 100, maxNs: 100, counted };
  const part = { ...whole, name: 'cudaMemcpyAsync', counted: { ...counted, stored: 3 } };
  const sums = { ...whole, name: 'cudaFree', count: 0, totalNs: 900, onlySums: true as const };
  const none = { ...sums, counted: { ...counted, stored: 0, storedNs: 0 } };
  const text = report({ facts: { ...facts, operations: [whole, part, none] } });
  const [, section = ''] = text.split('Operations of the whole trace');
  const rows = section.split('\n').filter((line) => /^\| (Operation|`cuda[A-Z])/.test(line));
  const cells = rows.map((line) => line.split('|').map((cell) => cell.trim()));
  const columns = ['Stored', 'Happened', 'Sum ns of the stored', 'Sum ns of all', 'Max ns'].map(
    (head) => cells[0]?.indexOf(head) ?? -1,
  );
  expect(cells.slice(1).map((row) => columns.map((at) => row[at]))).toEqual([
    // The peers of the call stand first.
    ['1', '', '100', '', '100'],
    ['1', '7', '100', '900', '400'],
    ['0', '7', '0', '900', '400'],
  ]);
  expect(text).toContain('`cudaMemcpy` 1 of 7 (100 ns of 900 ns)');
});

test('of several hosts, every operation and thread says which', () => {
  const { facts } = reportInput();
  const { explanation } = facts;
  if (explanation === undefined) throw new Error('no call to explain');
  const call = { ...explanation.call, host: 'gpu-a' };
  const text = report({
    facts: {
      ...facts,
      explanation: { ...explanation, call },
      operations: [{ ...operation, host: 'gpu-a' }],
    },
  });
  expect(text).toMatch(/\| Thread \| .*pid \d+ on gpu-a, tid/);
  expect(text).toContain('| Host | Operation | Source |');
  expect(text).toContain(`| gpu-a | \`${operation.name}\` |`);
  expect(report({ facts: { ...facts, operations: [operation] } })).toContain('| Operation |');
});

test('notes are quoted under their time', () => {
  const notes = [note('**slow**\n\n- here'), note('', { kind: 'bookmark', slot: 3, endNs: 25 })];
  const text = report({ notes });
  expect(text).toContain(
    '**Note at +0.000\u202f000\u202f005 s (5 ns)**\n\n> **slow**\n>\n> - here',
  );
  expect(text).toContain('**Bookmark 3 at +0.000\u202f000\u202f005 s (5 ns), 20 ns long**');
  expect(report()).not.toContain('### Notes');
});

test("a colleague's note cannot leave its quote", () => {
  const hostile =
    '</details>\n\n# Title\n\n```\nopen\n\n@alice #1 ![x](https://elsewhere.test/p.png) <img src=x>';
  const text = report({ notes: [note(hostile), note('~~~\n@bob'), note('> > a\nlazy\n\n<!--')] });
  expect(text).toContain('> **Title**');
  const kinds = parseMarkdown(text).map((block) => block.kind);
  expect(kinds.filter((kind) => kind === 'html')).toEqual([]);
  expect(kinds.at(-1)).toBe('paragraph');
  expect(text).toContain('### What this trace cannot tell');
});

test('what GitHub has no room for is named', () => {
  const notes = Array.from({ length: 30 }, (_, at) => note('|'.repeat(1_000), { startNs: at }));
  const notices = Array.from(
    { length: 30 },
    () => ({ level: 'info', text: '@a'.repeat(700) }) as const,
  );
  const text = report({ notes, summary: fakeSummary({}, { notices }) });
  expect(text).toMatch(/\d+ more notes have no room here\./);
  expect(text).toMatch(
    /Left out, because GitHub takes no more than 65,536 characters: How it was captured\./,
  );
  expect(text.length).toBeLessThanOrEqual(GITHUB_LIMIT);
});

test('any trace makes a report within the limit, its tables whole, without HTML of the trace', () => {
  fc.assert(
    fc.property(
      traceArbitrary,
      fc.array(fc.string({ maxLength: 40 }), { maxLength: 3 }),
      (trace, texts) => {
        const summary = fakeSummary(
          {},
          {
            hosts: trace.hosts,
            gpus: trace.gpus,
            notices: trace.notices,
            sourceFindings: trace.sourceFindings,
          },
        );
        const facts = reportFacts(trace, summary, { range: { startNs: 0, endNs: 2 ** 50 } });
        const text = reportMarkdown({
          ...reportInput(),
          summary,
          facts,
          notes: texts.map((each) => note(each)),
        });
        expect(text.length).toBeLessThanOrEqual(GITHUB_LIMIT);
        for (const block of parseMarkdown(text)) {
          expect(block.kind).not.toBe('html');
          if (block.kind === 'table')
            for (const row of block.rows) expect(row).toHaveLength(block.header.length);
        }
        expect(text.match(/^### How it was captured$/m)).not.toBeNull();
      },
    ),
    { numRuns: 100 },
  );
});
