import { expect, test } from 'vitest';
import { explainCall } from '../../analysis/call/explain-call.ts';
import { diagnose } from '../../analysis/findings/diagnose.ts';
import { withRoles } from '../../analysis/roles/roles.ts';
import { buildTrace } from '../../analysis/testing/build-trace.ts';
import { rankJob } from '../../analysis/testing/rank-job.ts';
import type { Diagnosis } from '../../shared/answers/diagnosis.ts';
import { explainCallText, explainTraceText } from './explain-text.ts';

const call = { thread: 0, op: 0, layer: 1, startNs: 0, durationNs: 10 };
const trace = withRoles(
  buildTrace({
    names: [['CUDA', 'cudaLaunchKernel']],
    processes: [{ pid: 9, name: 'python3' }],
    threads: [{ tid: 9, process: 0, name: 'python3' }],
    rows: { cuda_call: [call, { ...call, startNs: 50 }] },
  }),
);
const { diagnosis } = diagnose(trace);
const told = { notices: [], sourceFindings: [] };

const anyFinding = {
  ...{ id: 'x', rank: 0, title: 'X', severity: 'low', confidence: 'likely', sentence: 'X.' },
  ...{ costNs: 0, costShare: 0, costBasis: 'exact', evidence: [] },
  fix: { title: 'F', text: 'f.', before: '', after: '', language: 'python', sources: [] },
};

test('what the headline says is not said again', () => {
  const { note } = diagnosis.ranks[0]?.steps ?? { note: '' };
  expect(diagnosis.headline).toContain(note);
  expect(explainTraceText(diagnosis, told).split(note)).toHaveLength(2);
});

test('questions that are open for one reason are told together', () => {
  const cannotTell = ['One?', 'Two?', 'Three?'].map((question, at) => ({
    ...{ question, because: at === 1 ? 'Another.' : 'The same.' },
  }));
  const text = explainTraceText({ ...diagnosis, cannotTell }, told);
  expect(text).toContain('cannot answer 3 questions\n  One? Three? The same.\n  Two? Another.');
});

test('what was never real comes first', () => {
  const text = explainTraceText(diagnosis, { ...told, simulated: 'There was no GPU.' });
  expect(text.startsWith('SIMULATED: There was no GPU.\n')).toBe(true);
});

test('several ranks stand side by side, one row each, before each by itself', () => {
  const made = rankJob({
    ranks: 3,
    steps: 20,
    own: (_, rank) => (rank === 1 ? { inputNs: 20e6 } : {}),
  });
  const lines = explainTraceText(diagnose(made.trace).diagnosis, told).split('\n');
  const title = lines.indexOf('A mean step of each rank');
  expect(lines[title + 1]).toMatch(/^ {2}Rank .* Input .* Came last +Others waited for it$/);
  expect(lines[title + 3]).toMatch(
    /^ {2}rank 1 · pid 101 .* (19|20)\.\d+ ms \(most\).*\d+ of \d+ \(most\)/,
  );
  expect(explainTraceText(diagnosis, told)).not.toContain('A mean step of each rank');
});

test('where nothing is proven the strongest evidence comes before what cannot be told', () => {
  const clue = {
    text: 'All CPUs were busy',
    detail: 'In 9 of 10 samples.',
    basis: 'exact',
  } as const;
  const clues = [{ ...clue, events: { shown: [], count: 0 } }];
  expect(explainTraceText({ ...diagnosis, clues }, told)).toMatch(
    /^Nothing is proven\. The strongest evidence:\n {2}- All CPUs were busy\. In 9 of 10 samples\.\n/,
  );
});

test('a line that is told twice is told once of CPU samples and once of waits', () => {
  const line = {
    function: 'load',
    file: 'data.py',
    line: 7,
    samples: 9,
    language: 'python' as const,
  };
  const hotLines = [
    { ...line, share: 0.643 },
    { ...line, share: 0.429, offCpuNs: 5e6 },
  ];
  const finding = { ...anyFinding, hotLines } as Diagnosis['findings'][number];
  const text = explainTraceText({ ...diagnosis, findings: [finding] }, told);
  expect(text).toContain('  - load (data.py:7): 64.3 % of these threads’ CPU samples\n');
  expect(text).toContain(
    '  - load (data.py:7): 42.9 % of their time off the CPU while they made batches\n',
  );
});

test('a finding says what it costs and what its fix saves in the words of the first screen', () => {
  const finding = {
    ...{ ...anyFinding, hotLines: [], costNs: 4e6, costShare: 0.4 },
    ...{ gainUpToNs: 5e6, gainAssumes: 'if all waits for a CPU end with it' },
  } as unknown as Diagnosis['findings'][number];
  const text = explainTraceText({ ...diagnosis, ranks: [], findings: [finding] }, told);
  expect(text).toMatch(/^LOW X \[x, likely, costs 40\.0\s% of the time: 4\.000 ms\]$/m);
  expect(text).toContain(
    '  Fix: F. f.\n  It saves at most 5.000 ms, if all waits for a CPU end with it.\n',
  );
});

test('a call that no finding bears on has no fix, and that is said', () => {
  const explained = explainCall(trace, 0);
  expect(explained.fixes).toEqual([]);
  expect(explainCallText(explained)).toContain(
    '\nNo finding of this trace explains this call, so there is no fix to offer for it.\n',
  );
});
