import { describe, expect, test, vi } from 'vitest';
import type { Diagnosis } from '../../../src-main/shared/answers/diagnosis.ts';
import { fail } from '../../../src-main/shared/rpc/result.ts';
import { stepsOfRanks } from '../../../src-main/timeline/build/step-tracks.ts';
import { isEventTrack } from '../../../src-main/timeline/model/track-model.ts';
import { smallTimeline } from '../../../src-main/timeline/testing/small-timeline.ts';
import { FakeApi } from '../testing/fake-api.ts';
import { answerTimeline } from '../testing/fake-timeline.ts';
import { Selection } from './selection.svelte.ts';
import { TimelineState } from './timeline.svelte.ts';
import { TimelineSource } from './timeline-source.svelte.ts';

const split = { other: 0, input: 0, h2d: 0, compute: 0, collective: 0, idle: 0 };
const steps = [
  { index: 0, startNs: 0, endNs: 450_000, split },
  { index: 1, startNs: 450_000, endNs: 900_000, split },
];
const rank = {
  rank: { label: 'Rank 0', mainThread: 0 },
  steps: { steps, count: 2, note: 'Found by their calls.' },
  starvation: {},
};
const judged = stepsOfRanks({ ranks: [rank] } as unknown as Diagnosis);

async function setUp() {
  const data = smallTimeline();
  const fake = answerTimeline(new FakeApi(), data);
  const source = new TimelineSource(fake.api, data.traceId, data.summary.lengthNs);
  await source.load();
  const selection = new Selection();
  const { traceId, summary } = data;
  const view = { traceId, summary, steps: judged };
  const timeline = new TimelineState(() => view, selection, { source: () => source });
  /** Where the selected event, or the one that is pointed out, begins. */
  const atNs = () => {
    const hit = timeline.selected ?? timeline.workedOut;
    return hit?.lane.times.startNs(hit.index);
  };
  return { fake, source, selection, timeline, atNs };
}

test('the steps of a diagnosis stand above what was recorded', async () => {
  const { timeline } = await setUp();
  expect(timeline.groups.map(({ id }) => id)).toEqual([
    ...['steps', 'gpu:0', 'main:0', 'workers', 'system', 'events'],
  ]);
});

test('what is clicked is selected at once, and stays where it is when more is known of it', async () => {
  const { source, selection, timeline } = await setUp();
  const [track] = timeline.allTracks.filter(({ id }) => id === 'cuda_call:0');
  if (track === undefined || !isEventTrack(track)) throw new Error('no such track');
  const view = { startNs: 0, endNs: 1e6, nsPerPixel: 4_000 };
  track.summary(view);
  await vi.waitFor(() => expect(track.summary(view).length).toBe(2));
  timeline.select({ track, lane: track.summary(view), index: 1, line: 0 });
  expect(selection.event).toEqual({ table: 'cuda_call', row: 2 });
  expect(timeline.selected).toMatchObject({ index: 1 });
  expect(timeline.links).toBeUndefined();
  await timeline.settled();
  const { selected, links } = timeline;
  expect(selected?.track.id).toBe('cuda_call:0');
  expect(selected?.lane.rows.at(selected.index)).toBe(2);
  expect(links?.call.lane.rows.at(links.call.index)).toBe(2);
  expect(links?.works.map(({ lane, index, line }) => [lane.rows.at(index), line])).toEqual([
    [1, 0],
    [2, 1],
  ]);
  expect(source.selectedOf({ table: 'cuda_call', row: 2 })).toBe(timeline.told);
});

