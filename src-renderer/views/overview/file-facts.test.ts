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
