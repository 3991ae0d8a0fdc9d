import { describe, expect, test } from 'vitest';
import type { PlacedEvent } from '../../shared/answers/placed-event.ts';
import { pivotKey } from '../../shared/answers/range-figures.ts';
import type { ToldEventTrack, ToldTrack } from '../../shared/answers/told-tracks.ts';
import type { EventRef } from '../../shared/model/event-ref.ts';
import { type TableName, tableNames } from '../../shared/model/schema.ts';
import type { TileRun } from '../../shared/rpc/tiles-query.ts';
import { blockRequests } from '../build/block-requests.ts';
import { lostStretches, overviewLane, recordedGroups } from '../build/build-tracks.ts';
import { slowestCall } from '../build/slowest-call.ts';
import { eventColumns } from '../model/event-source.ts';
import { bytesOfLanes } from '../model/kept-lanes.ts';
import type { EventLane } from '../model/pyramid.ts';
import { callOfWork, workOfCall } from '../model/submissions.ts';
import type { TraceData } from '../model/trace-data.ts';
import { type EventTrack, isEventTrack, type Track } from '../model/track-model.ts';
import { finished } from '../range/finished.ts';
import { keyOfEvent } from '../range/range-keys.ts';
import { trackStatistics } from '../range/track-statistics.ts';
import { unstoredCalls } from '../range/unstored-calls.ts';
import { startsOf } from '../testing/lane-times.ts';
import { smallTimeline } from '../testing/small-timeline.ts';
import { eventLine } from '../view/event-line.ts';
import {
  type EventHit,
  eventAround,
  locateEvent,
  refOf,
  rowOfSaved,
} from '../view/locate-event.ts';
import { matchedLane } from '../view/matched-lanes.ts';
import { neighbour, slowCalls } from '../view/navigation.ts';
import { submissionLinks } from '../view/submission-links.ts';
import { toldOfWork } from '../view/told-work.ts';
import { parseFilter } from '../view/track-filter.ts';
import { joinTiles } from './join-tiles.ts';
import { tileNsOf, topLevel } from './lane-tile.ts';
import { joinLineTiles } from './line-tile.ts';
import { GROUND, SUMMARY, type ToldLane } from './tile-answers.ts';
import { TimelineAnswers, timelineAnswers } from './timeline-answers.ts';

const data = smallTimeline();
const { lengthNs } = data.summary;
const answers = new TimelineAnswers(data);
/** As they are with the trace at hand, in the order of their numbers. */
const tracks = recordedGroups(data).flatMap((group) => group.tracks);
const eventTracks = tracks.filter(isEventTrack);
const told = answers.tracks.groups.flatMap((group) => group.tracks);
const top = topLevel(lengthNs);

const [{ number: first } = { number: Number.NaN }] = told;
const numberOf = (id: string) => first + tracks.findIndex((track) => track.id === id);
const isTold = (track: ToldTrack): track is ToldEventTrack =>
  track.kind !== 'line' && track.kind !== 'buckets';
const run = (track: number, part: number, level = top): TileRun => {
  const count = Math.ceil(lengthNs / tileNsOf(level));
  return { track, part, level, first: 0, count };
};

/** Every row that the trace has. */
const everyRow = tableNames.flatMap((table: TableName): EventRef[] => {
  const { startNs = [] } = eventColumns(data.tables, table) ?? {};
  return Array.from(startNs, (_, row) => ({ table, row }));
});

/** What is told of a place is what is drawn there with the trace at hand. */
function expectAt(placed: PlacedEvent | null | undefined, hit: EventHit | undefined): void {
  if (hit === undefined || !placed) {
    expect([placed ?? undefined, hit]).toEqual([undefined, undefined]);
    return;
  }
  const { track, lane, index } = hit;
  const { event, trackId, startNs, durationNs, colour, kind, name } = placed;
  expect({ event, trackId, startNs, durationNs, colour, kind, name }).toEqual({
    event: refOf(hit),
    trackId: track.id,
    startNs: lane.times.startNs(index),
    durationNs: lane.times.durationNs(index),
    colour: lane.colours[index],
    kind: track.kindOf(lane, index),
    name: track.nameOf(lane, index),
  });
  expectOnLine(placed, track);
}

