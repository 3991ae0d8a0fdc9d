import { describe, expect, test, vi } from 'vitest';
import { fail } from '../../../src-main/shared/rpc/result.ts';
import { lostStretches, recordedGroups } from '../../../src-main/timeline/build/build-tracks.ts';
import { slowestCall } from '../../../src-main/timeline/build/slowest-call.ts';
import { isEventTrack, type Track } from '../../../src-main/timeline/model/track-model.ts';
import { finished } from '../../../src-main/timeline/range/finished.ts';
import { smallTimeline } from '../../../src-main/timeline/testing/small-timeline.ts';
import { timelineAnswers } from '../../../src-main/timeline/tiles/timeline-answers.ts';
import { hasMatch } from '../../../src-main/timeline/view/matched-lanes.ts';
import { parseFilter } from '../../../src-main/timeline/view/track-filter.ts';
import { FakeApi } from '../testing/fake-api.ts';
import { answerTimeline } from '../testing/fake-timeline.ts';
import { hitOf, numberOf } from './remote-tracks.ts';
import { TimelineSource } from './timeline-source.svelte.ts';

const data = smallTimeline();
const answers = timelineAnswers(data);
const whole = { startNs: 0, endNs: data.summary.lengthNs, nsPerPixel: 4_000 };
const call = { table: 'cuda_call', row: 2 } as const;

async function setUp() {
  const fake = answerTimeline(new FakeApi(), data);
  const source = new TimelineSource(fake.api, data.traceId, data.summary.lengthNs);
  await source.load();
  const timesAsked = (name: string) => fake.namesAsked().filter((each) => each === name).length;
  const tracks = source.groups.flatMap((group) => group.tracks);
  return { fake, source, timesAsked, tracks };
}

describe('tracks', () => {
  test('are those that the trace has, with what is told of them', async () => {
    const { source, tracks } = await setUp();
    const groups = recordedGroups(data);
    expect(source.groups.map(({ id, label, detail }) => [id, label, detail])).toEqual(
      groups.map(({ id, label, detail }) => [id, label, detail]),
    );
    const plain = ({ id, kind, label, detail, badge, table, pid, recorded }: Track) => ({
      ...{ id, kind, label, detail, badge, table, pid, recorded },
    });
    expect(tracks.map(plain)).toEqual(groups.flatMap((group) => group.tracks).map(plain));
    const told = answers.tracks.groups.flatMap((group) => group.tracks);
    expect(tracks.map(numberOf)).toEqual(told.map(({ number }) => number));
    expect(source.lost).toEqual(lostStretches(data));
    expect(source.slowest).toEqual(slowestCall(data));
    expect(source.callers).toEqual([0, 1]);
  });

  test('are none until they are told, or where they can’t be', async () => {
    const fake = answerTimeline(new FakeApi(), data);
    const source = new TimelineSource(fake.api, data.traceId, 1e6);
    expect([source.isLoaded, source.groups, source.lost, source.callers]).toEqual([
      ...[false, [], [], []],
    ]);
    expect(source.overview(whole)).toBeUndefined();
    fake.answer('trace.tracks', () => fail('disconnected', 'Connection lost.'));
    await source.load();
    expect([source.isLoaded, source.failure?.message]).toEqual([false, 'Connection lost.']);
  });

  test('hold what they draw as far as its tiles are here, and call it by its name', async () => {
    const { source, tracks } = await setUp();
    const [calls] = tracks.filter(({ id }) => id === 'cuda_call:0');
    const [state] = tracks.filter(({ id }) => id === 'off_cpu:0');
    if (calls === undefined || !isEventTrack(calls)) throw new Error('no such track');
    if (state === undefined || !isEventTrack(state)) throw new Error('no such track');
    const draw = () => ({
      one: calls.summary(whole),
      lines: calls.lanes(whole),
      ground: state.ground?.(whole),
      overview: source.overview(whole),
    });
    const { version } = source.tiles;
    expect(draw().lines).toHaveLength(1);
    await vi.waitFor(() => expect(source.tiles.version).toBeGreaterThan(version));
    // Now it is known that there is another line.
    expect(draw().lines).toHaveLength(2);
    await vi.waitFor(() => expect(draw().lines[1]?.length).toBe(1));
    const { one, lines, ground, overview } = draw();
    const names = (lane = one) => Array.from(lane.rows, (_, at) => calls.nameOf(lane, at));
    expect(names()).toEqual(['cudaMemcpyAsync', 'cudaLaunchKernel']);
    expect(names(lines[1])).toEqual(['cuMemcpyHtoD']);
    expect(ground && state.nameOf(ground, 0)).toBe('Running');
    expect(overview?.length).toBe(4);
    expect(calls.ground).toBeUndefined();
  });
});

