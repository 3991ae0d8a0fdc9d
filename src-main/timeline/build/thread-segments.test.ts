import { describe, expect, test } from 'vitest';
import { stateColour } from '../model/colours.ts';
import { NO_ROW } from '../model/track-model.ts';
import { durationsOf, startsOf } from '../testing/lane-times.ts';
import { colourOfTaskState, threadSegments } from './thread-segments.ts';

const rows = Uint32Array.of(0, 1);
const FOR_EVER = [-Infinity, Infinity] as const;

describe('thread segments', () => {
  test('raw task states', () => {
    expect(colourOfTaskState(0)).toBe(stateColour.runnable);
    expect(colourOfTaskState(1)).toBe(stateColour.sleeping);
    expect(colourOfTaskState(2)).toBe(stateColour.blocked);
    expect(colourOfTaskState(2, true)).toBe(stateColour.blockedOnIo);
    expect(colourOfTaskState(0x402)).toBe(stateColour.sleeping);
    expect(colourOfTaskState(0x10)).toBe(stateColour.stopped);
    expect(colourOfTaskState(0x100)).toBe(stateColour.runnable);
    expect(colourOfTaskState(0x200)).toBe(stateColour.unknown);
    expect(colourOfTaskState(-1)).toBe(stateColour.offCpu);
  });

  test('the run-queue part at the end is runnable, and running fills complete rows', () => {
    const segments = threadSegments(
      {
        startNs: Float64Array.of(100, 300),
        durationNs: Float64Array.of(50, 40),
        state: Int32Array.of(1, 0),
        runQueueNs: Float64Array.of(10, 40),
      },
      rows,
      { complete: [[100, 340]], life: FOR_EVER },
    );
    expect([...startsOf(segments)]).toEqual([100, 140, 150, 300]);
    expect([...durationsOf(segments)]).toEqual([40, 10, 150, 40]);
    expect([...segments.colours]).toEqual([
      stateColour.sleeping,
      stateColour.runnable,
      stateColour.running,
      stateColour.runnable,
    ]);
    expect([...segments.rows]).toEqual([0, 0, NO_ROW, 1]);
  });

  test('nothing is claimed between the rows of a partial table, nor about missing states', () => {
    const columns = { startNs: Float64Array.of(0, 30), durationNs: Float64Array.of(10, 10) };
    const segments = threadSegments(columns, rows, { complete: [], life: FOR_EVER });
    expect([...startsOf(segments)]).toEqual([0, 30]);
    expect([...segments.colours]).toEqual([stateColour.offCpu, stateColour.offCpu]);
  });

  test('running ends where switches were lost', () => {
    const columns = { startNs: Float64Array.of(0, 100), durationNs: Float64Array.of(10, 10) };
    const segments = threadSegments(columns, rows, {
      complete: [
        [0, 40],
        [60, 110],
      ],
      life: FOR_EVER,
    });
    const running = [...startsOf(segments).keys()].filter(
      (index) => segments.colours[index] === stateColour.running,
    );
    expect(
      running.map((index) => [segments.times.startNs(index), segments.times.durationNs(index)]),
    ).toEqual([
      [10, 30],
      [60, 40],
    ]);
  });

  test('rows that overlap are in order of their parts, however many there are', () => {
    const count = 200;
    const at = Float64Array.from({ length: count }, (_, row) => row * 10);
    const columns = {
      startNs: at,
      // Each is ready after two others have begun.
      durationNs: new Float64Array(count).fill(25),
      state: new Int32Array(count).fill(1),
      runQueueNs: new Float64Array(count).fill(5),
    };
    const all = Uint32Array.from(at.keys());
    const events = threadSegments(columns, all, {
      complete: [],
      life: FOR_EVER,
    });
    const parts = [...at].flatMap((start, row) => [
      [start, 20, row],
      [start + 20, 5, row],
    ]);
    expect(
      [...startsOf(events)].map((start, index) => [
        start,
        events.times.durationNs(index),
        events.rows[index],
      ]),
    ).toEqual(parts.toSorted((a, b) => (a[0] ?? 0) - (b[0] ?? 0)));
    const late = threadSegments({ ...columns, runQueueNs: new Float64Array(count) }, all, {
      complete: [],
      life: FOR_EVER,
    });
    expect([...startsOf(late)]).toEqual([...at]);
  });
});
