import { expect, test } from 'vitest';
import type { ThreadLabel } from '../../../src-main/shared/answers/jobs.ts';
import type { ChainSum, WaitChain } from '../../../src-main/shared/answers/wait-chain.ts';
import { chainParts, isOfCause, ranInstead, whoDid } from './chain-parts.ts';

const ran = (thread: number, ns: number) => ({ thread: { thread }, ns });
const sums = [
  { state: 'runnable', ns: 15, ran: [ran(8, 9), ran(7, 4)] },
  { state: 'running', ns: 10 },
  { state: 'runnable', ns: 5, ran: [ran(7, 6)] },
] as unknown as ChainSum[];

test('the parts of a chain sum to it, the largest first', () => {
  expect(chainParts({ sums })).toEqual([
    { state: 'runnable', ns: 20 },
    { state: 'running', ns: 10 },
  ]);
});

test('who ran instead is told once, with all of it', () => {
  expect(ranInstead({ sums }).map(({ thread, ns }) => [thread.thread, ns])).toEqual([
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

test('kernel and recorder are told only where the cause is them; the kernel also where it is not known', () => {
  const told = (relation: ThreadLabel['relation'], name: string, about?: string) =>
    isOfCause({ relation, name } as ThreadLabel, about);
  const slow = 'The dataset takes long for each sample';
  expect(told('other', 'ffmpeg', slow)).toBe(true);
  expect(told('kernel', 'kswapd0', slow)).toBe(false);
  expect(told('recorder', 'stalltrace-agent', slow)).toBe(false);
  expect(told('recorder', 'stalltrace-agent', 'The recorder itself took CPU time')).toBe(true);
  expect(told('kernel', 'kswapd0', 'Waits while the kernel’s kswapd0 ran')).toBe(true);
  expect(told('kernel', 'kswapd0')).toBe(true);
  expect(told('recorder', 'stalltrace-agent')).toBe(false);
});