describe('kinds', () => {
  test('are asked for once, when a filter first needs them; until then anything may match', async () => {
    const { timesAsked, tracks } = await setUp();
    const filter = parseFilter('name:memcpy dur>15us');
    const matching = () => tracks.filter((track) => hasMatch(track, filter)).map(({ id }) => id);
    expect(timesAsked('trace.kinds')).toBe(0);
    expect(matching()).toHaveLength(tracks.filter(isEventTrack).length);
    expect(matching()).toHaveLength(tracks.filter(isEventTrack).length);
    const whole = recordedGroups(data).flatMap((group) => group.tracks);
    const expected = whole.filter((track) => hasMatch(track, filter)).map(({ id }) => id);
    await vi.waitFor(() => expect(matching()).toEqual(expected));
    expect(timesAsked('trace.kinds')).toBe(1);
  });

  test('that can’t be had leave all tracks where they are', async () => {
    const { fake, tracks } = await setUp();
    fake.answer('trace.kinds', () => fail('disconnected', 'Connection lost.'));
    const [track] = tracks;
    const filter = parseFilter('name:nothing');
    expect(track && hasMatch(track, filter)).toBe(true);
    await new Promise((resolve) => setTimeout(resolve));
    expect(track && hasMatch(track, filter)).toBe(true);
  });
});

describe('an event', () => {
  test('is asked for once, and known from then on', async () => {
    const { source, timesAsked } = await setUp();
    expect(source.selectedOf(call)).toBeUndefined();
    expect(source.selectedOf({ ...call })).toBeUndefined();
    const told = await source.select(call);
    expect(told).toEqual(answers.select(call));
    expect(source.selectedOf(call)).toEqual(told);
    expect(timesAsked('trace.select')).toBe(1);
  });

  test('that could not be asked for is asked for again', async () => {
    const { fake, source } = await setUp();
    fake.answer('trace.select', () => fail('disconnected', 'Connection lost.'));
    expect(await source.select(call)).toBeUndefined();
    answerTimeline(fake, data);
    expect(await source.select(call)).toEqual(answers.select(call));
  });

  test('is drawn on its track as it is told', async () => {
    const { source, tracks } = await setUp();
    for (const event of [call, { table: 'gpu_work', row: 2 } as const]) {
      const placed = (await source.select(event))?.placed;
      const own = tracks.find(({ id }) => id === placed?.trackId);
      const hit = placed && hitOf(own, placed);
      if (!hit) throw new Error('not on the timeline');
      const { track, lane, index, line } = hit;
      expect({
        ...{ trackId: track.id, line, startNs: lane.times.startNs(index) },
        ...{ durationNs: lane.times.durationNs(index), colour: lane.colours[index] },
        ...{ event: { table: track.table, row: lane.rows.at(index) ?? -1 } },
        ...{ kind: track.kindOf(lane, index), name: track.nameOf(lane, index) },
      }).toEqual({ ...placed, thread: undefined });
    }
    const placed = answers.place(call);
    expect(hitOf(undefined, placed as never)).toBeUndefined();
  });
});

