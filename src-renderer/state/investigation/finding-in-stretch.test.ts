import { expect, test } from 'vitest';
import type { Diagnosis } from '../../../src-main/shared/answers/diagnosis.ts';
import { findingInStretch } from './finding-in-stretch.ts';

const span = (startNs: number, endNs: number) => ({ startNs, endNs, costNs: endNs - startNs });
const diagnosis = {
  ranks: [{ rank: { mainThread: 4 } }, { rank: { mainThread: 7 } }],
  findings: [
    { id: 'workers', rank: 0 },
    { id: 'disk', rank: 0 },
    { id: 'workers', rank: 1 },
  ],
  chains: [
    { finding: 'workers', rank: 0, occurrences: [span(0, 10), span(40, 45)] },
    { finding: 'disk', rank: 0, occurrences: [span(45, 60)] },
    { finding: 'workers', rank: 1, occurrences: [span(100, 110)] },
  ],
} as unknown as Diagnosis;
const of = (thread: number, startNs: number, endNs: number) =>
  findingInStretch(diagnosis, { thread, startNs, endNs });

test('is the one that happened for most of the stretch', () => {
  expect(of(4, 2, 8)).toBe(diagnosis.findings[0]);
  expect(of(4, 40, 60)).toBe(diagnosis.findings[1]);
});

test('is none of another time', () => {
  expect(of(4, 10, 40)).toBeUndefined();
  expect(of(4, 100, 110)).toBeUndefined();
});

test('is none of another rank, nor of a thread that is no main thread', () => {
  expect(of(7, 0, 10)).toBeUndefined();
  expect(of(7, 105, 120)).toBe(diagnosis.findings[2]);
  expect(of(5, 0, 10)).toBeUndefined();
  expect(of(-1, 0, 10)).toBeUndefined();
});

test('is the one that costs most in it, not the one that is told first', () => {
  const both = [
    { finding: 'workers', rank: 0, occurrences: [{ startNs: 0, endNs: 100, costNs: 40 }] },
    { finding: 'disk', rank: 0, occurrences: [{ startNs: 0, endNs: 100, costNs: 60 }] },
  ];
  const shared = { ...diagnosis, chains: both } as unknown as Diagnosis;
  const found = (finding?: string) =>
    findingInStretch(shared, { thread: 4, startNs: 0, endNs: 100, finding })?.id;
  expect(found()).toBe('disk');
  // What was chosen as an occurrence of one is told as that.
  expect(found('workers')).toBe('workers');
  expect(found('disk')).toBe('disk');
  expect(found('not known here')).toBe('disk');
});
