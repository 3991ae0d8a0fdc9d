import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Columns } from '../../shared/model/columns.ts';
import { rowsByIndex, sortedRows } from '../index/sorted-rows.ts';
import { buildTrace } from '../testing/build-trace.ts';
import { overlappingSpans } from './off-cpu-spans.ts';

const moment = fc.integer({ min: 0, max: 60 });
const spans = fc.array(
  fc.record({
    startNs: moment,
    durationNs: fc.integer({ min: 0, max: 40 }),
    thread: fc.constantFrom(0, 1, -1),
  }),
  { maxLength: 12 },
);
const call = fc.record({ startNs: moment, durationNs: fc.integer({ min: 0, max: 50 }) });

function offCpuTable(rows: readonly { startNs: number; durationNs: number; thread: number }[]) {
  const sorted = [...rows].sort((a, b) => a.startNs - b.startNs);
  return buildTrace({ rows: { off_cpu: sorted } }).tables.off_cpu.columns;
}

const switchesOf0 = (columns: Columns<'off_cpu'>) =>
  sortedRows(columns, rowsByIndex(columns.thread, 2), 0);

describe('off-CPU spans of a call', () => {
  test('finds exactly the rows of the thread that overlap, with what overlaps of each', () => {
    fc.assert(
      fc.property(spans, call, (rows, { startNs, durationNs }) => {
        const columns = offCpuTable(rows);
        const endNs = startNs + durationNs;
        const found = overlappingSpans(columns, switchesOf0(columns), startNs, endNs);
        const overlaps = rows
          .filter(({ thread }) => thread === 0)
          .map((row) => countOffCpu([row], startNs, endNs))
          .filter((ns) => ns > 0);
        const sorted = (values: number[]) => values.sort((a, b) => a - b);
        expect(sorted(found.map((span) => span.overlapNs))).toEqual(sorted(overlaps));
      }),
    );
  });
});

/** Off-CPU ns of thread 0, one ns at a time. */
function countOffCpu(
  rows: readonly { startNs: number; durationNs: number; thread: number }[],
  startNs: number,
  endNs: number,
): number {
  let count = 0;
  for (let at = startNs; at < endNs; at++) {
    if (
      rows.some((row) => row.thread === 0 && row.startNs <= at && at < row.startNs + row.durationNs)
    )
      count++;
  }
  return count;
}
