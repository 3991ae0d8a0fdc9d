import { expect, test } from 'vitest';
import type { Finding } from '../../../shared/answers/diagnosis.ts';
import { ofOneLoader } from './one-loader.ts';
import { loaderLine } from './snippets.ts';

function finding(before: string, after: string): Finding {
  const fix = { title: '', text: '', before, after, language: 'python', sources: [] } as const;
  return {
    id: 'x',
    rank: 0,
    title: '',
    sentence: '',
    severity: 'low',
    costNs: 1,
    costShare: 0,
    costBasis: 'exact',
    confidence: 'proven',
    evidence: [],
    hotLines: [],
    fix,
    gainUpToNs: 0,
    experiment: { expects: '', capture: '' },
  };
}
const afterOf = (findings: readonly Finding[]) => ofOneLoader(findings).map(({ fix }) => fix.after);
const four = loaderLine('num_workers=4');

test('the code of a finding keeps what the findings before it changed', () => {
  const findings = [
    finding(four, loaderLine('num_workers=2')),
    finding(
      `${four}\nfor x in loader:`,
      `${loaderLine('num_workers=4, pin_memory=True')}\nfor x in loader:`,
    ),
    finding('renice', 'renice -n 19'),
    finding(four, loaderLine('num_workers=4, persistent_workers=True')),
  ];
  expect(afterOf(findings)).toEqual([
    loaderLine('num_workers=2'),
    `${loaderLine('num_workers=2, pin_memory=True')}\nfor x in loader:`,
    'renice -n 19',
    loaderLine('num_workers=2, persistent_workers=True, pin_memory=True'),
  ]);
  // What the job has today stays what it has today.
  expect(ofOneLoader(findings).map(({ fix }) => fix.before)).toEqual(
    findings.map(({ fix }) => fix.before),
  );
});

test('of two numbers of workers the smaller stands', () => {
  const two = finding(four, loaderLine('num_workers=2'));
  const three = finding(four, loaderLine('num_workers=3, prefetch_factor=2'));
  expect(afterOf([two, three])[1]).toBe(loaderLine('num_workers=2, prefetch_factor=2'));
  expect(afterOf([three, two])[1]).toBe(loaderLine('num_workers=2'));
});

test('options come before what unpacks a dict', () => {
  const findings = [
    finding(four, loaderLine('num_workers=4, pin_memory=True')),
    finding(four, loaderLine('num_workers=4, **options')),
  ];
  expect(afterOf(findings)[1]).toBe(loaderLine('num_workers=4, pin_memory=True, **options'));
});
