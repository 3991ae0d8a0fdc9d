import { expect, test } from 'vitest';
import type { Contender } from '../../../src-main/shared/answers/explanation.ts';
import { noEvents } from '../../../src-main/shared/model/event-ref.ts';
import {
  contendingProcesses,
  contentionFigure,
  cpusText,
  nobodyRan,
  recorderText,
} from './contending.ts';

const contender = (process: number, thread: number, ns: number): Contender => ({
  process,
  thread,
  ns,
  pid: 100 + process,
  tid: 1000 + thread,
  role: 'other',
  name: `p${process}`,
  lineage: '',
  relation: 'other',
  cpus: [{ cpu: 1, ns }],
  events: noEvents,
});

test('threads are grouped by process, the process that ran most first', () => {
  const grouped = contendingProcesses([
    contender(1, 1, 50),
    contender(2, 2, 40),
    contender(2, 3, 30),
  ]);
  expect(grouped.map(({ process, ns, threads }) => [process, ns, threads.length])).toEqual([
    [2, 70, 2],
    [1, 50, 1],
  ]);
});

test('the recorder is told of from 5 % of a moment on, with all of its threads', () => {
  const ran = (relation: 'recorder' | 'other', ns: number) => ({ relation, ns });
  expect(recorderText([ran('recorder', 4), ran('other', 90)], 100)).toBe('');
  expect(recorderText([ran('recorder', 4), ran('recorder', 5)], 100)).toBe(
    'The recorder had a CPU for 9.0 % of this time: a run without a recording does not lose that.',
  );
  expect(recorderText([], 0)).toBe('');
});

test('threads whose process is not known stand alone', () => {
  expect(contendingProcesses([contender(-1, 1, 5), contender(-1, 2, 4)])).toHaveLength(2);
});

test('CPUs: one by its number, several with how long on each', () => {
  expect(cpusText({ cpus: [{ cpu: 3, ns: 5 }] })).toBe('on CPU 3');
  const cpus = [1, 2, 3, 4, 5].map((cpu) => ({ cpu, ns: cpu * 10 }));
  expect(cpusText({ cpus })).toBe(
    '50 ns on CPU 5, 40 ns on CPU 4, 30 ns on CPU 3, the rest on 2 more',
  );
});

test('throttled or idle, nobody is named, and it is said', () => {
  const contention = {
    runnableNs: 30,
    othersRanNs: 0,
    throttledNs: 20,
    idleNs: 10,
    unknownNs: 0,
    contenders: [],
    note: '',
  };
  expect(nobodyRan(contention)).toEqual([
    expect.stringMatching(/20 ns a CPU quota .* nobody ran instead/),
    expect.stringMatching(/10 ns its CPU was idle/),
  ]);
});

test('that nobody ran is only said where it is known', () => {
  const figure = (othersRanNs: number, unknownNs: number) =>
    contentionFigure({ runnableNs: 30, othersRanNs, unknownNs });
  expect(figure(20, 10)).toBe('20 ns of 30 ns waiting');
  expect(figure(0, 0)).toBe('nobody, for 30 ns');
  expect(figure(0, 30)).toBe('not recorded, for 30 ns');
  expect(figure(0, 10)).toBe('not recorded for 10 ns of 30 ns');
});
