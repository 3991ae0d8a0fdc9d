import { expect, test } from 'vitest';
import { outsideJob } from './outside-job.ts';
import type { ProcessInfo } from './trace.ts';

const process = (changes: Partial<ProcessInfo>): ProcessInfo => ({
  pid: 1,
  name: 'x',
  parent: -1,
  role: 'other',
  roleBasis: '',
  ...changes,
});

test('strangers are those that nothing ties to the job', () => {
  const init = process({});
  const main = process({ role: 'main', parent: 0 });
  const child = process({ parent: 1 });
  const shell = process({ commandLine: 'sh -c train', parent: 0 });
  const kernel = process({ role: 'kernel' });
  const all = [init, main, child, shell, kernel, process({ parent: 0 })];
  expect(outsideJob(all)).toEqual([true, false, false, false, true, true]);
});

test('where no job is known, nobody is a stranger to it', () => {
  expect(outsideJob([process({}), process({ role: 'kernel' })])).toEqual([false, false]);
});
