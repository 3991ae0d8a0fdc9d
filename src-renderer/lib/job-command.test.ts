import { expect, test } from 'vitest';
import type { ProcessInfo } from '../../src-main/shared/model/trace.ts';
import { jobCommand } from './job-command.ts';

const process = (changes: Partial<ProcessInfo>): ProcessInfo => ({
  ...{ pid: 1, name: 'python3', parent: -1, role: 'other', roleBasis: '' },
  ...changes,
});

test('a job is begun by its launcher, or by itself', () => {
  const processes = [
    process({ name: 'bash', commandLine: 'bash' }),
    process({ role: 'launcher', parent: 0, commandLine: 'torchrun train.py' }),
    process({ role: 'main', parent: 1, commandLine: 'python3 train.py' }),
    process({ role: 'main', parent: 0, commandLine: 'python3 alone.py' }),
    process({ role: 'main', parent: 0 }),
  ];
  expect(jobCommand(processes, 2)).toBe('torchrun train.py');
  expect(jobCommand(processes, 3)).toBe('python3 alone.py');
  expect(jobCommand(processes, 4)).toBe('');
  expect(jobCommand(processes, 9)).toBe('');
});
