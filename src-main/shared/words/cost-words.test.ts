import { expect, test } from 'vitest';
import type { Diagnosis, Finding } from '../answers/diagnosis.ts';
import { costText, gainText } from './cost-words.ts';

const spaced = (text: string) => text.replaceAll('\u202f', ' ');
const finding = { rank: 0, costNs: 4.935e9, costShare: 4.935 / 11.73 } as Finding;
const ranksOf = (...steps: object[]) =>
  steps.map((own, at) => ({
    rank: { label: `rank ${at}` },
    steps: { window: [1e9, 12.73e9], count: 9, ...own },
  })) as unknown as Diagnosis['ranks'];

test('a cause’s share stands with its time, and the time that it is of', () => {
  const costs = (ranks: Diagnosis['ranks']) => spaced(costText(finding, ranks));
  expect(costs(ranksOf({}))).toBe('costs 42.1 % of the step time: 4.935 s of 11.73 s');
  expect(costs(ranksOf({ count: 0 }))).toBe('costs 42.1 % of the time: 4.935 s of 11.73 s');
  expect(costs(ranksOf({ isSelection: true }))).toMatch(/^costs 42\.1 % of the time: /);
  // Of a call alone it is not told how long the loop was.
  expect(costs([])).toBe('costs 42.1 % of the time: 4.935 s');
  // Each rank has a time of its own.
  expect(costs(ranksOf({}, { window: [0, 1e9] }))).toBe(
    'costs 42.1 % of the step time of rank 0: 4.935 s of 11.73 s',
  );
});

test('what a fix saves at most stands with why it may be that much', () => {
  const gain = { gainUpToNs: 6.446e9 };
  expect(gainText({})).toBe('');
  expect(gainText(gain)).toBe('saves at most 6.446 s');
  expect(gainText({ ...gain, gainAssumes: 'if all waits for a CPU end with it' })).toBe(
    'saves at most 6.446 s, if all waits for a CPU end with it',
  );
});
