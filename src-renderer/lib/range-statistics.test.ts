import { describe, expect, test } from 'vitest';
import { buildLane } from '../../src-main/timeline/pyramid.ts';
import { rangeStatistics } from './range-statistics.ts';

const lane = buildLane({
  startNs: Float64Array.of(0, 10, 20, 30, 40),
  durationNs: Float64Array.of(5, 1, 9, 3, 7),
  rows: Uint32Array.of(0, 1, 2, 3, 4),
  colours: Uint8Array.of(0, 1, 0, 0, 1),
});

describe('range statistics', () => {
  test('events that start in the range, by name, largest sum first', () => {
    const steps = rangeStatistics([lane], { startNs: 10, endNs: 40 }, (_, index) =>
      index === 1 ? 'copy' : 'sync',
    );
    let step = steps.next();
    while (step.done !== true) step = steps.next();
    expect(step.value.map(({ name, count, totalNs }) => [name, count, totalNs])).toEqual([
      ['sync', 2, 12],
      ['copy', 1, 1],
    ]);
    expect(step.value[0]).toMatchObject({ p50Ns: 3, p95Ns: 9, p99Ns: 9, maxNs: 9 });
  });
});
