import { expect, test } from 'vitest';
import type { NumberArray } from '../../shared/model/columns.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { buildTrace } from '../testing/build-trace.ts';
import { visitStates } from './visit-states.ts';
import { visitWhoRan } from './visit-who-ran.ts';

/** Rows that lie within one long row, as only a damaged file has them. */
const ROWS = 2_000;

/** `trace`, and how often lengths of its rows were read. */
function counted(trace: Trace) {
  let reads = 0;
  const count = <A extends NumberArray>(lengths: A) =>
    new Proxy(lengths, {
      get(target, key) {
        reads++;
        return Reflect.get(target, key);
      },
    });
  const { off_cpu, on_cpu } = trace.tables;
  const tables = {
    ...trace.tables,
    off_cpu: {
      ...off_cpu,
      columns: { ...off_cpu.columns, durationNs: count(off_cpu.columns.durationNs) },
    },
    on_cpu: {
      ...on_cpu,
      columns: { ...on_cpu.columns, durationNs: count(on_cpu.columns.durationNs) },
    },
  };
  return { trace: { ...trace, tables }, reads: () => reads };
}

test('a row that covers all others is not read past', () => {
  const spans = Array.from({ length: ROWS }, (_, at) => ({ startNs: 10 * at + 1, durationNs: 5 }));
  const rows = [{ startNs: 0, durationNs: 10 * ROWS }, ...spans];
  const { trace, reads } = counted(
    buildTrace({
      processes: [{ pid: 9, name: 'python3' }],
      threads: [9, 10].map((tid) => ({ tid, process: 0 })),
      rows: {
        off_cpu: rows.map((span) => ({ thread: 0, state: 1, cpuIn: 0, ...span })),
        on_cpu: rows.map((span) => ({ thread: 1, cpu: 0, ...span })),
      },
    }),
  );
  let stretches = 0;
  for (const [row, { startNs, durationNs }] of spans.entries()) {
    visitStates(trace, 0, startNs, startNs + durationNs, () => stretches++);
    visitWhoRan(trace, row + 1, startNs, startNs + durationNs, () => stretches++);
  }
  expect(stretches).toBe(2 * ROWS);
  expect(reads()).toBeLessThan(40 * ROWS);
});
