import { expect, test } from 'vitest';
import type { Diagnosis } from '../../../src-main/shared/answers/diagnosis.ts';
import { costParts } from './cost-parts.ts';

const diagnosis = (count: number, ranks = 1): Diagnosis => {
  const costs = Array.from({ length: count }, (_, at) => ({ label: `${at}`, ns: (at % 5) + 1 }));
  return {
    ...{ verdict: 'balanced', severity: 'info', headline: '', findings: [], chains: [] },
    costs,
    windowNs: costs.reduce((sum, { ns }) => sum + ns, 0),
    ranks: Array.from({ length: ranks }) as unknown as Diagnosis['ranks'],
    cannotTell: [],
  };
};

test('all that is drawn has its entry, what is smallest in one', () => {
  const given = diagnosis(15);
  const parts = costParts(given);
  expect(parts.map(({ label }) => label)).toEqual([
    ...['2', '3', '4', '8', '9', '13', '14'],
    '8 smaller',
  ]);
  expect(parts.reduce((sum, { ns }) => sum + ns, 0)).toBe(given.windowNs);
  expect(costParts(diagnosis(8)).map(({ label }) => label)).not.toContain('1 smaller');
});

test('shares of several ranks are said to be of all of them', () => {
  expect(costParts(diagnosis(2)).map(({ share }) => share)).toEqual(['33.3 %', '66.7 %']);
  expect(costParts(diagnosis(2, 2))[0]?.share).toBe('33.3 % of all 2 ranks');
});
