import { expect, test } from 'vitest';
import { activeParts } from '../../test/support/page/github-markdown.ts';
import { buildTrace } from '../analysis/testing/build-trace.ts';
import type { Diagnosis, Finding } from '../shared/answers/diagnosis.ts';
import type { TraceSummary } from '../shared/answers/summary.ts';
import { formatDuration, formatShare } from '../shared/text/units.ts';
import { reportFacts } from './report-facts.ts';
import { reportMarkdown } from './report-markdown.ts';
import { answerLines, linesOf, shortSections } from './short-report.ts';
import { copyPlan, reportInput } from './testing/report-trace.ts';

const headings = (text: string) => [...text.matchAll(/^### (.*)$/gm)].map(([, title]) => title);

test('the short form ends with the environment, and is all that most readers need', () => {
  const trace = buildTrace(copyPlan);
  const facts = reportFacts(trace, reportInput(trace).summary as TraceSummary, { call: 0 });
  const text = reportMarkdown(reportInput(undefined, { facts, long: false }));
  expect(headings(text)).toEqual(['The whole trace', 'Evidence', 'Environment']);
  expect(text.split('\n').length).toBeLessThanOrEqual(60);
  expect(text).toMatch(/^## Why slow: `cudaMemcpyAsync` H2D, 100 ns/);
  expect(text).toMatch(/Of the call’s 100 ns \(100 ns\): Waiting for a CPU 60\.0 %/);
  const long = reportMarkdown(reportInput(undefined, { facts }));
  expect(headings(long)).toEqual(
    expect.arrayContaining(['The slow call', 'What this trace cannot tell']),
  );
});

const finding = {
  ...{
    id: 'x',
    rank: 0,
    title: 'Too few',
    sentence: 'It waited: fact 2.',
    confidence: 'likely',
    costNs: 4e8,
    costShare: 0.4,
  },
  evidence: Array.from({ length: 9 }, (_, at) => ({ text: `fact ${at}`, basis: 'exact' })),
  fix: {
    title: 'Set it',
    text: 'So.',
    before: '',
    after: 'a = 1',
    language: 'python',
    sources: [],
  },
  gainUpToNs: 3e8,
} as unknown as Finding;
const diagnosis = {
  ...{ verdict: 'unknown', headline: 'It waits.', ranks: [], findings: [finding], windowNs: 1e9 },
} as unknown as Diagnosis;

const inputOf = (diagnosis: Diagnosis) =>
  reportInput(undefined, {
    facts: { diagnosis, operations: [], losses: { gaps: 0, lostEvents: 0, uncounted: 0 } },
    long: false,
  });

test('of a finding it says what it costs, a few of its facts, and the fix with what that wins', () => {
  const text = shortSections(inputOf(diagnosis), 60 - 28)
    .map((section) => section.text)
    .join('\n\n');
  expect(text).toContain(
    '**Too few.** It costs 40.0 % of the time: 400.0 ms (likely). It waited: fact 2.',
  );
  // What its sentence says already is none of them.
  expect(text.match(/^- fact .*$/gm)).toEqual([0, 1, 3, 4].map((at) => `- fact ${at} (exact)`));
  expect(text).toContain('So. The fix saves at most 300.0 ms.');
  expect(text).toContain('```python\na = 1\n```');
});

test('code is there as far as all of it fits on a page', () => {
  const withCode = (lines: number) => {
    const after = Array.from({ length: lines }, (_, at) => `line ${at}`).join('\n');
    const sections = shortSections(
      inputOf({ ...diagnosis, findings: [{ ...finding, fix: { ...finding.fix, after } }] }),
      60 - 28,
    );
    const text = sections.map((section) => section.text).join('\n\n');
    // Beside the title with its answer, and the environment.
    expect(text.split('\n').length).toBeLessThanOrEqual(60 - 28);
    return text;
  };
  expect(withCode(8)).toContain('line 7\n```');
  expect(withCode(30)).toContain('Its code is in the long form.');
  expect(withCode(30)).not.toContain('line 3');
});

test('where nothing is proven the evidence is told as such', () => {
  const clues = [
    { text: 'CPUs were busy', detail: 'All.', basis: 'aggregated' },
  ] as unknown as Diagnosis['clues'];
  const text = shortSections(
    inputOf({ ...diagnosis, findings: [], ...(clues && { clues }) }),
    60 - 28,
  )
    .map((section) => section.text)
    .join('\n');
  expect(text).toContain('**The strongest evidence, no proof: CPUs were busy.**');
  expect(text).toContain('- CPUs were busy. All. (aggregated)');
});

test('nobody asked for a call: verdict, cause and fix lead, and are said once', () => {
  const { facts } = reportInput();
  const written = (change: Partial<Finding>, isAboutCall = false) => {
    const found = { ...finding, id: 'pin-memory', ...change };
    const diagnosed = {
      ...{
        ...diagnosis,
        verdict: 'balanced',
        ranks: [{ steps: { window: [0, 1e9], count: 9 } }],
        findings: [found],
      },
      headline: `It waits. Too few: ${formatShare(0.4, 1)} of the time (${formatDuration(4e8)}).`,
    } as unknown as Diagnosis;
    const input = { facts: { ...facts, diagnosis: diagnosed }, long: false, isAboutCall };
    return reportMarkdown(reportInput(undefined, input));
  };
  const text = written({});
  // Whoever reads these lines alone can name the verdict, the cause and the fix.
  const lines = text.split('\n').slice(0, 10);
  expect(lines.map((line) => line.replaceAll(/\s/g, ' '))).toEqual([
    '## Neither data nor copies hold this job up',
    '',
    '- **Main cause:** Too few. It costs 40.0 % of the step time: 400.0 ms of 1.000 s (likely)',
    '- **Fix:** Set it',
    '',
    '### Evidence',
    '',
    'It waits.',
    '',
    'It waited: fact 2.',
  ]);
  expect(text.match(/Too few|Set it/g)).toEqual(['Too few', 'Set it']);
  expect(headings(text)).toEqual(['Evidence', 'Fix', 'The slowest copy', 'Environment']);
  expect(text).toContain('### Fix\n\nSo. The fix saves');
  expect(text).toMatch(/### The slowest copy\n\n`cudaMemcpyAsync` H2D, 100 ns: Off the CPU/);
  // Of another cause a copy is no example.
  expect(headings(written({ id: 'gil' }))).not.toContain('The slowest copy');
  const asked = written({}, true);
  expect(asked).toMatch(/^## Why slow: `cudaMemcpyAsync`/);
  expect(headings(asked)[0]).toBe('The whole trace');
  expect(asked).toContain('**Set it.** So.');
  expect(written({ culprit: 'redis-server' })).toContain(
    '- **Main cause:** Too few, by redis-server. It costs 40.0',
  );
});

test('a second cause that costs about as much has a line of its own', () => {
  const other = { ...finding, id: 'y', title: 'Too slow in save_all (t.py:3)', costShare: 0.3 };
  const answered = answerLines({ ...diagnosis, findings: [finding, other] });
  expect(answered.replaceAll(/\s/g, ' ')).toMatch(
    /- \*\*Fix:\*\* Set it - \*\*Also:\*\* Too slow in `save_all \(t\.py:3\)`\. It costs 30\.0 % of the time/,
  );
});

test('a function that the cause names with its file goes by its name from then on', () => {
  const found = {
    ...finding,
    title: 'It works in keep (t.py:3)',
    sentence: 'It was in keep (t.py:3), called by main (t.py:90).',
    fix: { ...finding.fix, title: 'Take keep (t.py:3) out' },
  };
  const input = inputOf({ ...diagnosis, verdict: 'balanced', findings: [found] });
  const text = reportMarkdown({ ...input, isAboutCall: false });
  expect(text).toContain('in `keep (t.py:3)`. It costs');
  expect(text).toContain('- **Fix:** Take `keep` out');
  expect(text).toContain('It was in `keep`, called by `main (t.py:90)`.');
});

test('names read as they are, hostile ones stay harmless', () => {
  const name = 'a_b|`<img>`\n# x';
  const found = {
    ...finding,
    title: `It waits in ${name} (my_job.py:3)`,
    sentence: `Of these, 3 were in _pad (my_job.py:9), 2 in ${name} (my_job.py:3).`,
  };
  const text = reportMarkdown(
    reportInput(undefined, {
      ...inputOf({ ...diagnosis, verdict: 'balanced', findings: [found] }),
      isAboutCall: false,
    }),
  );
  expect(text).toContain('3 were in `_pad (my_job.py:9)`, 2 in');
  expect(text).not.toMatch(/^# x|<img>(?!`)/m);
  expect(activeParts(text)).toEqual([]);
});

test('the example makes room for the code of the fix', () => {
  const { facts } = reportInput();
  const written = (lines: number) => {
    const after = Array.from({ length: lines }, (_, at) => `line ${at}`).join('\n');
    const diagnosed = {
      ...{ ...diagnosis, verdict: 'balanced', ranks: [{ steps: {} }] },
      findings: [{ ...finding, id: 'pin-memory', fix: { ...finding.fix, after } }],
    } as unknown as Diagnosis;
    const input = { facts: { ...facts, diagnosis: diagnosed }, long: false, isAboutCall: false };
    const sections = shortSections(reportInput(undefined, input), 40);
    expect(linesOf(sections)).toBeLessThanOrEqual(40);
    return [sections.at(-1)?.title, sections.some(({ text }) => text.includes('```'))];
  };
  expect(written(8)).toEqual(['The slowest copy', true]);
  expect(written(20)).toEqual(['Fix', true]);
  expect(written(40)).toEqual(['The slowest copy', false]);
});
