import { expect, test } from 'vitest';
import { diagnose } from '../../analysis/findings/diagnose.ts';
import { withRoles } from '../../analysis/roles/roles.ts';
import { buildTrace } from '../../analysis/testing/build-trace.ts';
import { rankJob } from '../../analysis/testing/rank-job.ts';
import { explainTraceText } from './explain-text.ts';

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
