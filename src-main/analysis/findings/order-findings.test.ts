import { expect, test } from 'vitest';
import type { Finding } from '../../shared/answers/diagnosis.ts';
import { orderFindings } from './order-findings.ts';

function finding(id: string, costNs: number, confidence: Finding['confidence'] = 'likely') {
  const fix = { title: '', text: '', before: '', after: '', language: 'python', sources: [] };
  const texts = { title: '', sentence: '', evidence: [], hotLines: [], fix };
  return {
    ...texts,
    id,
    rank: 0,
    severity: 'low',
    costNs,
    costShare: 0,
    costBasis: 'exact',
    confidence,
  } as Finding;
}

const ordered = (...findings: Finding[]) => orderFindings(findings).map(({ id }) => id);

test('what costs more is told first', () => {
  expect(ordered(finding('slow-getitem', 10), finding('checkpoint', 100))).toEqual([
    'checkpoint',
    'slow-getitem',
  ]);
});

test('what costs about as much is told in one order, whichever cost more in this run', () => {
  const order = ['more-workers', 'slow-getitem', 'checkpoint'];
  expect(
    ordered(finding('slow-getitem', 100), finding('more-workers', 95), finding('checkpoint', 92)),
  ).toEqual(order);
  expect(
    ordered(finding('checkpoint', 100), finding('more-workers', 92), finding('slow-getitem', 95)),
  ).toEqual(order);
  expect(ordered(finding('slow-getitem', 100, 'proven'), finding('more-workers', 95))).toEqual([
    'slow-getitem',
    'more-workers',
  ]);
});

test('a row of findings that cost ever less is none that cost as much', () => {
  expect(
    ordered(finding('checkpoint', 100), finding('more-workers', 85), finding('cpu-quota', 78)),
  ).toEqual(['checkpoint', 'cpu-quota', 'more-workers']);
});
