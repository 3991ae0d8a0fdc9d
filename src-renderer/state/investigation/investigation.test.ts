import { setImmediate } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { fail, ok } from '../../../src-main/shared/rpc/result.ts';
import type { TilesWanted } from '../../../src-main/shared/rpc/tiles-query.ts';
import { tabs } from '../../../src-main/shared/tabs/tabs.ts';
import { buildTrackGroups } from '../../../src-main/timeline/build/build-tracks.ts';
import type { EventLane } from '../../../src-main/timeline/model/pyramid.ts';
import type { TraceData } from '../../../src-main/timeline/model/trace-data.ts';
import { isEventTrack } from '../../../src-main/timeline/model/track-model.ts';
import { startsOf } from '../../../src-main/timeline/testing/lane-times.ts';
import { smallTimeline } from '../../../src-main/timeline/testing/small-timeline.ts';
import { packTracks } from '../../../src-main/timeline/tiles/packed-tracks.ts';
import { SUMMARY } from '../../../src-main/timeline/tiles/tile-answers.ts';
import { timelineAnswers } from '../../../src-main/timeline/tiles/timeline-answers.ts';
import { FakeApi } from '../testing/fake-api.ts';
import { answerTimeline } from '../testing/fake-timeline.ts';
import { fakeOpened, TRACE_ID } from '../testing/fake-trace.ts';
import { InvestigationState } from './investigation.svelte.ts';

/** All of the small trace, from so far that one tile is enough. */
const ALL = { startNs: 0, endNs: 1e6, nsPerPixel: 4_000 };
const OTHER_ID = '22222222-2222-4222-8222-222222222222';

/** A page that is shown a small trace, and what it asked for in bulk. */
function setUp() {
  const data = smallTimeline();
  const fake = new FakeApi();
  const fetched: TilesWanted[] = [];
  const answer = (answered: TraceData) => {
    const { tiles } = answerTimeline(fake, answered);
    fake.tiles = (traceId, wanted) => {
      fetched.push(wanted);
      return tiles(traceId, wanted);
    };
  };
  answer(data);
  const numberOf = (id: string, { tracks } = timelineAnswers(data)) =>
    tracks.groups.flatMap((group) => group.tracks).find((track) => track.id === id)?.number ?? -1;
  const opened = { ...fakeOpened(), summary: data.summary };
  const state = new InvestigationState(fake.api);
  /** As a chart draws it: the one line of the calls of the main thread, from end to end. */
  const draw = () => {
    const calls = state.timeline?.allTracks.find(({ id }) => id === 'cuda_call:0');
    if (calls === undefined || !isEventTrack(calls)) return undefined;
    return calls.summary(ALL);
  };
  return { data, fake, fetched, answer, numberOf, opened, state, draw };
}

const starts = (lane: EventLane | undefined) => lane && startsOf(lane);

test('which tracks there are is asked once; of events only what is drawn is fetched', async () => {
  const { data, fake, fetched, numberOf, opened, state, draw } = setUp();
  const shown = state.show(opened);
  expect(state.isLoading).toBe(true);
  await shown;
  expect(state.isLoading).toBe(false);
  expect(state.failure).toBeUndefined();
  expect(fake.namesAsked().filter((name) => name === 'trace.tracks')).toHaveLength(1);
  expect(fake.asked).toContainEqual({ name: 'trace.tracks', args: { traceId: TRACE_ID } });
  const drawn = buildTrackGroups(data).flatMap((group) => group.tracks);
  expect(state.timeline?.allTracks.map(({ id }) => id)).toEqual(drawn.map(({ id }) => id));
  expect(fetched).toEqual([]);
  draw();
  await vi.waitFor(() => expect(starts(draw())).toEqual(Float64Array.of(100_000, 500_000)));
  expect(fetched.map(({ runs }) => runs.map(({ track }) => track))).toEqual([
    [numberOf('cuda_call:0')],
  ]);
});

test('the first figures come before anything else is asked for', async () => {
  const { fake, opened, state } = setUp();
  let answer: () => void = () => undefined;
  fake.answer(
    'trace.operations',
    () =>
      new Promise((resolve) => {
        answer = () => resolve(ok([]));
      }),
  );
  const shown = state.show(opened);
  await setImmediate();
  expect(fake.namesAsked()).not.toContain('trace.diagnose');
  expect(state.diagnosis.busy).toBe(true);
  expect(fake.namesAsked()).not.toContain('trace.tracks');
  expect(state.isLoading).toBe(true);
  answer();
  await shown;
  expect(fake.namesAsked()).toContain('trace.diagnose');
  expect(fake.namesAsked()).toContain('trace.tracks');
});

