import { expect, test } from 'vitest';
import type { Provenance } from '../../../src-main/shared/model/trace.ts';
import type { TraceView } from '../../../src-main/timeline/model/trace-data.ts';
import { fakeSummary } from '../../../src-main/timeline/testing/fake-summary.ts';
import { keepsSelection, rangeCountText } from './range-counts.ts';

test('calls that are stored, of those that happened, as far as that is known', () => {
  expect(rangeCountText(16, undefined)).toBe('16');
  expect(rangeCountText(16, { inside: 14, isMore: false })).toBe('16 of 30');
  expect(rangeCountText(16, { inside: 14, isMore: true })).toBe('16 of ≥ 30');
  expect(rangeCountText(16, { inside: 0, isMore: true })).toBe('≥ 16');
});

test('a selection is a table that is partial, of a recorder that lost nothing', () => {
  const summary = fakeSummary({ cuda_call: 1 });
  const withKinds = (call: Provenance['kind'], gap: Provenance['kind']): TraceView => {
    const { cuda_call, gap: gaps, ...tables } = summary.tables;
    const changed = {
      ...tables,
      cuda_call: { ...cuda_call, provenance: { kind: call, note: '' } },
      gap: { ...gaps, provenance: { kind: gap, note: '' } },
    };
    return { traceId: 'x', summary: { ...summary, tables: changed } };
  };
  expect(keepsSelection(withKinds('partial', 'absent'), 'cuda_call')).toBe(true);
  expect(keepsSelection(withKinds('partial', 'exact'), 'cuda_call')).toBe(false);
  expect(keepsSelection(withKinds('exact', 'absent'), 'cuda_call')).toBe(false);
  expect(keepsSelection(withKinds('partial', 'absent'), undefined)).toBe(false);
});
