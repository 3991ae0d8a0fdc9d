import { describe, expect, test } from 'vitest';
import { buildLane, ownEvents } from '../../src-main/timeline/model/pyramid.ts';
import { eventAt, snapMoment } from './hit-test.ts';

const lane = buildLane(
  ownEvents({
    startNs: Float64Array.of(100, 120, 400, 402, 404),
    durationNs: Float64Array.of(100, 20, 1, 2, 1),
    rows: Uint32Array.of(0, 1, 2, 3, 4),
    colours: new Uint8Array(5),
  }),
);

describe('hit test', () => {
  test('the event on top where events overlap', () => {
    expect(eventAt(lane, 110.5, 1)).toBe(0);
    expect(eventAt(lane, 130, 0.1)).toBe(1);
    expect(eventAt(lane, 180, 1)).toBe(0);
  });

  test('the longest of a crowded pixel, and nothing where nothing is near', () => {
    expect(eventAt(lane, 402, 20)).toBe(3);
    expect(eventAt(lane, 300, 1)).toBe(-1);
    expect(eventAt(lane, 398, 1)).toBe(2);
  });

  test('edges snap to starts and ends within reach', () => {
    expect(snapMoment(lane, 97, 5)).toBe(100);
    expect(snapMoment(lane, 203, 5)).toBe(200);
    expect(snapMoment(lane, 300, 5)).toBe(300);
    expect(snapMoment(undefined, 97, 5)).toBe(97);
  });
});
