import fc from 'fast-check';
import { expect, test } from 'vitest';
import { traceIndex } from '../../analysis/index/trace-index.ts';
import { buildTrace, type Row } from '../../analysis/testing/build-trace.ts';
import { buildTrackGroups } from '../../timeline/build/build-tracks.ts';
import type { TraceData } from '../../timeline/model/trace-data.ts';
import { isEventTrack } from '../../timeline/model/track-model.ts';
import { durationsOf, startsOf } from '../../timeline/testing/lane-times.ts';
import { askedAbout } from './asked-about.ts';
import { summarise } from './summarise.ts';

type Span = Required<Pick<Row<'on_cpu'>, 'startNs' | 'durationNs' | 'thread' | 'cpu'>>;

function traceOf(spans: readonly Span[]) {
  const on_cpu = spans.toSorted((a, b) => a.startNs - b.startNs);
  const page_fault = on_cpu.map(({ cpu: _, ...fault }) => fault);
  return buildTrace({
    processes: [{ pid: 1, name: 'python3' }],
    threads: [
      { tid: 1, process: 0 },
      { tid: 2, process: 0 },
    ],
    names: [['CUDA', 'cudaMemcpyAsync']],
    rows: { on_cpu, page_fault, cuda_call: page_fault.map((call) => ({ ...call, op: 0 })) },
  });
}

const tracksOf = (data: TraceData) =>
  buildTrackGroups(data)
    .flatMap((group) => group.tracks)
    .filter(isEventTrack);

/** What is drawn of each track: the events of each lane. */
function drawn(data: TraceData) {
  return tracksOf(data).map((track) => ({
    id: track.id,
    lanes: [...track.lanes(), track.summary()].map((lane) =>
      [startsOf(lane), durationsOf(lane), lane.rows, lane.colours].map((array) => [...array]),
    ),
  }));
}

test('lanes of rows that the analysis has sorted are what they are without it', () => {
  const span = fc.record({
    startNs: fc.nat(500),
    durationNs: fc.nat(50),
    thread: fc.integer({ min: -1, max: 1 }),
    cpu: fc.integer({ min: -1, max: 2 }),
  });
  fc.assert(
    fc.property(fc.array(span, { minLength: 1, maxLength: 40 }), (spans) => {
      const trace = traceOf(spans);
      const data = askedAbout(trace, summarise(trace)).judged();
      const copied = Object.entries(data.tables).map(([name, columns]) => [name, { ...columns }]);
      expect(drawn(data)).toEqual(drawn({ ...data, tables: Object.fromEntries(copied) }));
    }),
    { numRuns: 40 },
  );
});

test('a lane holds no copy of rows that the analysis keeps', () => {
  const spans = [0, 10, 20].map((startNs) => ({ startNs, durationNs: 5, thread: 0, cpu: 1 }));
  const trace = traceOf(spans.flatMap((each) => [each, { ...each, thread: 1, cpu: 0 }]));
  const tracks = tracksOf(askedAbout(trace, summarise(trace)).judged());
  const slices = tracks.filter(({ table }) => table === 'on_cpu').map((track) => track.summary());
  const sorted = [0, 1].map((cpu) => traceIndex(trace).slicesOn(cpu));
  expect(slices.map(startsOf)).toEqual([Float64Array.of(0, 10, 20), Float64Array.of(0, 10, 20)]);
  for (const [at, { rows }] of sorted.entries()) {
    const shown = slices[at]?.rows;
    expect(shown instanceof Uint32Array && shown.buffer).toBe(rows.buffer);
  }
});