/** The event is on the line that it is said to be on; where a track has one only, that is all of it. */
function expectOnLine({ line, startNs, event }: PlacedEvent, track: EventTrack): void {
  const lines = track.expandable ? track.lanes() : [track.summary()];
  const lane = line === GROUND ? track.ground?.() : lines[line];
  let at = lane === undefined ? -1 : startsOf(lane).indexOf(startNs);
  while (
    event !== undefined &&
    lane?.times.startNs(at) === startNs &&
    lane.rows.at(at) !== event.row
  )
    at++;
  expect([lane?.times.startNs(at), event && lane?.rows.at(at)]).toEqual([startNs, event?.row]);
}

describe('tracks', () => {
  test('are those of the timeline, by number, with the overview behind them', () => {
    expect(told.map(({ id }) => id)).toEqual(tracks.map(({ id }) => id));
    expect(told.map(({ number }) => number)).toEqual(tracks.map(({ id }) => numberOf(id)));
    expect(new Set(told.map(({ number }) => number)).size).toBe(told.length);
    expect(answers.tracks.overview).toBe(first + tracks.length);
    const kinds = new Set(told.map(({ kind }) => kind));
    expect(kinds).toEqual(new Set(['density', 'events', 'states', 'buckets', 'line', 'marks']));
    expect(answers.tracks.lost).toEqual(lostStretches(data));
    expect(answers.tracks.slowest).toEqual(slowestCall(data));
    expect(answers.tracks.callers).toEqual([0, 1]);
  });

  test('are told without functions and without arrays of numbers: as they are sent', () => {
    expect(JSON.parse(JSON.stringify(answers.tracks))).toEqual(answers.tracks);
    expect(JSON.parse(JSON.stringify(finished(answers.kinds())))).toEqual(
      finished(answers.kinds()),
    );
  });

  test('tell all of themselves but what is drawn', () => {
    told.forEach((track, at) => {
      const { number: _, ...plain } = track;
      const { hasGround, ...same } = { hasGround: undefined, ...plain };
      const whole = tracks[at] as Track;
      expect(whole).toMatchObject(same);
      if (isEventTrack(whole)) expect(hasGround).toBe(whole.ground !== undefined);
    });
  });

  test('of a trace without events there are none, and no overview', () => {
    const none = new TimelineAnswers({ ...data, tables: {} });
    expect(none.tracks.overview).toBeUndefined();
    expect(none.tracks.slowest).toBeUndefined();
    expect(none.tracks.callers).toEqual([]);
    expect(none.slowCall(-1, 1)).toBeNull();
    expect(none.threadsOf('cuda_call')).toEqual([]);
    expect(none.blockRequests(0, 0, 9)).toBeNull();
  });

  test('grouped otherwise have other numbers: nobody is told of another track than they mean', () => {
    const others = new TimelineAnswers({ ...data }, 1_000).tracks.groups.flatMap(
      (group) => group.tracks,
    );
    const numbers = [...told, ...others].map(({ number }) => number);
    expect(new Set(numbers).size).toBe(told.length + others.length);
    for (const { number } of others) expect(answers.around(number, 120_000)).toBeNull();
  });

  test('are worked out once, and kept with the trace', () => {
    expect(timelineAnswers(data)).toBe(timelineAnswers(data));
    expect(timelineAnswers(smallTimeline())).not.toBe(timelineAnswers(data));
  });
});

/** The lane that tiles from one end of the trace to the other come to. */
function laneOf({ tiles, meanNs }: ToldLane): EventLane & { readonly kinds: Uint32Array } {
  return joinTiles(tiles, tiles[0]?.level ?? 0, 0, { meanNs });
}

/** The parts of a track that a page draws, and the lanes that they are. */
function partsOf(track: EventTrack): (readonly [part: number, lane: EventLane])[] {
  const { ground } = track;
  return [
    [SUMMARY, track.summary()],
    ...track.lanes().map((lane, line) => [line, lane] as const),
    ...(ground === undefined ? [] : [[GROUND, ground()] as const]),
  ];
}

const eventsOf = (lane: EventLane) =>
  Array.from(startsOf(lane), (ns, at) => [
    ns,
    lane.times.durationNs(at),
    lane.rows.at(at),
    lane.colours[at],
  ]);

