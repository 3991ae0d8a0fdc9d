import { expect, test } from 'vitest';
import { diagnose } from '../analysis/findings/diagnose.ts';
import { rankJob } from '../analysis/testing/rank-job.ts';
import type { Diagnosis, Finding } from '../shared/answers/diagnosis.ts';
import { diagnosisSections } from './diagnosis-sections.ts';

const none = { shown: [], count: 0 };

const finding: Finding = {
  id: 'disk-bound',
  rank: 0,
  title: 'Workers wait for /data/<b>|x|',
  sentence: 'They slept in `read`.',
  severity: 'high',
  costNs: 400,
  costShare: 0.4,
  costBasis: 'inferred',
  confidence: 'proven',
  evidence: [{ text: '3 reads of [a](b)', basis: 'exact', events: none }],
  hotLines: [
    {
      function: 'read|it',
      file: '/data/set.py',
      line: 7,
      samples: 3,
      share: 0.75,
      language: 'python',
    },
  ] as Finding['hotLines'],
  fix: {
    title: 'Read ahead',
    text: 'In a thread.',
    before: 'a = 1\n```\nb = 2',
    after: 'a = 2',
    language: 'python',
    sources: [{ title: 'A guide', url: 'https://example.org/guide' }],
  },
  gainUpToNs: 300,
  experiment: { expects: '', capture: '' },
};

const diagnosis: Diagnosis = {
  verdict: 'input-bound',
  severity: 'high',
  headline: 'Waiting for input takes 40 %.',
  ranks: [],
  findings: [finding],
  chains: [
    {
      finding: 'disk-bound',
      rank: 0,
      severity: 'high',
      costNs: 400,
      costShare: 0.4,
      system: { text: 'a slow disk', events: none },
      host: { text: 'workers slept', events: none },
      cuda: { text: 'the GPU was idle', events: none },
      occurrences: [{ startNs: 10, endNs: 410, costNs: 400 }],
      occurrenceCount: 1,
    },
  ],
  costs: [
    { label: 'Workers wait', finding: 'disk-bound', ns: 400 },
    { label: 'Other', ns: 600 },
  ],
  windowNs: 1000,
  cannotTell: [],
};

test('findings, their fixes and chains are told, names of the trace as text only', () => {
  const text = diagnosisSections(diagnosis)
    .map((section) => section.text)
    .join('\n\n');
  expect(text).toContain('**INPUT-BOUND** Waiting for input takes 40 %.');
  expect(text).toMatch(/\| Other \| 600 \| 60\.0\s%/);
  expect(text).toContain(String.raw`### Finding: Workers wait for /data/\<b\>\|x\|`);
  expect(text).not.toContain('<b>');
  expect(text).not.toContain('[a](b)');
  // The fence is longer than any in the code.
  expect(text).toContain('````python\na = 1\n```\nb = 2\n````');
  expect(text).toContain('**SYSTEM** a slow disk');
  expect(text).toContain('A guide (https://example.org/guide)');
});

test('without a diagnosis nothing is said', () => {
  expect(diagnosisSections(undefined)).toEqual([]);
});

test('ranks stand side by side, one row each', () => {
  const own = (_: number, rank: number) => (rank === 1 ? { inputNs: 20e6 } : {});
  const { trace } = rankJob({ ranks: 3, steps: 20, own });
  const [{ text: body }] = diagnosisSections(diagnose(trace).diagnosis);
  expect(body).toMatch(
    /\| A mean step of each rank: Rank \| Steps \|.*\| Came last \| Others waited for it \|\n\| ---/,
  );
  expect(body).toMatch(/\| rank 1 · pid 101 \|.* (19|20)\.\d+ ms \(most\) .*\n/);
});