test('where there are first figures already, they stay until those of all events are here, and nothing waits for these', async () => {
  const { fake, opened, state } = setUp();
  let answer: () => void = () => undefined;
  fake.answer(
    'trace.operations',
    () =>
      new Promise((resolve) => {
        answer = () => resolve(ok([]));
      }),
  );
  const timeline = { lengthNs: 1, lanes: [], lanesLeftOut: 0 };
  const first = { tables: [], operations: [], operationsLeftOut: 0, timeline };
  await state.show(opened, undefined, first);
  expect(fake.namesAsked()).toContain('trace.tracks');
  expect(fake.namesAsked()).not.toContain('trace.diagnose');
  expect(state.operations.first).toBe(first);
  answer();
  await vi.waitFor(() => expect(fake.namesAsked()).toContain('trace.diagnose'));
  expect(state.operations.first).toBeUndefined();
  state.close();
  expect(state.operations.first).toBeUndefined();
});

test('tiles that fail leave those before them on the screen, until they are asked for again', async () => {
  const { fake, numberOf, opened, state, draw } = setUp();
  await state.show(opened);
  draw();
  await vi.waitFor(() => expect(draw()?.length).toBe(2));
  const { tiles } = fake;
  fake.tiles = async () => fail('disconnected', 'Connection lost.');
  state.source?.tiles.lane(numberOf('off_cpu:1'), SUMMARY, ALL);
  await vi.waitFor(() => expect(state.failure?.message).toBe('Connection lost.'));
  expect(draw()?.length).toBe(2);
  fake.tiles = tiles;
  state.reclaim();
  expect(state.failure).toBeUndefined();
});

test('tracks that can’t be told have failed', async () => {
  const { fake, opened, state } = setUp();
  fake.answer('trace.tracks', () => fail('disconnected', 'Connection lost.'));
  await state.show(opened);
  expect(state.failure?.message).toBe('Connection lost.');
  expect(state.isLoading).toBe(false);
  expect(state.timeline?.allTracks).toEqual([]);
});

test('with another role of a process its tracks are grouped anew, and asked for by new numbers', async () => {
  const { data, fake, fetched, answer, numberOf, opened, state, draw } = setUp();
  await state.show(opened);
  draw();
  await vi.waitFor(() => expect(draw()?.length).toBe(2));
  const { source: before, timeline } = state;
  const [first, ...others] = data.summary.processes;
  if (first === undefined) throw new Error('no process');
  const processes = [{ ...first, role: 'other' as const }, ...others];
  const changed = { ...data, summary: { ...data.summary, processes } };
  fake.answer('trace.setRole', () => {
    answer(changed);
    return ok(changed.summary);
  });
  fake.answer('sql.run', () =>
    ok({ columns: [], origins: [], notRecorded: [], rows: [], isCut: false, tookMs: 1 }),
  );
  await state.statement.run();
  expect(state.statement.result).toBeDefined();
  await state.setRole(0, 'other');
  expect(state.statement.result).toBeUndefined();
  expect(state.timeline).toBe(timeline);
  const groups = buildTrackGroups(changed);
  expect(state.timeline?.groups.map(({ label }) => label)).toEqual(
    groups.map(({ label }) => label),
  );
  // Nothing more is asked by the numbers of before.
  fetched.length = 0;
  before?.tiles.lane(numberOf('cuda_call:0'), 1, ALL);
  draw();
  await vi.waitFor(() => expect(starts(draw())).toEqual(Float64Array.of(100_000, 500_000)));
  const number = numberOf('cuda_call:0', timelineAnswers(changed));
  expect(number).not.toBe(numberOf('cuda_call:0'));
  expect(fetched.map(({ runs }) => runs.map(({ track }) => track))).toEqual([[number]]);
});

test('a lost process is told, its data stays, another trace’s loss is ignored', async () => {
  const fake = new FakeApi();
  const state = new InvestigationState(fake.api);
  await state.show(fakeOpened());
  fake.emit('trace.lost', { traceId: OTHER_ID, message: 'other' });
  expect(state.lost).toBeUndefined();
  fake.emit('trace.lost', { traceId: TRACE_ID, message: 'It ended.' });
  expect(state.lost).toBe('It ended.');
  expect(state.data).toBeDefined();
});

