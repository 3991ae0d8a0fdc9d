import { expect, test } from 'vitest';
import { fakeSummary } from '../timeline/testing/fake-summary.ts';
import { environment } from './environment.ts';
import { reportInput } from './testing/report-trace.ts';

const hosts = [
  { hostname: 'node-a', cpuCount: 2, memoryBytes: 1024 },
  { hostname: 'node-b', cpuCount: 2, memoryBytes: 2048 },
];
const clocks = [
  { offsetNs: 0, uncertaintyNs: 0 },
  { offsetNs: 5e6, uncertaintyNs: 3e6 },
];
const textOf = (changes: Parameters<typeof fakeSummary>[1], hidden: boolean) =>
  environment(reportInput(undefined, { summary: fakeSummary({}, changes), hidden }))[0]?.text;

test('of several machines, what each has is no amount of all', () => {
  const text = textOf({ hosts, clocks }, true);
  expect(text).toContain('| Cores | 2 on each of 2 machines |');
  expect(text).toContain('| Memory | 1.000 KiB; 2.000 KiB |');
  expect(text).toContain('| Host | 2, hidden |');
  expect(text).toContain('± 3.000 ms');
});

test('of one nothing of this is said', () => {
  const text = textOf({ hosts: hosts.slice(0, 1) }, true);
  expect(text).toContain('| Cores | 2 |');
  expect(text).toContain('| Host | hidden |');
  expect(text).not.toContain('Clocks');
});