function onlyLane(runs: readonly TileRun[], filter = ''): ToldLane | undefined {
  const { lanes, lines, buckets } = answers.tiles({ filter, runs });
  expect([lines, buckets]).toEqual([[], []]);
  expect(lanes.length).toBeLessThanOrEqual(1);
  return lanes[0];
}

describe('tiles', () => {
  test('of every part of every track are there, with all its events at a level fine enough', () => {
    for (const track of eventTracks)
      for (const [part, lane] of partsOf(track)) {
        const number = numberOf(track.id);
        const fine = onlyLane([run(number, part, 4)]);
        if (fine === undefined) throw new Error(`nothing of ${track.id}, ${part}`);
        const joined = laneOf(fine);
        expect(fine).toMatchObject({ track: number, part, meanNs: lane.meanNs });
        expect(eventsOf(joined)).toEqual(eventsOf(lane));
        expect(Array.from(joined.kinds)).toEqual(
          Array.from(startsOf(lane), (_, at) => track.kindOf(lane, at)),
        );
        const names = new Map(fine.names);
        startsOf(lane).forEach((_, at) => {
          expect(names.get(track.kindOf(lane, at))).toBe(track.nameOf(lane, at));
        });
      }
  });

  test('of a line say how many there are; a density has its two, whatever happened', () => {
    for (const track of told) {
      if (!isTold(track)) continue;
      const whole = eventTracks.find(({ id }) => id === track.id);
      const lines = onlyLane([run(track.number, 0)])?.lines;
      expect(lines).toBe(whole?.lanes().length);
      if (track.kind === 'density') expect(lines).toBe(2);
      expect(onlyLane([run(track.number, SUMMARY)])).not.toHaveProperty('lines');
    }
    expect(onlyLane([run(numberOf('range:0'), 0)])?.lines).toBe(2);
  });

  test('of thousands of events are not exact where they are seen from afar', () => {
    const [tile] = onlyLane([run(numberOf('off_cpu:1'), SUMMARY)])?.tiles ?? [];
    expect(tile?.buckets).toBeDefined();
    expect(tile?.events.startNs.length).toBeLessThan(1_024);
  });

  test('of one line are told together, however many runs there are', () => {
    const number = numberOf('cuda_call:0');
    const runs = [run(number, 0), run(number, 1), { ...run(number, 0), level: 3, count: 2 }];
    const { lanes } = answers.tiles({ filter: '', runs });
    expect(lanes.map(({ part, tiles }) => [part, tiles.map(({ level }) => level)])).toEqual([
      [0, [top, 3, 3]],
      [1, [top]],
    ]);
  });

  test('with a filter are of what it picks; words choose no events', () => {
    const number = numberOf('off_cpu:1');
    const [track] = eventTracks.filter(({ id }) => id === 'off_cpu:1');
    if (track === undefined) throw new Error('no such track');
    for (const filter of [
      'name:sleeping',
      'dur>150ns',
      'name:runnable dur>150ns',
      'name:nothing',
    ]) {
      const picked = onlyLane([run(number, SUMMARY, 4)], filter);
      const matched = matchedLane(track, track.summary(), parseFilter(filter));
      expect(eventsOf(laneOf(picked as ToldLane))).toEqual(eventsOf(matched));
      expect(matched.length).toBeLessThan(track.summary().length);
    }
    expect(onlyLane([run(number, SUMMARY)], 'worker pid:20')).toEqual(
      onlyLane([run(number, SUMMARY)]),
    );
  });

  test('of values and of counts are what the tracks draw', () => {
    const line = tracks.find(({ kind }) => kind === 'line');
    const counted = tracks.find(({ kind }) => kind === 'buckets');
    if (line?.kind !== 'line' || counted?.kind !== 'buckets') throw new Error('no such track');
    const runs = [run(numberOf(line.id), 0, 4), run(numberOf(counted.id), 0)];
    const { lanes, lines, buckets } = answers.tiles({ filter: '', runs });
    expect(lanes).toEqual([]);
    expect(joinLineTiles(lines[0]?.tiles ?? [])).toEqual(line.samples());
    expect(buckets).toEqual([{ track: numberOf(counted.id), ...counted.buckets() }]);
  });

  test('of the overview are of all calls', () => {
    const overview = onlyLane([run(answers.tracks.overview ?? -1, SUMMARY)]);
    expect(eventsOf(laneOf(overview as ToldLane))).toEqual(
      eventsOf(overviewLane(data)?.value() as EventLane),
    );
  });

  test('of what there is not are left out', () => {
    const runs = [
      ...[run(-1, SUMMARY), run(first + 1_000, SUMMARY), run(numberOf('range:0'), 2)],
      ...[run(numberOf('cuda_call:0'), GROUND), run(numberOf('cuda_call:0'), -3)],
    ];
    expect(answers.tiles({ filter: '', runs })).toEqual({
      ...{ lanes: [], lines: [], buckets: [], isCut: false },
    });
  });

  test('are told as far as there is time, and at least of one line', () => {
    const ids = ['cuda_call:0', 'range:0', 'off_cpu:0'];
    const wanted = { filter: '', runs: ids.map((id) => run(numberOf(id), SUMMARY)) };
    const toldIn = (times: number) => {
      let asked = 0;
      const { lanes, isCut } = answers.tiles(wanted, () => ++asked >= times);
      return [lanes.map(({ track }) => track), isCut];
    };
    const numbers = ids.map(numberOf);
    expect(toldIn(1)).toEqual([numbers.slice(0, 1), true]);
    expect(toldIn(2)).toEqual([numbers.slice(0, 2), true]);
    expect(toldIn(3)).toEqual([numbers, false]);
    expect(answers.tiles(wanted).isCut).toBe(false);
  });

  test('are of lanes that may be built ahead, line by line', () => {
    const ahead = new TimelineAnswers(smallTimeline());
    const numbers = ahead.tracks.groups.flatMap(({ tracks }) => tracks.map(({ number }) => number));
    const wanted = { filter: '', runs: numbers.map((number) => run(number, SUMMARY)) };
    const before = bytesOfLanes();
    const steps = [...ahead.buildAhead(wanted)];
    const built = bytesOfLanes();
    expect(steps.length).toBeGreaterThan(3);
    expect(built).toBeGreaterThan(before);
    ahead.tiles(wanted);
    expect(bytesOfLanes()).toBe(built);
  });

  test('beside the trace are empty', () => {
    const number = numberOf('cuda_call:0');
    const beside = { ...run(number, SUMMARY), first: Number.MAX_SAFE_INTEGER, count: 1 };
    const [tile] = onlyLane([beside])?.tiles ?? [];
    expect(tile?.events.startNs.length).toBe(0);
  });
});

