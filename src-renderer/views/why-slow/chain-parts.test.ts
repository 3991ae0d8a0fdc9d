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
  const chain = { sums: sums as unknown as WaitChain['sums'], ranWithin: [] };
  expect(whoDid(chain)).toMatchObject([
    { thread: { thread: 1 }, reason: 'ran a', ns: 8 },
    { thread: { thread: 2 }, ns: 4 },
  ]);
});

test('who ran mostly within what the cause blames is said to have run that, by the name that the cause says', () => {
  const of = (thread: number, state: string) => ({
    ...{ thread: { thread }, state, reason: 'ran plot_labels (plot.py:115)', ns: 5 },
  });
  const sums = [of(1, 'running'), of(1, 'runnable'), of(2, 'running')];
  const within = (thread: number, ...names: string[]) => ({
    thread,
    functions: names.map((name) => ({ name, file: 'plot.py' })),
  });
  const chain = {
    sums: sums as unknown as WaitChain['sums'],
    ranWithin: [within(1, 'plot_labels', 'draw_line'), within(2, 'plot_labels')],
  };
  const reasons = (title: string, culprit?: string) =>
    whoDid(chain, { title, sentence: '', ...(culprit !== undefined && { culprit }) }).map(
      ({ reason }) => reason,
    );
  const asIs = 'ran plot_labels (plot.py:115)';
  const title = 'The main thread waits, held by draw_line (plot.py:86)';
  expect(reasons(title, 'draw_line')).toEqual(['ran draw_line (plot.py:86)', asIs, asIs]);
  expect(reasons(title)).toEqual([asIs, asIs, asIs]);
  // Of another file it is another function.
  expect(reasons('Held by draw_line (other.py:3)', 'draw_line')).toEqual([asIs, asIs, asIs]);
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
