import { expect, test } from 'vitest';
import { fakeSummary } from '../../../src-main/timeline/testing/fake-summary.ts';
import { fileFacts } from './file-facts.ts';

test('what the file says is named as in the library; what it does not say is left out', () => {
  expect(fileFacts(fakeSummary({}))).toEqual([
    { label: 'Format', value: 'Ingero 0.10' },
    { label: 'Recorded', value: '2026-02-22 17:41:05 UTC' },
    { label: 'Length', value: '1.000 s' },
  ]);
});

test('of several machines, amounts are those of each, and it is said how well their clocks are known', () => {
  const hosts = [
    { hostname: 'node-a', cpuCount: 2 },
    { hostname: 'node-b', cpuCount: 2 },
  ];
  const clocks = [{ offsetNs: 0, uncertaintyNs: 0 }, { offsetNs: 5e6 }];
  const facts = fileFacts(fakeSummary({}, { hosts, clocks }));
  expect(facts).toContainEqual({ label: 'CPU', value: '2 CPUs on each of 2 machines' });
  expect(facts).toContainEqual({
    label: 'Clocks',
    value: 'node-a: that of this trace; node-b: not measured',
  });
});