test('kinds are what a filter is asked of', () => {
  for (const { track: number, kinds } of finished(answers.kinds())) {
    const track = tracks[number - first];
    if (track === undefined || !isEventTrack(track)) {
      expect([number, kinds]).toEqual([answers.tracks.overview, []]);
      continue;
    }
    const all = [...(track.kinds() ?? [])];
    expect(kinds).toEqual(all.map(([kind, ns]) => [kind, track.kindName(kind), ns]));
  }
  expect(finished(answers.kinds())).toHaveLength(eventTracks.length + 1);
});

describe('an event', () => {
  test('is where it is drawn', () => {
    everyRow
      .map((event) => answers.place(event))
      .forEach((placed, at) => {
        expectAt(placed, locateEvent(data, tracks, everyRow[at] as EventRef));
      });
    // Inside another call it is on the second line.
    expect(answers.place({ table: 'cuda_call', row: 1 })).toMatchObject({ line: 1, thread: 0 });
    // Of two kernels at a time the second one is below the first.
    expect(answers.place({ table: 'gpu_work', row: 2 })).toMatchObject({ line: 1, thread: -1 });
    expect(answers.place({ table: 'cuda_call', row: 99 })).toBeNull();
    expect(answers.place({ table: 'gap', row: 0 })).toBeNull();
  });

  test('is around a moment as its track shows it', () => {
    for (const track of tracks)
      for (let ns = 0; ns <= lengthNs; ns += 25_001)
        expectAt(answers.around(numberOf(track.id), ns), eventAround(track, ns));
    // Between two waits it ran: in no table, and drawn below the line.
    const ran = answers.around(numberOf('off_cpu:0'), 400_000);
    expect(ran).toMatchObject({ name: 'Running', line: GROUND, thread: 0 });
    expect(ran).not.toHaveProperty('event');
    for (const number of [-1, first + 1_000, answers.tracks.overview ?? -1])
      expect(answers.around(number, 50)).toBeNull();
  });

  test('is saved, and found again by its time', () => {
    for (const saved of [
      { table: 'cuda_call', row: 2, startNs: 500_000, durationNs: 80_000, label: '' },
      { table: 'cuda_call', row: 0, startNs: 500_000, durationNs: 80_000, label: '' },
      { table: 'off_cpu', row: 1e6, startNs: 50_300, durationNs: 70, label: '' },
      { table: 'cuda_call', row: 2, startNs: 500_001, durationNs: 80_000, label: '' },
      { table: 'syscall', row: 0, startNs: 1, durationNs: 1, label: '' },
    ] as const)
      expect(answers.rowOf(saved)).toBe(rowOfSaved(data, saved) ?? null);
    const moved = { table: 'cuda_call', row: 0, startNs: 500_000, durationNs: 80_000, label: '' };
    expect(answers.rowOf({ ...moved, table: 'cuda_call' })).toBe(2);
    expect(answers.rowOf({ ...moved, table: 'syscall' })).toBeNull();
  });

  test('has a line in lists', () => {
    const rows = [...everyRow, { table: 'syscall', row: 3 } as const];
    expect(answers.lines(rows)).toEqual(rows.map((event) => eventLine(data, event)));
  });
});

