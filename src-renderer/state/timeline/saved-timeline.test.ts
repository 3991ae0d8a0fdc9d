import { expect, test } from 'vitest';
import type { SavedEvent } from '../../../src-main/shared/library/saved-event.ts';
import { savedView } from '../../../src-main/shared/library/view.ts';
import { fail, ok } from '../../../src-main/shared/rpc/result.ts';
import type { LoadedTables, TraceData } from '../../../src-main/timeline/model/trace-data.ts';
import { fakeSummary } from '../../../src-main/timeline/testing/fake-summary.ts';
import { smallTimeline } from '../../../src-main/timeline/testing/small-timeline.ts';
import { FakeApi } from '../testing/fake-api.ts';
import { answerTimeline } from '../testing/fake-timeline.ts';
import { Selection } from './selection.svelte.ts';
import { TimelineState } from './timeline.svelte.ts';
import { TimelineSource } from './timeline-source.svelte.ts';

const summary = fakeSummary({ cuda_call: 3, off_cpu: 1 }, { names: ['copy'] });
const tables: LoadedTables = {
  cuda_call: {
    startNs: Float64Array.of(100, 5e8, 9e8),
    durationNs: Float64Array.of(50, 60, 70),
    thread: Int32Array.of(-1, -1, -1),
    op: Uint16Array.of(0, 0, 0),
  },
};
const calls = { traceId: 'trace', summary, tables };
const event: SavedEvent = {
  ...{ table: 'cuda_call', row: 1, startNs: 5e8, durationNs: 60, label: 'copy' },
};

async function timelineOf(data: TraceData = calls, isLoaded = true) {
  const fake = answerTimeline(new FakeApi(), data);
  const source = new TimelineSource(fake.api, data.traceId, data.summary.lengthNs);
  if (isLoaded) await source.load();
  const selection = new Selection();
  const timeline = new TimelineState(() => data, selection, { source: () => source });
  return { fake, selection, timeline };
}

test('a view is saved and restored as it was', async () => {
  const { timeline, selection } = await timelineOf();
  timeline.viewport.fit(4e8, 6e8);
  selection.selectRange({ startNs: 4.5e8, endNs: 5.5e8 });
  selection.selectEvent({ table: 'cuda_call', row: 1 });
  timeline.tracks.filterText = 'copy';
  await timeline.settled();
  const saved = timeline.saved();
  expect(savedView.safeParse({ tab: 'timeline', ...saved }).success).toBe(true);
  expect(saved.event).toEqual(event);

  const again = await timelineOf();
  again.timeline.restore(saved);
  expect(again.timeline.saved()).toEqual(saved);
  await again.timeline.settled();
  expect(again.selection.event).toEqual({ table: 'cuda_call', row: 1 });
  expect(again.timeline.saved()).toEqual(saved);
});

test('a saved event waits for its row, and is not awaited for ever', async () => {
  const { timeline, selection, fake } = await timelineOf();
  const row = Promise.withResolvers<number>();
  fake.answer('trace.savedRow', async () => ok(await row.promise));
  timeline.restore({ event });
  expect(selection.event).toBeUndefined();
  expect(timeline.saved().event).toEqual(event);
  row.resolve(1);
  await timeline.settled();
  expect(selection.event).toEqual({ table: 'cuda_call', row: 1 });

  const gone = await timelineOf();
  gone.timeline.restore({ event: { ...event, table: 'syscall' } });
  await gone.timeline.settled();
  expect(gone.selection.event).toBeUndefined();
  expect(gone.timeline.saved().event).toBeUndefined();
});

test.each([
  ['with all tracks', true],
  ['before it is known which tracks there are', false],
])('it is in what is saved at any moment on the way, %s', async (_, isLoaded) => {
  const { timeline, selection } = await timelineOf(calls, isLoaded);
  timeline.restore({ event });
  for (let moment = 0; moment < 100; moment++) {
    expect([moment, timeline.saved().event]).toEqual([moment, event]);
    await Promise.resolve();
  }
  expect(selection.event).toEqual({ table: 'cuda_call', row: 1 });
});

test('as long as it can’t be asked what it is now, it is kept', async () => {
  const { timeline, selection, fake } = await timelineOf();
  fake.answer('trace.savedRow', () => fail('disconnected', 'No connection.'));
  timeline.restore({ event });
  await timeline.settled();
  expect(selection.event).toBeUndefined();
  expect(timeline.saved().event).toEqual(event);
});

test('who selected another event meanwhile keeps that one', async () => {
  const { timeline, selection } = await timelineOf();
  timeline.restore({ event });
  selection.selectEvent({ table: 'cuda_call', row: 2 });
  await timeline.settled();
  expect(selection.event).toEqual({ table: 'cuda_call', row: 2 });
  expect(timeline.saved().event).toMatchObject({ row: 2, startNs: 9e8 });
});

test('a saved event is found by its time where rows are numbered otherwise', async () => {
  const { timeline, selection } = await timelineOf();
  const moved = { table: 'cuda_call', row: 0, startNs: 9e8, durationNs: 70, label: '' } as const;
  timeline.restore({ event: moved });
  await timeline.settled();
  expect(selection.event).toEqual({ table: 'cuda_call', row: 2 });
  timeline.restore({ event: { ...moved, startNs: 1 } });
  await timeline.settled();
  expect(selection.event).toBeUndefined();
});

test('going back brings the range and the event of that view, without moving for them', async () => {
  const { timeline, selection } = await timelineOf();
  /** As the screen does as soon as it is known where the event is. */
  const reveal = async () => {
    await timeline.settled();
    timeline.revealSelected();
  };
  selection.selectEvent({ table: 'cuda_call', row: 0 });
  selection.selectRange({ startNs: 100, endNs: 150 });
  timeline.viewport.fit(4e8, 6e8);
  selection.selectRange(undefined);
  selection.selectEvent({ table: 'cuda_call', row: 2 });
  await reveal();
  timeline.viewport.back();
  const window = timeline.viewport.window;
  expect(selection.event).toEqual({ table: 'cuda_call', row: 0 });
  await reveal();
  expect(timeline.viewport.window).toEqual(window);
  timeline.viewport.back();
  expect(selection.range).toEqual({ startNs: 100, endNs: 150 });
  timeline.viewport.forward();
  timeline.viewport.forward();
  expect(selection.event).toEqual({ table: 'cuda_call', row: 2 });
});

test('all lines of a track are shown for an event that its one line has not', async () => {
  const { timeline, selection } = await timelineOf(smallTimeline());
  const expanded = async (table: SavedEvent['table'], row: number) => {
    selection.selectEvent({ table, row });
    await timeline.settled();
    timeline.revealSelected();
    return timeline.saved().tracks?.expanded;
  };
  // Annotations one inside the other and kernels at the same time are all on the one line.
  expect(await expanded('range', 1)).toEqual([]);
  expect(await expanded('gpu_work', 2)).toEqual([]);
  expect(await expanded('cuda_call', 0)).toEqual([]);
  expect(await expanded('cuda_call', 1)).toEqual(['cuda_call:0']);
});
