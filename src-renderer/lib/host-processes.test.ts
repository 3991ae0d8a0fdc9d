import { expect, test } from 'vitest';
import { fakeProcess } from '../state/testing/fake-remote.ts';
import { gpuJobs, hostProcessRows, inShownOrder, roleText } from './host-processes.ts';

const workers = [11, 12].map((pid) =>
  fakeProcess(pid, { role: 'dataloader-worker', name: 'pt_data_worker', commandLine: 'worker' }),
);
const job = fakeProcess(10, { usesGpu: true, children: workers });
const shell = fakeProcess(5, {
  name: 'bash',
  role: 'other',
  commandLine: 'bash -l',
  children: [job],
});
const none = { filter: '', closed: new Set<number>(), chosen: new Set<number>() };
const lines = (changes: Partial<typeof none>) =>
  hostProcessRows([shell], { ...none, ...changes }).map(
    ({ process, depth, chosen }) =>
      `${' '.repeat(depth)}${process.pid}${chosen ? ` ${chosen}` : ''}`,
  );

test('trees as lines; what is closed hides what is below', () => {
  expect(lines({})).toEqual(['5', ' 10', '  11', '  12']);
  expect(lines({ closed: new Set([10]) })).toEqual(['5', ' 10']);
});

test('with a chosen process all below it are recorded', () => {
  expect(lines({ chosen: new Set([10, 11]) })).toEqual([
    '5',
    ' 10 itself',
    '  11 parent',
    '  12 parent',
  ]);
});

test('a filter looks at names, command lines, users, pids and roles, and shows the way there', () => {
  expect(lines({ filter: 'WORKER', closed: new Set([5]) })).toEqual(['5', ' 10', '  11', '  12']);
  expect(lines({ filter: '12' })).toEqual(['5', ' 10', '  12']);
  expect(lines({ filter: 'train.py ada' })).toEqual(['5', ' 10', '  11', '  12']);
  expect(lines({ filter: 'nothing like it' })).toEqual([]);
});

test('a list that is read again keeps its order; new jobs come after the known ones on a GPU', () => {
  const [a, b, c] = [1, 2, 3].map((pid) => fakeProcess(pid));
  const gpu = fakeProcess(4, { usesGpu: true });
  if (a === undefined || b === undefined || c === undefined) throw new Error('three are there');
  const pids = (shown: (typeof a)[], next: (typeof a)[]) =>
    inShownOrder(shown, next).map(({ pid }) => pid);
  expect(pids([b, a], [a, c, b])).toEqual([2, 1, 3]);
  expect(pids([job, a], [gpu, a, job, c])).toEqual([10, 4, 1, 3]);
  expect(pids([a, b], [b])).toEqual([2]);
  // The same pid, another process.
  expect(pids([a, b], [fakeProcess(1, { startedAtMs: 77 }), b])).toEqual([2, 1]);
});

test('jobs on a GPU are found below shells and launchers, once', () => {
  expect(gpuJobs([shell, fakeProcess(9)]).map(({ pid }) => pid)).toEqual([10]);
});

test('a role of a host is a word of ours or none', () => {
  expect(roleText({ role: 'dataloader-worker' })).toBe('DataLoader worker');
  expect(['other', 'constructor', '<b>'].map((role) => roleText({ role }))).toEqual(['', '', '']);
});
