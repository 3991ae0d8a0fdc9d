import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Columns } from '../shared/model/columns.ts';
import { accountCall, overlappingSpans, splitOffCpu } from './accounting.ts';
import { offCpuPartsNs } from './headline.ts';
import { buildTrace } from './testing/build-trace.ts';
import { rowsByThread, threadSwitches } from './thread-switches.ts';

const moment = fc.integer({ min: 0, max: 60 });
const spans = fc.array(
  fc.record({
    startNs: moment,
    durationNs: fc.integer({ min: 0, max: 40 }),
    thread: fc.constantFrom(0, 1, -1),
    runQueueNs: fc.integer({ min: -1, max: 40 }),
  }),
  { maxLength: 12 },
);
const call = fc.record({ startNs: moment, durationNs: fc.integer({ min: 0, max: 50 }) });

function offCpuTable(rows: readonly { startNs: number; durationNs: number; thread: number }[]) {
  const sorted = [...rows].sort((a, b) => a.startNs - b.startNs);
  return buildTrace({ rows: { off_cpu: sorted } }).tables.off_cpu.columns;
}

const switchesOf0 = (columns: Columns<'off_cpu'>) =>
  threadSwitches(columns, rowsByThread(columns.thread, 2), 0);

describe('call accounting', () => {
  test('tiles the call to the ns, whatever the spans', () => {
    fc.assert(
      fc.property(spans, call, fc.boolean(), (rows, { startNs, durationNs }, complete) => {
        const columns = offCpuTable(rows);
        const endNs = startNs + durationNs;
        const inside = overlappingSpans(columns, switchesOf0(columns), startNs, endNs);
        const parts = accountCall(
          { startNs, durationNs, spans: inside, complete, note: 'why', runningAs: '' },
          columns,
        );
        expect(parts.reduce((sum, part) => sum + part.ns, 0)).toBe(durationNs);
        expect(parts.every((part) => part.ns > 0)).toBe(true);
        expect(offCpuPartsNs(parts)).toBe(countOffCpu(rows, startNs, endNs));
        const forbidden = complete ? 'unexplained' : 'running';
        expect(parts.some((part) => part.kind === forbidden)).toBe(false);
      }),
    );
  });

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

  test('splits a span at the moment it became runnable, as far as it lies in the call', () => {
    fc.assert(
      fc.property(call, moment, moment, moment, ({ startNs, durationNs }, from, length, queued) => {
        const endNs = startNs + durationNs;
        const span = { row: 0, startNs: from, durationNs: length, overlapNs: 0 };
        const { runnableNs, blockedNs, unknownNs } = splitOffCpu(
          [span],
          Float64Array.of(queued),
          startNs,
          endNs,
        );
        const readyNs = from + Math.max(0, length - queued);
        const thread = 0;
        const runnable = { thread, startNs: readyNs, durationNs: from + length - readyNs };
        const blocked = { thread, startNs: from, durationNs: readyNs - from };
        expect(runnableNs).toBe(countOffCpu([runnable], startNs, endNs));
        expect(blockedNs).toBe(countOffCpu([blocked], startNs, endNs));
        expect(unknownNs).toBe(0);
      }),
    );
  });

  test('tells waiting for a CPU from waiting for something else, and both from what is not recorded', () => {
    const columns = buildTrace({
      rows: {
        off_cpu: [
          { startNs: 10, durationNs: 10, thread: 0, runQueueNs: 4 },
          { startNs: 22, durationNs: 3, thread: 0, runQueueNs: -1 },
          { startNs: 30, durationNs: 20, thread: 0, runQueueNs: 15 },
        ],
      },
    }).tables.off_cpu.columns;
    const inside = overlappingSpans(columns, switchesOf0(columns), 0, 40);
    const time = { startNs: 0, durationNs: 40, spans: inside, note: '', runningAs: 'copying' };
    const parts = accountCall({ ...time, complete: true }, columns);
    expect(parts.map(({ kind, ns }) => [kind, ns])).toEqual([
      ['runnable', 9],
      ['blocked', 11],
      ['off-cpu', 3],
      ['running', 17],
    ]);
  });

  test('takes the off-CPU time measured around the call where its switches are not stored', () => {
    const columns = offCpuTable([]);
    const time = { startNs: 0, durationNs: 100, spans: [], complete: false, note: 'none stored' };
    expect(
      accountCall({ ...time, runningAs: '', measuredOffCpuNs: 30 }, columns).map((part) => [
        part.kind,
        part.ns,
      ]),
    ).toEqual([
      ['off-cpu', 30],
      ['running', 70],
    ]);
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
