import { expect, test } from 'vitest';
import { fakeSummary } from '../../timeline/testing/fake-summary.ts';
import { hasSumsOnly, whyNoCalls } from './no-calls.ts';

const aggregated = { kind: 'aggregated', note: 'Kept as sums.' } as const;

test.each(['absent', 'exact', 'partial', 'aggregated'] as const)(
  'sums of calls are told of where the table of single ones is %s',
  (kind) => {
    const { tables, ...rest } = fakeSummary({ aggregate: 4 }, { hasSummedCalls: true });
    const cuda_call = { ...tables.cuda_call, provenance: { kind, note: '' } };
    const summary = { ...rest, tables: { ...tables, cuda_call } };
    expect(whyNoCalls(summary)).toContain('The recorder kept only sums of CUDA calls');
  },
);

test('no sums are told of where there are none, whatever the table of single calls is said to be', () => {
  const { tables, ...rest } = fakeSummary({ aggregate: 4 });
  const cuda_call = { ...tables.cuda_call, provenance: aggregated };
  const summary = { ...rest, tables: { ...tables, cuda_call } };
  expect(whyNoCalls(summary)).toBe('This trace has no CUDA calls to explain.');
});

test('sums beside single calls are not all there is', () => {
  expect(hasSumsOnly(fakeSummary({ cuda_call: 1 }, { hasSummedCalls: true }))).toBe(false);
});
