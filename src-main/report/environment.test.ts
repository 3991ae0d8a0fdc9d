import { expect, test } from 'vitest';
import type { Diagnosis } from '../shared/answers/diagnosis.ts';
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
const textOf = (changes: Parameters<typeof fakeSummary>[1], hidden: boolean, long = true) =>
  environment(reportInput(undefined, { summary: fakeSummary({}, changes), hidden, long }))[0]?.text;

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

test('the short form leaves out what only computes with, and what is said elsewhere', () => {
  const gpus = [{ model: '(not known)' }];
  const [long, short] = [true, false].map((isLong) =>
    textOf({ hosts: hosts.slice(0, 1), gpus, lengthNs: 2.5e9 }, true, isLong),
  );
  expect(long).toContain('| Length | 2.500 s (2500000000 ns) |');
  expect(short).toContain('| Length | 2.500 s |');
  expect(short).not.toMatch(/ ns\)|\| Host \||not known/);
  expect(short).toMatch(/\| GPU, .* \| not recorded \|/);
});

test('the short form says what of its length the answer is of', () => {
  const steps = { count: 40 };
  const diagnosis = { ranks: [{ steps }], windowNs: 2e9 } as unknown as Diagnosis;
  const facts = { ...reportInput().facts, diagnosis };
  const summary = fakeSummary({}, { lengthNs: 2.5e9 });
  const text = environment(reportInput(undefined, { summary, facts, long: false }))[0]?.text;
  expect(text).toContain('| Length | 2.500 s, of which 2.000 s are judged: 40 steps |');
});
