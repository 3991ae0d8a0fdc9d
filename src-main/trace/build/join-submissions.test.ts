import { describe, expect, test } from 'vitest';
import { buildTrace, type Row } from '../../analysis/testing/build-trace.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { joinSubmissions } from './join-submissions.ts';

/** Two processes of one thread each. */
function traceOf(
  cuda_call: readonly Row<'cuda_call'>[],
  gpu_work: readonly Row<'gpu_work'>[],
): Trace {
  return buildTrace({
    processes: [{ pid: 96 }, { pid: 97 }],
    threads: [
      { tid: 96, process: 0 },
      { tid: 97, process: 1 },
    ],
    rows: { cuda_call, gpu_work },
  });
}

const callsOf = (trace: Trace) => [
  ...(joinSubmissions(trace).tables.gpu_work.columns.call ?? ['no column']),
];

const call = (correlation: number) => ({ thread: 0, correlation });
const work = (correlation: number) => ({ process: 0, correlation });

describe('joinSubmissions', () => {
  test('joins work to the call of the same process and correlation id', () => {
    const calls = [
      { thread: 0, correlation: 7 },
      { thread: 1, correlation: 7 },
      { thread: 0, correlation: 4_294_967_295 },
    ];
    const done = [
      { process: 1, correlation: 7 },
      { process: 0, correlation: 4_294_967_295 },
      { process: 0, correlation: 7 },
      { process: 0, correlation: 8 },
      { process: -1, correlation: 7 },
    ];
    const trace = traceOf(calls, done);
    expect(callsOf(trace)).toEqual([1, 2, 0, -1, -1]);
    expect(joinSubmissions(trace).tables.gpu_work.columnProvenance.call?.kind).toBe('inferred');
    expect(trace.tables.gpu_work.columns.call).toBeUndefined();
  });

  test('joins the same, whether the ids of a process lie close together or far apart', () => {
    const close = Array.from({ length: 500 }, (_, at) => 4_000_000_000 + at);
    const far = Array.from({ length: 500 }, (_, at) => 1 + at * 8_000_000);
    const calls = close.flatMap((id, at) => [
      { thread: 0, correlation: id },
      { thread: 1, correlation: far[at] },
    ]);
    const strangers = [
      { process: 0, correlation: 3_999_999_999 },
      { process: 1, correlation: 5 },
    ];
    const done = [
      ...close.map((id) => ({ process: 0, correlation: id })),
      ...far.map((id) => ({ process: 1, correlation: id })),
    ];
    const expected = [...close.map((_, at) => 2 * at), ...far.map((_, at) => 2 * at + 1)];
    expect(callsOf(traceOf(calls, [...done, ...strangers]))).toEqual([...expected, -1, -1]);
  });

  test('finds the process by the context, or by the stream’s', () => {
    const contexts = [{ process: 1, gpu: 0 }];
    const streams = [{ name: '7', context: 0 }];
    const calls = [
      { thread: 1, correlation: 7 },
      { thread: 1, correlation: 9 },
    ];
    const done = [
      { context: 0, correlation: 9 },
      { stream: 0, correlation: 7 },
    ];
    expect(callsOf({ ...traceOf(calls, done), contexts, streams })).toEqual([1, 0]);
  });

  test.each([
    ['calls', [call(7), call(7)], [work(7)]],
    ['pieces of work', [call(7)], [work(7), work(7)]],
  ])('leaves alone what two %s share', (_, calls, shared) => {
    const trace = traceOf(calls, shared);
    expect(joinSubmissions(trace)).toBe(trace);
  });

  test('joins all nodes of one graph to its launch', () => {
    const node = { ...work(7), graph: 3 };
    expect(callsOf(traceOf([call(7)], [node, node]))).toEqual([0, 0]);
    const other = { ...node, graph: 4 };
    expect(callsOf(traceOf([call(7)], [node, other]))).toEqual(['no column']);
  });

  test('leaves what the file says, and says how much it added', () => {
    const trace = traceOf(
      [call(7), call(8), call(9)],
      [
        { ...work(7), call: 2 },
        { ...work(8), call: -1 },
      ],
    );
    expect(callsOf(trace)).toEqual([2, 1]);
    expect(joinSubmissions(trace).tables.gpu_work.columnProvenance.call).toEqual({
      kind: 'exact',
      note: '1 of them by the correlation ids that calls and GPU work share.',
    });
  });

  test('gives up on ids that were chosen to collide, instead of searching for minutes', () => {
    // Multiples of the inverse of the table's factor: all of them begin at its first slots.
    const ids = Array.from({ length: 40_000 }, (_, at) => Math.imul(at + 1, 0x0e8b2f51) >>> 0);
    const joined = callsOf(traceOf(ids.map(call), ids.map(work)));
    expect(joined.every((row, at) => row === at || row === -1)).toBe(true);
    expect(joined.filter((row) => row !== -1).length).toBeLessThan(1_000);
    const plain = Array.from({ length: 40_000 }, (_, at) => at + 1);
    expect(callsOf(traceOf(plain.map(call), plain.map(work)))).toEqual([...plain.keys()]);
  });
});