describe('from event to event', () => {
  test('on a track, each press from where the last one led', async () => {
    const { selection, timeline, atNs } = await setUp();
    timeline.tracks.focus('off_cpu:0');
    await timeline.stepEvent(-1);
    await timeline.settled();
    expect(atNs()).toBe(200_000);
    expect(selection.event).toEqual({ table: 'off_cpu', row: 0 });
    await timeline.stepEvent(1);
    await timeline.settled();
    expect(atNs()).toBe(700_000);
    // Nothing comes behind it.
    await timeline.stepEvent(1);
    await timeline.settled();
    expect(atNs()).toBe(700_000);
    timeline.tracks.focus('off_cpu:1');
    await timeline.stepEvent(-1);
    await timeline.settled();
    const before = atNs() ?? Number.NaN;
    // A key that is held does not wait for what it led to.
    for (let press = 0; press < 3; press++) timeline.inTurn(() => timeline.stepEvent(1));
    await timeline.settled();
    await timeline.settled();
    expect(atNs()).toBe(before + 3 * 300);
  });

  test('of steps, which the page has whole, too', async () => {
    const { selection, timeline, atNs, fake } = await setUp();
    timeline.tracks.focus('steps:0');
    await timeline.stepEvent(-1);
    expect([atNs(), selection.event]).toEqual([450_000, undefined]);
    expect(timeline.workedOut?.track.id).toBe('steps:0');
    expect(fake.namesAsked()).not.toContain('trace.neighbour');
  });

  test('of those that a filter picks, wherever they are', async () => {
    const { timeline, atNs } = await setUp();
    timeline.tracks.filterText = 'name:step';
    // The last one is a step of the diagnosis, the one after the first an annotation.
    await timeline.stepMatch(-1);
    expect([atNs(), timeline.workedOut?.track.id]).toEqual([450_000, 'steps:0']);
    timeline.viewport.jumpTo({ startNs: 60_000, endNs: 80_000 });
    await timeline.stepMatch(1);
    await timeline.settled();
    expect([atNs(), timeline.selected?.track.id]).toEqual([90_000, 'range:0']);
    timeline.tracks.filterText = 'name:cumemcpy';
    timeline.viewport.showAll();
    // Inside another call, and shown or not.
    await timeline.stepMatch(1);
    await timeline.settled();
    expect([atNs(), timeline.selected?.line]).toEqual([110_000, 1]);
  });

  test('of the slowest calls, saying which', async () => {
    const { selection, timeline } = await setUp();
    const said = async (by: 1 | -1) => {
      await timeline.stepSlowCall(by);
      await timeline.settled();
      return timeline.announcement().replaceAll(/, .*/g, '');
    };
    expect(await said(1)).toBe('Slowest call number 1: cudaLaunchKernel');
    expect(selection.event).toEqual({ table: 'cuda_call', row: 2 });
    expect(await said(1)).toBe('Slowest call number 2: cudaMemcpyAsync');
    expect(await said(-1)).toBe('Slowest call number 1: cudaLaunchKernel');
    expect(await said(-1)).toBe('Slowest call number 3: cudaMemcpyAsync');
  });

  test('the slow call it goes to is fitted, whatever is in view; another event only brought there', async () => {
    const { selection, timeline } = await setUp();
    await timeline.stepSlowCall(1);
    const { lane, index } = timeline.selected ?? {};
    const durationNs = lane?.times.durationNs(index ?? -1) ?? 0;
    const spanNs = () => timeline.viewport.window.endNs - timeline.viewport.window.startNs;
    expect(spanNs() / durationNs).toBeCloseTo(1.2, 3);
    const before = spanNs();
    selection.selectEvent({ table: 'cuda_call', row: 0 });
    await timeline.settled();
    timeline.revealSelected();
    expect(spanNs()).toBe(before);
  });

  test('is nowhere where it can’t be asked, and the next press is heard', async () => {
    const { fake, selection, timeline } = await setUp();
    fake.answer('trace.slowCall', () => fail('disconnected', 'Connection lost.'));
    await timeline.stepSlowCall(1);
    expect(selection.event).toBeUndefined();
    fake.answer('trace.slowCall', () => ({ ok: true, value: { row: 2, rank: 0 } }));
    await timeline.stepSlowCall(1);
    expect(selection.event).toEqual({ table: 'cuda_call', row: 2 });
  });
});

test('keys count in their order: what comes after a step waits for where it leads', async () => {
  const { selection, timeline } = await setUp();
  const seen: (number | undefined)[] = [];
  const look = () => timeline.inTurn(() => void seen.push(selection.event?.row));
  look();
  expect(seen).toEqual([undefined]);
  const step = () => timeline.inTurn(() => timeline.stepSlowCall(1));
  step();
  look();
  step();
  look();
  expect(seen).toEqual([undefined]);
  await timeline.settled();
  expect(seen).toEqual([undefined, 2, 0]);
  look();
  expect(seen).toEqual([undefined, 2, 0, 0]);
  // Also where several are pressed at once, and something after them.
  const back = () => timeline.inTurn(() => timeline.stepSlowCall(-1));
  back();
  back();
  look();
  await timeline.settled();
  // From the second slowest to the slowest, and on to the last.
  expect(seen.at(-1)).toBe(3);
});

describe('where another screen points', () => {
  const moment = {
    ...{ event: undefined, thread: 0, cpu: undefined, spoken: 'Wait chain, 1 of 3' },
    own: <Event>(event: Event) => event,
  };

  test('what the thread did there is selected, and said as that screen says it', async () => {
    const { selection, timeline } = await setUp();
    await timeline.showMoment({ ...moment, window: { startNs: 210_000, endNs: 230_000 } });
    expect(selection.event).toEqual({ table: 'off_cpu', row: 0 });
    expect(timeline.announcement()).toBe('Wait chain, 1 of 3');
    expect(timeline.tracks.focused?.id).toBe('off_cpu:0');
  });

  test('what is in no table is pointed out', async () => {
    const { selection, timeline, atNs } = await setUp();
    await timeline.showMoment({ ...moment, window: { startNs: 400_000, endNs: 410_000 } });
    expect(selection.event).toBeUndefined();
    const { workedOut } = timeline;
    expect(workedOut?.track.nameOf(workedOut.lane, workedOut.index)).toBe('Running');
    expect(atNs()).toBe(250_000);
  });

  test('its event is selected before it is known where it is, then its track is on screen', async () => {
    const { selection, timeline } = await setUp();
    const event = { table: 'block_io', row: 1 } as const;
    timeline.tracks.hide('block_io:1');
    const window = { startNs: 530_000, endNs: 550_000 };
    const shown = timeline.showMoment({ ...moment, event, window });
    expect(selection.event).toBe(event);
    await shown;
    expect(timeline.tracks.isShown('block_io:1')).toBe(true);
    const { startNs, endNs } = timeline.viewport.window;
    expect(startNs <= window.startNs && window.endNs <= endNs).toBe(true);
  });
});

test('an event that another screen shows is fitted, unless another one is selected by then', async () => {
  const { selection, timeline } = await setUp();
  selection.showEvent({ table: 'cuda_call', row: 2 });
  await timeline.fitSelected();
  const { window } = timeline.viewport;
  expect(window.startNs).toBeGreaterThan(400_000);
  expect(window.endNs).toBeLessThan(700_000);
  selection.showEvent({ table: 'cuda_call', row: 0 });
  const fitted = timeline.fitSelected();
  selection.selectEvent({ table: 'cuda_call', row: 2 });
  await fitted;
  expect(timeline.viewport.window).toEqual(window);
});
