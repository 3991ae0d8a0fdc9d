import { describe, expect, test } from 'vitest';
import type { HostEvidence } from './host-evidence.ts';
import type { HostTime } from './host-time.ts';
import { repeatsIn, rowsRepeatIn } from './repeats.ts';

const MS = 1e6;

/** So many of 10 ms each. */
function stepsOf(count: number) {
  const startsNs = Float64Array.from({ length: count }, (_, step) => step * 10 * MS);
  return { startsNs, endsNs: startsNs.map((ns) => ns + 10 * MS) };
}

/** Steps of 10 ms each, with `hostMs` of host time at the end of each. */
function asked(
  steps: number,
  moments: readonly { readonly step: number; readonly ms: number; readonly isSample?: boolean }[],
  hostMs: (step: number) => number = () => 1,
) {
  const { startsNs, endsNs } = stepsOf(steps);
  const evidence = {
    length: moments.length,
    startsNs: Float64Array.from(moments, ({ step }) => (step * 10 + 5) * MS),
    ns: Float64Array.from(moments, ({ ms }) => ms * MS),
    isSample: Uint8Array.from(moments, ({ isSample }) => (isSample === true ? 1 : 0)),
  } as unknown as HostEvidence;
  const host = {
    startsNs: endsNs.map((ns, step) => ns - hostMs(step) * MS),
    endsNs,
  };
  const repeats = repeatsIn({ startsNs, endsNs }, () => host, { evidence } as HostTime);
  return repeats([...moments.keys()]);
}

const seen = (steps: readonly number[], ms: number, isSample = false) =>
  steps.map((step) => ({ step, ms, isSample }));

describe('how often', () => {
  test('every N steps, also where one is missed or comes a step late', () => {
    expect(asked(200, seen([20, 40, 60, 80, 100, 120], 5))?.text).toBe('every 20 steps');
    expect(asked(200, seen([20, 40, 80, 101, 120, 140], 5))?.text).toBe('every 20 steps');
    expect(asked(200, seen([20, 40, 60], 5, true))).toMatchObject({ everySteps: 20, steps: 3 });
  });

  test('at every step, by waits in most of them, or by samples in a few where all take as long', () => {
    const most = Array.from({ length: 90 }, (_, step) => step);
    expect(asked(100, seen(most, 2))?.text).toBe('at every step');
    expect(asked(100, seen([3, 10, 11, 30, 52], 12, true))?.text).toBe('at every step');
  });

  test('is not said of samples in few steps of what is little of that time: other work may be at every step', () => {
    expect(asked(100, seen([3, 10, 11, 30, 52], 4, true))).toBeUndefined();
    const twice = (step: number) => (step % 3 === 0 ? 3 : 1);
    expect(asked(100, seen([3, 9, 12, 30, 51], 20, true), twice)?.text).not.toBe('at every step');
  });

  test('of rows that were recorded one by one, however short, by how many there are or by their length', () => {
    const rows = (perStep: (step: number) => number) =>
      Array.from({ length: 100 }, (_, step) => step).flatMap((step) =>
        Array<number>(perStep(step)).fill(step * 10 * MS),
      );
    const startNs = rows((step) => (step % 20 === 10 ? 30 : 1));
    const numbers = [...startNs.keys()];
    const repeats = rowsRepeatIn(stepsOf(100));
    expect(repeats(startNs, numbers)?.text).toBe('every 20 steps');
    const even = rows(() => 8);
    expect(repeats(even, [...even.keys()])).toMatchObject({ everySteps: 1 });
    const lengthOf = (row: number) => ((even[row] / (10 * MS)) % 5 === 0 ? 1000 : 10);
    expect(repeats(even, [...even.keys()], lengthOf)?.text).toBe('every 5 steps');
    expect(rowsRepeatIn(stepsOf(2))(even, [0, 8])).toBeUndefined();
  });

  test('in so many steps, where it is not regular', () => {
    expect(asked(100, seen([3, 10, 11, 30, 52], 4))?.text).toBe('in 5 of 100 steps');
  });

  test('is not said of samples in few steps that differ, of short moments, or without steps', () => {
    const uneven = (step: number) => (step % 7 === 0 ? 8 : 0.1);
    expect(asked(100, seen([0, 7, 14, 21, 49, 70], 8, true), uneven)).toMatchObject({
      everySteps: 7,
    });
    expect(asked(100, seen([0, 7, 21, 44, 70], 8, true), uneven)).toBeUndefined();
    expect(asked(100, seen([3, 10], 0.1))).toBeUndefined();
    expect(asked(2, seen([0, 1], 5))).toBeUndefined();
  });
});