test('opening the same trace again keeps the selection and closes the old process', async () => {
  const fake = new FakeApi();
  const state = new InvestigationState(fake.api);
  await state.show(fakeOpened());
  state.selectCall(1);
  await state.show(fakeOpened({ cuda_call: 2 }, OTHER_ID));
  expect(state.selection.event).toEqual({ table: 'cuda_call', row: 1 });
  expect(fake.asked).toContainEqual({ name: 'trace.close', args: { traceId: TRACE_ID } });
});

test('closing forgets the trace and stops loading', async () => {
  const { data, fake, fetched, numberOf, opened, state } = setUp();
  const told = Promise.withResolvers<void>();
  fake.answer('trace.tracks', async () => {
    await told.promise;
    return ok(packTracks(timelineAnswers(data).tracks));
  });
  const shown = state.show(opened);
  const { source } = state;
  await vi.waitFor(() => expect(fake.namesAsked()).toContain('trace.tracks'));
  expect(state.isLoading).toBe(true);
  state.selection.selectEvent({ table: 'off_cpu', row: 0 });
  state.close();
  expect(state.isLoading).toBe(false);
  told.resolve();
  await shown;
  expect(state.isLoading).toBe(false);
  expect(state.source).toBeUndefined();
  expect(state.data).toBeUndefined();
  expect(state.selection.event).toBeUndefined();
  expect(state.tab).toBe('overview');
  source?.tiles.lane(numberOf('cuda_call:0'), SUMMARY, ALL);
  await setImmediate();
  expect(fetched).toEqual([]);
});

test('selecting a call opens the panel', () => {
  const state = new InvestigationState(new FakeApi().api);
  state.showPanel(false);
  state.selectCall(3, 'timeline');
  expect(state.panelOpen).toBe(true);
  expect(state.isMounted('timeline')).toBe(true);
});

test('the panel is open while it has something to say and room, until somebody chooses', () => {
  const state = new InvestigationState(new FakeApi().api);
  expect(state.panelOpen).toBe(false);
  state.showTab('timeline');
  expect(state.panelOpen).toBe(true);
  state.showTab('sql');
  expect(state.panelOpen).toBe(false);
  state.selection.selectEvent({ table: 'off_cpu', row: 1 });
  expect(state.panelOpen).toBe(true);
  state.hasRoomForPanel = false;
  expect(state.panelOpen).toBe(false);
  state.selectCall(3);
  expect(state.panelOpen).toBe(true);
  state.selection.selectEvent(undefined);
  expect(state.panelOpen).toBe(false);
  state.showPanel(true);
  expect(state.panelOpen).toBe(true);
  state.showPanel(false);
  state.hasRoomForPanel = true;
  state.showTab('timeline');
  expect(state.panelOpen).toBe(false);
  state.selection.selectEvent({ table: 'off_cpu', row: 1 });
  expect(state.panelOpen).toBe(false);
});

test('how the panel was shown or hidden is of one trace: the next begins as if nobody had chosen', async () => {
  const state = new InvestigationState(new FakeApi().api);
  const { investigation } = fakeOpened();
  const begin = async (id: number) => {
    await state.show({ ...fakeOpened(), investigation: { ...investigation, id } });
    state.showTab('timeline');
    return state.panelOpen;
  };
  state.hasRoomForPanel = false;
  expect(await begin(1)).toBe(false);
  state.selectCall(1);
  expect(state.panelOpen).toBe(true);
  expect(await begin(2)).toBe(false);
  state.showPanel(true);
  expect(await begin(3)).toBe(false);
  state.hasRoomForPanel = true;
  state.showPanel(false);
  expect(await begin(4)).toBe(true);
  state.showPanel(false);
  // Opened again, it is the same trace.
  expect(await begin(4)).toBe(false);
});

test('a tab is there always, from its first time on, or only while it is shown', () => {
  const state = new InvestigationState(new FakeApi().api);
  const there = () => tabs.filter((tab) => state.isMounted(tab));
  expect(there()).toEqual(['overview']);
  state.showTab('timeline');
  expect(there()).toEqual(['overview', 'timeline']);
  state.showTab('flame');
  expect(there()).toEqual(['overview', 'timeline', 'flame']);
  state.showTab('overview');
  expect(there()).toEqual(['overview', 'timeline']);
  state.close();
  expect(there()).toEqual(['overview']);
});
