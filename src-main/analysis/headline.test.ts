import { expect, test } from 'vitest';
import type { AccountingPart } from '../shared/explanation.ts';
import { headlineOf } from './headline.ts';

const part = (kind: AccountingPart['kind'], ns: number) => ({ kind, ns, reason: '' });
const headline = (accounting: AccountingPart[]) =>
  headlineOf(
    {
      call: { durationNs: 10e6 },
      accounting,
      rank: { of: 1 },
      switchesRecorded: true,
      stretches: 'in 2 stretches',
    } as unknown as Parameters<typeof headlineOf>[0],
    'other',
  );

test('a figure that is the one before is not said twice', () => {
  expect(headline([part('runnable', 8e6), part('running', 2e6)])).toBe(
    'Off the CPU for 80.0 % of its time: 8.000 ms in 2 stretches; all of it waiting for a CPU.',
  );
  expect(headline([part('runnable', 3e6), part('blocked', 5e6), part('running', 2e6)])).toBe(
    'Off the CPU for 80.0 % of its time: 8.000 ms in 2 stretches; 3.000 ms of it waiting for a CPU.',
  );
});