describe('events in lists', () => {
  const events = [0, 1, 2, 3].map((row) => ({ table: 'cuda_call', row }) as const);

  test('are asked for together, each once', async () => {
    const { source, timesAsked } = await setUp();
    const read = () => events.map((event) => source.lineOf(event));
    expect(read()).toEqual(events.map(() => undefined));
    expect(read()).toEqual(events.map(() => undefined));
    await vi.waitFor(() => expect(read()).toEqual(answers.lines(events)));
    expect(timesAsked('trace.lines')).toBe(1);
  });

  test('more than one question takes come one question after the other', async () => {
    const { fake, source, timesAsked } = await setUp();
    const many = Array.from({ length: 2_500 }, (_, row) => ({ table: 'off_cpu', row }) as const);
    for (const event of many) source.lineOf(event);
    const last = many.at(-1);
    await vi.waitFor(() => expect(last && source.lineOf(last)).toBeDefined());
    expect(timesAsked('trace.lines')).toBe(2);
    const asked = fake.asked.filter(({ name }) => name === 'trace.lines');
    expect(asked.map(({ args }) => (args as { events: unknown[] }).events.length)).toEqual([
      ...[2_000, 500],
    ]);
  });

  test('that could not be had are asked for when somebody looks again', async () => {
    const { fake, source, timesAsked } = await setUp();
    fake.answer('trace.lines', () => fail('disconnected', 'Connection lost.'));
    expect(source.lineOf(call)).toBeUndefined();
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setTimeout(resolve));
    expect(timesAsked('trace.lines')).toBe(1);
    answerTimeline(fake, data);
    expect(source.lineOf(call)).toBeUndefined();
    await vi.waitFor(() => expect(source.lineOf(call)).toEqual(answers.lines([call])[0]));
    expect(timesAsked('trace.lines')).toBe(2);
  });
});

test('threads of a table, block requests and figures of a range are those of the trace', async () => {
  const { source, timesAsked, tracks } = await setUp();
  expect(source.threadsOf('cuda_call')).toEqual([]);
  await vi.waitFor(() => expect(source.threadsOf('cuda_call')).toEqual([0, 1]));
  expect(timesAsked('trace.threadsOf')).toBe(1);
  expect(await source.blockRequests(2, { startNs: 500_000, endNs: 580_000 })).toEqual(
    answers.blockRequests(2, 500_000, 580_000),
  );
  const range = { startNs: 0, endNs: 600_000 };
  const numbers = tracks.flatMap((track) => numberOf(track) ?? []);
  const { signal } = new AbortController();
  expect(await source.range(numbers, range, ['thread', 'name'], true, signal)).toEqual(
    finished(answers.range(numbers, range, ['thread', 'name'], true)),
  );
});

test('what is around a moment before the trace is asked for at its begin', async () => {
  const { source, tracks } = await setUp();
  const [state = -1] = tracks.flatMap((track) =>
    track.id === 'off_cpu:0' ? (numberOf(track) ?? -1) : [],
  );
  expect(await source.around(state, 220_000)).toEqual(answers.around(state, 220_000));
  expect(await source.around(state, -5)).toEqual(answers.around(state, 0) ?? undefined);
});

test('what can’t be asked is nothing', async () => {
  const { fake, source } = await setUp();
  for (const name of ['trace.around', 'trace.savedRow', 'trace.workOf', 'trace.slowCall'] as const)
    fake.answer(name, () => fail('process-lost' as never, 'It ended.'));
  expect(await source.around(0, 0)).toBeUndefined();
  expect(await source.workOf(2, 0)).toBeUndefined();
  expect(await source.slowCall(-1, 1)).toBeUndefined();
  const saved = { ...call, startNs: 1, durationNs: 1, label: '' };
  expect(await source.rowOf(saved)).toBeUndefined();
});
