import { expect, test } from 'vitest';
import type { TraceMeta } from '../../shared/model/trace.ts';
import { TraceBuilder } from './trace-builder.ts';

const meta: TraceMeta = { format: 'test', version: '', beginUnixNs: 0n, lengthNs: 0 };

/** Calls of 10 ns, in the order of their starts backwards; GPU work refers to them by `name`. */
function submitted(hasIds: boolean, name: (row: number) => number) {
  const trace = new TraceBuilder();
  const calls = trace.rows('cuda_call', { hasIds });
  const work = trace.rows('gpu_work', { optional: ['call'] });
  for (let row = 0; row < 3; row++) {
    const at = calls.add();
    calls.columns.startNs[at] = 100 - row;
    calls.columns.durationNs[at] = 10;
    if (hasIds) calls.ids[at] = name(row);
    work.columns.call[work.add()] = name(row);
  }
  const last = work.add();
  work.columns.startNs[last] = 200;
  work.columns.call[last] = 77;
  const rows = trace.finishRows();
  return { calls: [...(rows.columns('gpu_work')?.call ?? [])], rows };
}

test('rows are found by the number they were added with, wherever they went', () => {
  const { calls, rows } = submitted(false, (row) => row);
  expect(calls).toEqual([2, 1, 0, -1]);
  expect([rows.dangling, rows.endNs, rows.count('gpu_work')]).toEqual([1, 200, 4]);
});

test('rows are found by ids of more than 32 bits', () => {
  const { calls, rows } = submitted(true, (row) => 2 ** 40 + row);
  expect(calls).toEqual([2, 1, 0, -1]);
  expect(rows.columns('gpu_work')?.call).toBeInstanceOf(Int32Array);
  expect(rows.dangling).toBe(1);
});

test('a parent that does not enclose its row is none', () => {
  const trace = new TraceBuilder();
  const rows = trace.rows('range', { optional: ['parent'] });
  for (const [startNs, durationNs, parent] of [
    [0, 10, -1],
    [2, 3, 0],
    [2, 9, 0],
    [4, 1, 4],
    [4, 1, 3],
  ]) {
    const at = rows.add();
    rows.columns.startNs[at] = startNs;
    rows.columns.durationNs[at] = durationNs;
    rows.columns.parent[at] = parent;
  }
  const { columns, dangling } = trace.finishRows();
  // The second and third change places: the longer one comes first.
  expect([...(columns('range')?.parent ?? [])]).toEqual([-1, -1, 0, -1, 3]);
  expect(dangling).toBe(0);
});

test('what refers to a table that nobody filled refers to nothing', () => {
  const trace = new TraceBuilder();
  const work = trace.rows('gpu_work', { optional: ['call'] });
  work.columns.call[work.add()] = 0;
  expect(trace.finishRows().dangling).toBe(1);
});

test('what is not there has its reason: of its own, else that of the format', () => {
  const trace = new TraceBuilder();
  trace.rows('cuda_call', { optional: ['bytes'] }).add();
  trace.finishRows();
  const exact = { kind: 'exact', note: '' } as const;
  const { tables, hosts } = trace.build({
    meta,
    tables: {
      notes: { cuda_call: { provenance: exact, recordedAs: { source: 'CUDA', op: '' } } },
      absence: {
        otherwise: 'It does not say.',
        tables: { gap: 'It never loses any.' },
        columns: { cuda_call: { stream: 'It knows no streams.' } },
      },
    },
  });
  expect(hosts).toEqual([{}]);
  expect(tables.cuda_call).toMatchObject({ rows: 1, provenance: exact });
  const { bytes, stream, stack } = tables.cuda_call.columnProvenance;
  expect([bytes, stream?.note, stack?.note]).toEqual([
    undefined,
    'It knows no streams.',
    'It does not say.',
  ]);
  expect(tables.gap.provenance).toEqual({ kind: 'absent', note: 'It never loses any.' });
  expect(tables.sample.provenance).toEqual({ kind: 'absent', note: 'It does not say.' });
  expect(tables.sample.columnProvenance.gpu?.note).toBe('It does not say.');
});

test('a source that gives its own reasons is not spoken for', () => {
  const trace = new TraceBuilder();
  trace.finishRows();
  const { tables } = trace.build({ meta, tables: { notes: {} } });
  expect(tables.cuda_call.provenance).toEqual({ kind: 'absent', note: '' });
  expect(tables.cuda_call.columnProvenance).toEqual({});
});

test('a look at what was added so far changes nothing of the trace that is built', () => {
  const build = (looks: boolean) => {
    const trace = new TraceBuilder();
    const thread = trace.threads.add({ tid: 7, process: -1, name: 'main', role: 'main' });
    const calls = trace.rows('cuda_call', { optional: ['parent', 'bytes'] });
    const seen: number[][] = [];
    for (const startNs of [30, 10, 20]) {
      const at = calls.add();
      calls.columns.startNs[at] = startNs;
      calls.columns.durationNs[at] = 5;
      calls.columns.thread[at] = thread;
      calls.columns.parent[at] = -1;
      if (looks) {
        const { rows, columns } = trace.soFar({ meta, tables: { notes: {} } }).tables.cuda_call;
        seen.push([rows, ...columns.startNs]);
      }
    }
    calls.finish();
    const whole = trace.soFar({ meta, tables: { notes: {} } });
    trace.finishRows();
    return { seen, whole, built: trace.build({ meta, tables: { notes: {} } }) };
  };
  const { seen, whole, built } = build(true);
  expect(seen).toEqual([
    [1, 30],
    [2, 30, 10],
    [3, 30, 10, 20],
  ]);
  // Which rows others refer to is not known yet.
  expect(whole.tables.cuda_call.columns.parent).toBeUndefined();
  expect([...whole.tables.cuda_call.columns.startNs]).toEqual([10, 20, 30]);
  expect(whole.processes).toEqual(built.processes);
  expect(built).toEqual(build(false).built);
});
