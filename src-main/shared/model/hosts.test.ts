import { describe, expect, test } from 'vitest';
import { setRoleFinder, withSetRole } from '../library/set-role.ts';
import { cpuLabel, cpuNumber, gpuLabel, hostLabel, pidText } from './hosts.ts';
import type { Hardware } from './trace.ts';

const one: Hardware = { hosts: [{ hostname: 'a' }], cpus: [], gpus: [{ model: 'x' }] };
const two: Hardware = {
  hosts: [{ hostname: 'a' }, {}],
  cpus: [
    { id: 3, number: 3 },
    { id: 7, number: 3, host: 1 },
  ],
  gpus: [{ model: 'x' }, { model: 'x', host: 1 }, { model: 'x', host: 1 }],
};

describe('in a trace of one host', () => {
  test('nothing names it', () => {
    expect(pidText(one, { pid: 96 })).toBe('pid 96');
    expect(cpuLabel(one, 3)).toBe('CPU 3');
    expect(gpuLabel(one, 0)).toBe('GPU 0');
  });
});

describe('in a trace of several', () => {
  test('processes, CPUs and GPUs name theirs, and are counted as theirs', () => {
    expect(pidText(two, { pid: 96 })).toBe('pid 96 on a');
    expect(pidText(two, { pid: 96, host: 1 })).toBe('pid 96 on machine 2');
    expect(cpuLabel(two, 3)).toBe('CPU 3 · a');
    expect(cpuLabel(two, 7)).toBe('CPU 3 · machine 2');
    expect(cpuNumber(two, 7)).toBe(3);
    expect([0, 1, 2].map((gpu) => gpuLabel(two, gpu))).toEqual([
      'GPU 0 · a',
      'GPU 0 · machine 2',
      'GPU 1 · machine 2',
    ]);
  });

  test('a host without a name is called by its place', () => {
    expect([0, 1].map((host) => hostLabel(two, host))).toEqual(['a', 'machine 2']);
  });

  test('a role that the user set is of one host’s process', () => {
    const set = withSetRole([], two, { pid: 96, host: 1 }, 'launcher');
    expect(set).toEqual([{ host: 'machine 2', pid: 96, role: 'launcher' }]);
    const roleOf = setRoleFinder(set, two);
    expect([roleOf({ pid: 96 }), roleOf({ pid: 96, host: 1 })]).toEqual([undefined, 'launcher']);
    expect(setRoleFinder([{ pid: 96, role: 'main' }], one)({ pid: 96 })).toBe('main');
  });
});
