import fc from 'fast-check';
import { expect, test } from 'vitest';
import { buildTrackGroups } from '../build/build-tracks.ts';
import type { TraceData } from '../model/trace-data.ts';
import { isEventTrack } from '../model/track-model.ts';
import { fakeSummary } from '../testing/fake-summary.ts';
import { startsOf } from '../testing/lane-times.ts';
import { hasMatch, matchedLane, matchedNeighbour } from './matched-lanes.ts';
import { parseFilter } from './track-filter.ts';

const names = ['cudaMemcpyAsync', 'cudaLaunchKernel', 'cuMemcpy', 'forward'];

/** Calls and waits of two threads. */
function traceOf(rows: readonly (readonly [number, number, number, number])[]): TraceData {
  const sorted = rows.toSorted(([a], [b]) => a - b);
  const events = {
    startNs: Float64Array.from(sorted, ([start]) => start),
    durationNs: Float64Array.from(sorted, ([, duration]) => duration),
    thread: Int32Array.from(sorted, ([, , thread]) => thread),
  };
  const kind = sorted.map(([, , , each]) => each);
  return {
    traceId: 't',
    summary: fakeSummary(
      { cuda_call: rows.length, off_cpu: rows.length, page_fault: rows.length },
      {
        names,
        processes: [{ pid: 1, name: 'p', parent: -1, role: 'main', roleBasis: '' }],
        threads: [0, 1].map((tid) => ({ tid, process: 0, name: `t${tid}`, role: 'main' as const })),
      },
    ),
    tables: {
      cuda_call: {
        ...events,
        op: Uint16Array.from(kind),
        parent: Int32Array.from(kind, (each) => (each === 2 ? 0 : -1)),
      },
      off_cpu: {
        ...events,
        state: Int32Array.from(kind, (each) => [0, 1, 2, -1][each] ?? 0),
        runQueueNs: Float64Array.from(kind, (each) => each * 5),
      },
      page_fault: { ...events, major: Uint8Array.from(kind, (each) => each & 1) },
    },
  };
}

const row = fc.tuple(fc.nat(10_000), fc.nat(90), fc.nat(1), fc.nat(3));
const filters = fc.constantFrom(
  'name:memcpy',
  'name:cuda dur>20ns',
  'dur>60ns',
  'name:sleeping',
  'name:runnable dur>10ns',
  'name:major',
  'name:nothing',
);

test('a track has a match exactly where one of its events has', () => {
  fc.assert(
    fc.property(fc.array(row, { maxLength: 40 }), filters, (rows, text) => {
      const filter = parseFilter(text);
      const tracks = buildTrackGroups(traceOf(rows)).flatMap((group) => group.tracks);
      for (const track of tracks.filter(isEventTrack)) {
        const picked = track
          .lanes()
          .flatMap((lane) =>
            Array.from(lane.colours.keys()).filter(
              (index) =>
                lane.times.durationNs(index) >= filter.minimumNs &&
                filter.eventNames.every((name) =>
                  track.nameOf(lane, index).toLowerCase().includes(name),
                ),
            ),
          );
        const matched = track.lanes().map((lane) => matchedLane(track, lane, filter).length);
        expect(matched.reduce((sum, length) => sum + length, 0)).toBe(picked.length);
        expect(hasMatch(track, filter)).toBe(picked.length > 0);
      }
    }),
  );
});

test('letters that pick the same events ask for nothing again', () => {
  const [track] = buildTrackGroups(
    traceOf([
      [0, 5, 0, 0],
      [9, 5, 0, 1],
    ]),
  ).flatMap((group) => group.tracks);
  if (track === undefined || !isEventTrack(track)) throw new Error('no track');
  const lane = track.summary();
  const picked = matchedLane(track, lane, parseFilter('name:memc'));
  expect(matchedLane(track, lane, parseFilter('name:memcpy'))).toBe(picked);
  expect(matchedLane(track, lane, parseFilter('name:cuda'))).toBe(lane);
});

test('the next event that a filter picks is that of the lane of all that it picks', () => {
  fc.assert(
    fc.property(fc.array(row), filters, fc.nat(10_000), (rows, text, fromNs) => {
      const filter = parseFilter(text);
      const tracks = buildTrackGroups(traceOf(rows)).flatMap((group) => group.tracks);
      for (const track of tracks.filter(isEventTrack))
        for (const lane of track.lanes()) {
          const matched = matchedLane(track, lane, filter);
          const starts = [...startsOf(matched)];
          const later = starts.find((startNs) => startNs > fromNs);
          const sooner = starts.findLast((startNs) => startNs < fromNs);
          const found = ([1, -1] as const).map((by) => {
            const index = matchedNeighbour(track, lane, filter, fromNs, by);
            return index < 0 ? undefined : lane.times.startNs(index);
          });
          expect(found).toEqual([later, sooner]);
        }
    }),
    { seed: 1 },
  );
});
