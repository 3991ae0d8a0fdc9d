import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { linkDriverCalls } from './link-driver-calls.ts';

const RUNTIME = 1;
const DRIVER = 2;

interface Call {
  readonly start: number;
  readonly duration: number;
  readonly thread: number;
  readonly layer: number;
}

function parentsOf(calls: readonly Call[]): number[] {
  const columns = {
    startNs: Float64Array.from(calls, ({ start }) => start),
    durationNs: Float64Array.from(calls, ({ duration }) => duration),
    thread: Int32Array.from(calls, ({ thread }) => thread),
    layer: Uint8Array.from(calls, ({ layer }) => layer),
    parent: new Int32Array(calls.length).fill(-1),
  };
  linkDriverCalls(columns);
  return [...columns.parent];
}

const anyCall: fc.Arbitrary<Call> = fc.record({
  start: fc.integer({ min: 0, max: 50 }),
  duration: fc.integer({ min: 1, max: 30 }),
  thread: fc.integer({ min: 0, max: 1 }),
  layer: fc.constantFrom(RUNTIME, DRIVER),
});

describe('linking driver calls', () => {
  test('takes the innermost runtime call of the thread', () => {
    const call = (start: number, duration: number, layer: number, thread = 0) => ({
      start,
      duration,
      layer,
      thread,
    });
    const calls = [
      call(0, 100, RUNTIME),
      call(10, 50, RUNTIME),
      call(20, 10, DRIVER),
      call(20, 10, DRIVER, 1),
      call(55, 10, DRIVER),
      call(99, 10, DRIVER),
    ];
    expect(parentsOf(calls)).toEqual([-1, -1, 1, -1, 0, -1]);
  });

  test('gives a parent exactly where a runtime call of the thread encloses the driver call', () => {
    fc.assert(
      fc.property(fc.array(anyCall, { maxLength: 40 }), (unsorted) => {
        const calls = unsorted.toSorted((a, b) => a.start - b.start || b.duration - a.duration);
        const parents = parentsOf(calls);
        for (const [row, call] of calls.entries()) {
          const enclosing = calls.flatMap((other, at) =>
            at < row &&
            other.layer === RUNTIME &&
            other.thread === call.thread &&
            other.start + other.duration >= call.start + call.duration &&
            other.start + other.duration > call.start
              ? [at]
              : [],
          );
          if (call.layer === RUNTIME || enclosing.length === 0) expect(parents[row]).toBe(-1);
          else expect(enclosing).toContain(parents[row]);
        }
      }),
    );
  });
});
