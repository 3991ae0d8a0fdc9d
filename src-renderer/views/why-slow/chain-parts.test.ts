import { expect, test } from 'vitest';
import type { ChainSegment } from '../../../src-main/shared/answers/wait-chain.ts';
import { chainParts, ranInstead } from './chain-parts.ts';

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