describe('a selected event', () => {
  test('comes with its row and its place', () => {
    for (const event of everyRow.slice(0, 40)) {
      const { placed, thread, startNs, durationNs } = answers.select(event);
      const columns = eventColumns(data.tables, event.table);
      expect(placed).toEqual(answers.place(event));
      expect({ thread, startNs, durationNs }).toEqual({
        thread: columns?.thread?.[event.row] ?? -1,
        startNs: columns?.startNs[event.row],
        durationNs: columns?.durationNs?.[event.row] ?? 0,
      });
    }
  });

  test('that asked for work of the GPU is told it, as far as both are drawn', () => {
    const refs = everyRow.filter(({ table }) => table === 'cuda_call' || table === 'gpu_work');
    for (const event of refs) {
      const { submission } = answers.select(event);
      const isWork = event.table === 'gpu_work';
      const call = isWork ? callOfWork(data.tables, event.row) : event.row;
      const works = call < 0 ? [] : [...workOfCall(data.tables, call)];
      expect(submission).toMatchObject({
        call,
        count: works.length,
        at: isWork ? works.indexOf(event.row) : -1,
      });
      const links = submissionLinks(data, tracks, event);
      expectAt(submission.links?.call, links?.call);
      expect(submission.links?.works.length).toBe(links?.works.length);
      for (const [at, hit] of (links?.works ?? []).entries())
        expectAt(submission.links?.works[at], hit);
      expect(works.map((_, at) => answers.workOf(call, at))).toEqual(works);
      expect(answers.workOf(call, works.length)).toBeNull();
    }
    const launch = answers.select({ table: 'cuda_call', row: 2 }).submission;
    expect(launch.links?.works.map(({ event }) => event?.row)).toEqual([1, 2]);
    const orphan = answers.select({ table: 'gpu_work', row: 3 }).submission;
    expect(orphan).toEqual({ call: -1, count: 0, at: -1 });
    const wait = answers.select({ table: 'off_cpu', row: 0 }).submission;
    expect(wait).toEqual({ call: -1, count: 0, at: -1 });
  });

  test('that is work of the GPU tells who asked for it', () => {
    for (const row of [0, 1, 2, 3]) expect(answers.work(row)).toEqual(toldOfWork(data, row));
    expect(answers.work(2)).toMatchObject({
      submitter: { row: 2, place: { number: 2, of: 2 } },
      fullName: 'void ns::add<float>(int)',
    });
  });

  test('that is not there is nowhere', () => {
    expect(answers.select({ table: 'cuda_call', row: 99 })).toMatchObject({
      ...{ placed: null, thread: -1, startNs: 0, durationNs: 0 },
      submission: { count: 0 },
    });
    expect(answers.select({ table: 'gpu_work', row: 99 }).submission.call).toBe(-1);
  });
});

