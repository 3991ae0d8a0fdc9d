import { expect, test } from 'vitest';
import { buildTrace } from '../../testing/build-trace.ts';
import { buildFacts } from '../testing/build-facts.ts';
import { cpuFacts, cpuList } from './cpu-facts.ts';

const { rank } = buildFacts();

test('a list of CPUs is read as /proc writes it', () => {
  expect(cpuList('0-2,8')).toEqual([0, 1, 2, 8]);
  expect(cpuList('5')).toEqual([5]);
  for (const wrong of ['', 'all', '1-', '3-1000000000', '1-2-3', '1,1', '4,2', '0,'.repeat(1e6)])
    expect(cpuList(wrong)).toBeUndefined();
});

test('the smallest of machine, affinity and quota can be used', () => {
  const process = { pid: 1, cpusAllowed: '0-3' };
  const facts = (given: object) =>
    cpuFacts(
      {
        ...buildTrace({ processes: [{ ...process, ...given }] }),
        hosts: [{ cpuCount: 16 }],
      },
      rank,
      [0, 1e9],
    );
  expect(facts({})).toMatchObject({ machine: 16, allowed: 4, usable: 4 });
  expect(facts({ cpuQuota: 1.5 })).toMatchObject({ quota: 1.5, usable: 1.5 });
  expect(facts({ cpuQuota: 9 })).toMatchObject({ usable: 4 });
  expect(facts({ cpusAllowed: undefined })).toMatchObject({ usable: 16 });
});

test('takes no number of CPUs for true that no machine has', () => {
  const trace = buildTrace({ processes: [{ pid: 1 }], machine: { cpuCount: 2 ** 40 } });
  expect(cpuFacts(trace, rank, [0, 1])).toMatchObject({ machine: 65_536, usable: 65_536 });
});

test('idle time is that of the CPUs it may use, within the window', () => {
  const sample = (startNs: number, metric: number, value: number) => ({ startNs, metric, value });
  const trace = buildTrace({
    processes: [{ pid: 1, cpusAllowed: '1' }],
    names: [
      ['', 'CPU (%)'],
      ['', 'CPU 1 (%)'],
    ],
    rows: {
      sample: [
        ...[sample(0, 0, 5), sample(0, 1, 100), sample(10, 0, 10), sample(10, 1, 60)],
        ...[sample(20, 1, 80), sample(99, 1, 0)],
      ],
    },
  });
  expect(cpuFacts(trace, rank, [0, 50]).idleShare).toBeCloseTo(0.3);
  expect(cpuFacts(trace, rank, [60, 70]).idleShare).toBeUndefined();
});

test('a sample counts whose time, from the one before it, lies wholly in the window', () => {
  const values = [100, 10, 20, 30, 100];
  const trace = buildTrace({
    processes: [{ pid: 1 }],
    names: [['', 'CPU (%)']],
    rows: { sample: values.map((value, at) => ({ startNs: at * 10, metric: 0, value })) },
    provenance: { sample: { kind: 'sampled', everyNs: 10, note: '' } },
  });
  expect(cpuFacts(trace, rank, [5, 35]).idleShare).toBeCloseTo(0.75);
  expect(cpuFacts(trace, rank, [10, 29]).idleShare).toBeCloseTo(0.8);
  expect(cpuFacts(trace, rank, [5, 15]).idleShare).toBeUndefined();
  // Of the first one the trace says by its period when it began.
  expect(cpuFacts(trace, rank, [-10, 0]).idleShare).toBeCloseTo(0);
  expect(cpuFacts(trace, rank, [-9, 0]).idleShare).toBeUndefined();
});
