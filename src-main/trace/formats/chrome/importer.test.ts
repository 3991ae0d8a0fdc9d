import { describe, expect, test } from 'vitest';
import type { Trace } from '../../../shared/model/trace.ts';
import { sourceOf } from '../../event-json/testing/source-of.ts';
import { chromeImporter } from './importer.ts';

const context = { fileName: 'a.json', progress: () => undefined };

function imported(events: readonly object[] | string, partBytes?: number): Trace {
  const text = typeof events === 'string' ? events : JSON.stringify({ traceEvents: events });
  const source = sourceOf(text, partBytes);
  expect(chromeImporter.recognises(source)).toBe(true);
  const result = chromeImporter.importTrace(source, context);
  if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`);
  return result.value;
}

/** Name, start, length, and the name of the thread of each range, in µs. */
function rangesOf({ tables, names, threads }: Trace) {
  const { op, startNs, durationNs, thread } = tables.range.columns;
  return Array.from(op, (name, row) => [
    names[name],
    startNs[row] / 1000,
    durationNs[row] / 1000,
    threads[thread[row]]?.name,
  ]);
}

const on = (tid: number | string, fields: object) => ({ pid: 7, tid, ...fields });

describe('a Chrome trace', () => {
  test('has complete, nested and asynchronous ranges, and moments', () => {
    const trace = imported([
      on(1, { ph: 'X', name: 'whole', cat: 'a', ts: 1000, dur: 100 }),
      on(1, { ph: 'B', name: 'outer', ts: 1010 }),
      on(1, { ph: 'B', name: 'inner', ts: 1020 }),
      on(2, { ph: 'B', name: 'other thread', ts: 1021 }),
      on(1, { ph: 'E', ts: 1030 }),
      on(1, { ph: 'E', ts: 1050 }),
      on(2, { ph: 'E', ts: 1060 }),
      on(1, { ph: 'b', cat: 'c', id: '0x1', name: 'request', ts: 1005 }),
      on(1, { ph: 'b', cat: 'c', id: '0x2', name: 'request', ts: 1006 }),
      on(2, { ph: 'e', cat: 'c', id: '0x1', name: 'request', ts: 1075 }),
      on(1, { ph: 'e', cat: 'c', id: '0x2', name: 'request', ts: 1016 }),
      on(1, { ph: 'i', name: 'moment', ts: 1099, s: 't' }),
      { ph: 'M', pid: 7, tid: 1, name: 'thread_name', args: { name: 'CrRendererMain' } },
      { ph: 'M', pid: 7, tid: 2, name: 'thread_name', args: { name: 'Worker' } },
      { ph: 'M', pid: 7, name: 'process_name', args: { name: 'Renderer' } },
      on(1, { ph: 's', id: 1, name: 'an arrow', ts: 1000 }),
    ]);
    expect(rangesOf(trace)).toEqual([
      ['whole', 0, 100, 'CrRendererMain'],
      ['request', 5, 70, 'CrRendererMain'],
      ['request', 6, 10, 'CrRendererMain'],
      ['outer', 10, 40, 'CrRendererMain'],
      ['inner', 20, 10, 'CrRendererMain'],
      ['other thread', 21, 39, 'Worker'],
      ['moment', 99, 0, 'CrRendererMain'],
    ]);
    expect(trace.processes).toMatchObject([{ pid: 7, name: 'Renderer' }]);
    const { thread, endThread } = trace.tables.range.columns;
    expect(Array.from(endThread ?? [])).toEqual([-1, thread[5], -1, -1, -1, -1, -1]);
    expect(trace.meta).toMatchObject({ lengthNs: 100_000, beginUnixNs: 1_000_000n });
    expect(trace.notices.every(({ level }) => level === 'info')).toBe(true);
  });

  test('has counters, each number one', () => {
    const trace = imported([
      on(1, { ph: 'C', name: 'heap', ts: 5, args: { used: 10, free: 2.5, note: 'x' } }),
      on(1, { ph: 'C', name: 'heap', ts: 6, args: { used: 11 } }),
    ]);
    const { metric, value, startNs } = trace.tables.sample.columns;
    expect(
      Array.from(value, (each, row) => [trace.names[metric[row]], startNs[row], each]),
    ).toEqual([
      ['heap: used', 0, 10],
      ['heap: free', 0, 2.5],
      ['heap: used', 1000, 11],
    ]);
  });

  test('with a range that does not end shows it up to the end, and one that did not begin not at all', () => {
    const trace = imported([
      on(1, { ph: 'E', ts: 1 }),
      on(1, { ph: 'B', name: 'open', ts: 10 }),
      on(1, { ph: 'X', name: 'last', ts: 20, dur: 5 }),
    ]);
    expect(rangesOf(trace)).toEqual([
      ['open', 9, 15, 'unknown'],
      ['last', 19, 5, 'unknown'],
    ]);
    expect(trace.notices.map(({ text }) => text)).toContainEqual(
      expect.stringMatching(/^One range has a begin and no end/),
    );
  });

  test('of an array that never ends, as Chrome writes it, is whole', () => {
    const text =
      '[{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":2},\n{"ph":"X","name":"b","pid":1,"tid":1,"ts":4,"dur":2},\n';
    for (const partBytes of [1, 9, 1000]) {
      const trace = imported(text, partBytes);
      expect(rangesOf(trace)).toHaveLength(2);
      expect(trace.notices.map(({ level }) => level)).not.toContain('warning');
    }
  });

  test('keeps names as they are: to show them harmlessly is for whoever shows them', () => {
    const names = ['<img src=x onerror=alert(1)>', '\u202eevil', '__proto__', 'constructor', ''];
    const trace = imported(
      names.map((name, at) => on(name, { ph: 'X', name, cat: name, ts: at, dur: 1 })),
    );
    expect(rangesOf(trace).map(([name]) => name)).toEqual(names);
  });

  test.each([
    ['{"traceEvents": []}', 'file-no-events'],
    ['{"traceEvents": [{"ph": "s", "ts": 1}]}', 'file-no-events'],
    ['{"traceEvents": [', 'file-truncated'],
    ['{"traceEvents": [{"ph": "X", "name": 1, "ts": {}}]}', 'file-damaged'],
    ['{"traceEvents": [tru', 'file-damaged'],
  ])('%s is refused: %s', (content, code) => {
    const result = chromeImporter.importTrace(sourceOf(content), context);
    expect(result).toMatchObject({ ok: false, error: { code } });
  });

  test.each(['{"a": 1}', '[1, 2]', '', 'SQLite format 3\0', '[{"phase": 1}]'])(
    '%j is none',
    (content) => {
      expect(chromeImporter.recognises(sourceOf(content))).toBe(false);
    },
  );
});
