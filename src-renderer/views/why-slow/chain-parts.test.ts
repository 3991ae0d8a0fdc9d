import { expect, test } from 'vitest';
import type { ChainSegment, WaitChain } from '../../../src-main/shared/answers/wait-chain.ts';
import { chainParts, ranInstead, whoDid } from './chain-parts.ts';

const ran = (thread: number, ns: number) => ({ thread: { thread }, ns });
const segments = [
  { state: 'running', startNs: 0, endNs: 5 },
  { state: 'runnable', startNs: 5, endNs: 25, ran: [ran(7, 4), ran(8, 9)] },
  { state: 'running', startNs: 25, endNs: 30, ran: [ran(7, 6)] },
] as unknown as ChainSegment[];

test('the parts of a chain sum to it, the largest first', () => {
  expect(chainParts({ segments })).toEqual([
    { state: 'runnable', ns: 20 },
    { state: 'running', ns: 10 },
  ]);
});

test('who ran instead is told once, with all of it', () => {
  expect(ranInstead({ segments }).map(({ thread, ns }) => [thread.thread, ns])).toEqual([
    [7, 10],
    [8, 9],
  ]);
});

test('a thread is told once with each of its states, whatever the reasons', () => {
  const sum = (thread: number, state: string, reason: string, ns: number) => ({
    ...{ thread: { thread }, state, reason, ns },
  });
  const sums = [
    sum(1, 'running', 'ran a', 5),
    sum(2, 'running', 'ran', 4),
    sum(1, 'running', 'ran b', 3),
  ];
  expect(whoDid({ sums: sums as unknown as WaitChain['sums'] })).toMatchObject([
    { thread: { thread: 1 }, reason: 'ran a', ns: 8 },
    { thread: { thread: 2 }, ns: 4 },
  ]);
});