describe('from one event to another', () => {
  test('goes to the next on the shown lines, of those that a filter picks', () => {
    const chosen = ['cuda_call:0', 'gpu_work:0:0', 'off_cpu:0', 'sample:-1:CPU (%)', 'range:0'];
    for (const expanded of [false, true])
      for (const filter of [undefined, 'name:memcpy', 'dur>15us', 'name:none'])
        for (const by of [1, -1] as const)
          for (let ns = -1; ns <= lengthNs; ns += 49_999) {
            const rows = chosen.map((id) => ({ track: numberOf(id), expanded }));
            const whole = rows.flatMap(({ track: number }) => {
              const track = tracks[number - first];
              return track !== undefined && isEventTrack(track) ? [{ track, expanded }] : [];
            });
            const picks = filter === undefined ? undefined : parseFilter(filter);
            const placed = answers.neighbour(rows, filter, ns, by);
            expectAt(placed, neighbour(whole, picks, ns, by));
          }
    expect(
      answers.neighbour([{ track: first + 1_000, expanded: true }], undefined, 0, 1),
    ).toBeNull();
    expect(answers.neighbour([], undefined, 0, 1)).toBeNull();
  });

  test('goes round through the slowest calls, from the slowest on', () => {
    const slowest = [...slowCalls(data)];
    expect(slowest).toEqual([2, 0, 3]);
    expect(answers.slowCall(-1, 1)).toEqual({ row: 2, rank: 0 });
    expect(answers.slowCall(-1, -1)).toEqual({ row: 2, rank: 0 });
    // A nested call is none of them.
    expect(answers.slowCall(1, 1)).toEqual({ row: 2, rank: 0 });
    expect(answers.slowCall(2, 1)).toEqual({ row: 0, rank: 1 });
    expect(answers.slowCall(2, -1)).toEqual({ row: 3, rank: 2 });
    expect(answers.slowCall(3, 1)).toEqual({ row: 2, rank: 0 });
  });
});

test('block requests are told apart by the thread of a call', () => {
  for (const [call, thread] of [
    [2, 0],
    [3, 1],
    [99, -1],
  ] as const)
    expect(answers.blockRequests(call, 500_000, 580_000)).toEqual(
      blockRequests(data, thread, 500_000, 580_000),
    );
  expect(answers.blockRequests(2, 500_000, 580_000)).toEqual({
    ...{ rows: [0, 1], count: 2, bytes: 4_608, own: 1 },
  });
});

test('threads with events of a table are known, by index', () => {
  expect(answers.threadsOf('cuda_call')).toEqual([0, 1]);
  expect(answers.threadsOf('page_fault')).toEqual([1]);
  expect(answers.threadsOf('gpu_work')).toEqual([]);
  expect(answers.threadsOf('syscall')).toEqual([]);
  const unknown: TraceData = {
    ...data,
    tables: { page_fault: { startNs: Float64Array.of(1, 2), thread: Int32Array.of(-1, 1) } },
  };
  expect(new TimelineAnswers(unknown).threadsOf('page_fault')).toEqual([1]);
});

describe('figures of a range', () => {
  const range = { startNs: 105_000, endNs: 560_500 };

  test('are of all events of its tracks, by one key or by two', () => {
    const numbers = [...tracks.map(({ id }) => numberOf(id)), first + 1_000];
    const pairs = [
      ...(['name', 'thread', 'process', 'track'] as const).map((key) => [key] as const),
      ...([['thread', 'name'] as const, ['name', 'track'] as const] as const),
    ];
    for (const keys of pairs) {
      const [key, second] = keys;
      const figures = finished(answers.range(numbers, range, keys, true));
      const one = keyOfEvent(data, [key]);
      const other = second && keyOfEvent(data, [second]);
      const statistics = finished(
        trackStatistics(eventTracks, range, (...event) =>
          other === undefined ? one(...event) : pivotKey(one(...event), other(...event)),
        ),
      );
      expect(figures.statistics).toEqual(statistics);
      expect(statistics.length).toBeGreaterThan(1);
    }
  });

  test('say which calls were counted and are not stored', () => {
    const whole = { startNs: 0, endNs: lengthNs };
    const { statistics, unstored } = finished(answers.range([], whole, ['name'], true));
    expect(statistics).toEqual([]);
    expect(unstored).toEqual([...finished(unstoredCalls(data, whole))]);
    expect(unstored.map(([name]) => name)).toEqual(['cudaMemcpyAsync']);
    // Who does not ask for it is told nothing of it.
    expect(finished(answers.range([], whole, ['name'], false)).unstored).toEqual([]);
  });
});
