import { describe, expect, test } from 'vitest';
import { sampleGaps } from '../build/sample-gaps.ts';
import type { LineTrack } from '../model/track-model.ts';
import { dotsOf, lineRuns } from './line-points.ts';
import { unrecordedStretches } from './unrecorded.ts';

const box = { y: 0, height: 100 };

function lineAt(...times: number[]): LineTrack {
  const timesNs = Float64Array.from(times);
  return {
    id: 'sample:-1:CPU (%)',
    kind: 'line',
    label: 'CPU',
    detail: '%',
    badge: '',
    provenance: '',
    samples: () => ({
      timesNs,
      values: timesNs.map((_, index) => index),
    }),
    gaps: sampleGaps(timesNs),
    domain: [0, 100],
    unit: '%',
  };
}

const span = (startNs: number, endNs: number, width = 100) => ({
  window: { startNs, endNs },
  width,
  pixelRatio: 1,
});

/** The points of each run, by where they stand. */
const xsOf = (track: LineTrack, shown = span(0, 100)) =>
  lineRuns(shown, track, box).map((run) => run.map(({ x }) => x));

describe('a line of samples', () => {
  test('is one where none is missing', () => {
    expect(xsOf(lineAt(0, 10, 20, 30, 40))).toEqual([[0, 10, 20, 30, 40]]);
  });

  test('is cut at a gap, which is hatched and said', () => {
    const track = lineAt(0, 10, 20, 60, 70, 80);
    expect(xsOf(track)).toEqual([
      [0, 10, 20],
      [60, 70, 80],
    ]);
    expect(unrecordedStretches(track, span(0, 100))).toEqual([
      { startNs: 20, endNs: 60, text: 'no sample' },
    ]);
  });

  test('within a gap there is nothing but the gap', () => {
    const track = lineAt(0, 10, 20, 60, 70, 80);
    const within = span(30, 50);
    expect(xsOf(track, within)).toEqual([[-50], [150]]);
    expect(unrecordedStretches(track, within)).toEqual([
      { startNs: 30, endNs: 50, text: 'no sample' },
    ]);
  });

  test('is not cut at what is narrower than a pixel', () => {
    const times = Array.from({ length: 1000 }, (_, index) => index * 10 + (index < 500 ? 0 : 30));
    const track = lineAt(...times);
    expect(track.gaps).toHaveLength(1);
    expect(xsOf(track, span(0, 10_030))).toHaveLength(1);
    expect(unrecordedStretches(track, span(0, 10_030))).toEqual([]);
    expect(xsOf(track, span(4_900, 5_100))).toHaveLength(2);
  });

  test('a sample between two gaps is a dot, however many others there are', () => {
    const dense = Array.from({ length: 50 }, (_, index) => index);
    const runs = lineRuns(span(0, 100), lineAt(...dense, 70, 90), box);
    expect(runs.map(({ length }) => length)).toEqual([50, 1, 1]);
    expect(dotsOf(runs, 100).map(({ x }) => x)).toEqual([70, 90]);
    expect(dotsOf(runs, 1000)).toHaveLength(52);
  });

  test('outside what was recorded the words are the track’s own', () => {
    const track = { ...lineAt(0, 10), recorded: { startNs: 20, endNs: 40 }, unrecorded: 'why' };
    expect(unrecordedStretches(track, span(0, 100))).toEqual([
      { startNs: 0, endNs: 20, text: 'why' },
      { startNs: 40, endNs: 100, text: 'why' },
    ]);
  });
});
