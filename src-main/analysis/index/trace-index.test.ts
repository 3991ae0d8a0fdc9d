import { expect, test } from 'vitest';
import { buildTrace } from '../testing/build-trace.ts';
import { loaderTrace } from '../testing/loader-trace.ts';
import type { SortedRows } from './sorted-rows.ts';
import { traceIndex } from './trace-index.ts';

const newTrace = () => loaderTrace({ batches: 20, batchNs: 1_000_000 });

/** Rows, and their times as they are read. */
const timesOf = ({ rows, startsNs, latestEndsNs }: SortedRows) =>
  Array.from(rows, (row, at) => [row, startsNs.nsAt(at), latestEndsNs.nsAt(at)]);

/** All that is looked up by thread of a trace with a loader. */
function lookedUp(trace: ReturnType<typeof newTrace>) {
  const index = traceIndex(trace);
  return trace.threads.map((_, thread) => [
    timesOf(index.switchesOf(thread)),
    timesOf(index.rowsOf('cuda_call', thread)),
    timesOf(index.rowsOf('on_cpu', thread)),
  ]);
}

test('what another thread has sorted gives the same rows, and is there once', () => {
  const expected = lookedUp(newTrace());
  const other = newTrace();
  lookedUp(other);
  const built = structuredClone(traceIndex(other).built());

  const trace = newTrace();
  const index = traceIndex(trace);
  const before = index.switchesOf(0);
  index.adopt(built);
  expect(lookedUp(trace)).toEqual(expected);
  expect(index.switchesOf(0).rows.buffer).toBe(built.get('off_cpu')?.sorted.order.buffer);
  expect(index.built().get('off_cpu')?.blockEndsNs.get(0)).toBe(
    built.get('off_cpu')?.blockEndsNs.get(0),
  );
  expect(index.switchesOf(0)).not.toBe(before);
});

test('what the other lacks stays, over the memory of the other', () => {
  const other = newTrace();
  traceIndex(other).switchesOf(0);
  const built = structuredClone(traceIndex(other).built());
  const trace = newTrace();
  const index = traceIndex(trace);
  const last = trace.threads.length - 1;
  const before = index.switchesOf(last);
  index.adopt(built);
  expect(timesOf(index.switchesOf(last))).toEqual(timesOf(before));
  expect(index.switchesOf(last).rows.buffer).toBe(built.get('off_cpu')?.sorted.order.buffer);
});

test('what others hold stays where it is preferred', () => {
  const other = newTrace();
  lookedUp(other);
  const trace = newTrace();
  const index = traceIndex(trace);
  const own = index.switchesOf(0);
  index.adopt(structuredClone(traceIndex(other).built()), 'own');
  expect(index.switchesOf(0)).toBe(own);
  expect(lookedUp(trace)).toEqual(lookedUp(other));
  expect(index.switchesOf(1).rows.buffer).toBe(own.rows.buffer);
});

test('columns that threads share have an index that they share', () => {
  const trace = newTrace();
  const { columns } = trace.tables.off_cpu;
  const shared = new Int32Array(new SharedArrayBuffer(columns.thread.byteLength));
  shared.set(columns.thread);
  const { off_cpu } = trace.tables;
  const tables = {
    ...trace.tables,
    off_cpu: { ...off_cpu, columns: { ...columns, thread: shared } },
  };
  const index = traceIndex({ ...trace, tables });
  const { rows } = index.switchesOf(0);
  expect(rows.length).toBeGreaterThan(0);
  for (const array of [rows, index.built().get('off_cpu')?.blockEndsNs.get(0)])
    expect(array?.buffer).toBeInstanceOf(SharedArrayBuffer);
});

test('a CPU whose number no machine has is left out', () => {
  const slice = { durationNs: 5, thread: 0 };
  const index = traceIndex(
    buildTrace({
      threads: [{}],
      rows: { on_cpu: [2 ** 31 - 1, 3].map((cpu, startNs) => ({ ...slice, startNs, cpu })) },
    }),
  );
  expect([...index.slicesOn(3).rows]).toEqual([1]);
  expect(index.slicesOn(2 ** 31 - 1).rows.length).toBe(0);
});

test('of very many threads nothing is handed over', () => {
  const threads = Array.from({ length: 20_001 }, (_, tid) => ({ tid }));
  const off_cpu = threads.map((_, thread) => ({ startNs: thread, durationNs: 1, thread }));
  const index = traceIndex(buildTrace({ threads, rows: { off_cpu } }));
  for (let thread = 0; thread < 20_000; thread++) index.switchesOf(thread);
  expect(index.built().size).toBe(1);
  expect([...index.switchesOf(20_000).rows]).toEqual([20_000]);
  expect(index.built().size).toBe(0);
});
