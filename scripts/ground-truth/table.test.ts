import { expect, test } from 'vitest';
import type { Grade } from './judge.ts';
import type { JobResult } from './results.ts';
import { tableOf, totalsOf } from './table.ts';

function result(job: string, grade: Grade, more: Partial<JobResult['judgement']> = {}): JobResult {
  const phases = { other: 0, input: 0.2, h2d: 0, compute: 0.8, collective: 0, idle: 0 };
  const found = {
    id: 'slow-getitem',
    severity: 'high',
    confidence: 'likely',
    share: 0.19,
  } as const;
  const hit = { ...found, gainUpTo: 2, text: '' };
  return {
    ...{ job, form: 'broken', run: 1, wonSeconds: 1.5, othersShare: 0.031 },
    truth: {
      causes: [{ ids: ['slow-getitem'], culprit: ['decode'], part: 'input' }],
      ...{ also_right: [], verdicts: [], pid: 1, seconds: 10, input_share: 0.21 },
      ...{ other_shares: {}, steps: 10, step_seconds: [] },
    },
    said: {
      ...{ verdict: 'input-bound', headline: '', window: 10, phases, findings: [hit] },
      input: { atLeast: 0.2, atMost: 0.25 },
    },
    judgement: { grade, hit, culprit: true, falseAlarms: [], violations: [], ...more },
  };
}

test('a row says what was said beside what is true', () => {
  const [head = '', , row = ''] = tableOf([result('slow_decoding', 'right')]).split('\n');
  expect(row.replace(/ +/g, ' ')).toBe(
    '| slow_decoding | slow-getitem | input-bound | slow-getitem 19.0 % | likely | named | 20.0 % to 25.0 % \\| 21.0 % | 19.0 % \\| 21.0 % | 2.00 s \\| 1.50 s | kept | – | 3.1 % | right |',
  );
  expect(row.length).toBe(head.length);
});

test('the goal is nine of ten right, no false alarm, no broken bound, and no job left out', () => {
  const right = Array.from({ length: 9 }, (_, at) => result(`job-${at}`, 'right'));
  const none = new Map<string, string>();
  const good = totalsOf([...right, result('last', 'vague')], none);
  expect(good.isGoalReached).toBe(true);
  expect(good.sentences.at(-1)).toBe('90 % right and specific');
  expect(totalsOf(right.slice(1).concat(result('a', 'vague')), none).isGoalReached).toBe(false);
  const alarm = result('a', 'right', { falseAlarms: ['shm'] });
  expect(totalsOf([...right, alarm], none).isGoalReached).toBe(false);
  const broken = result('a', 'right', { violations: ['input takes at least 80 %'] });
  expect(totalsOf([...right, broken], none).isGoalReached).toBe(false);
  const left = totalsOf(right, new Map([['io_limit', 'needs a control group']]));
  expect(left.isGoalReached).toBe(false);
  expect(left.sentences).toContain('!!! NOT RUN: io_limit: needs a control group');
  expect(totalsOf([], none).isGoalReached).toBe(false);
});
