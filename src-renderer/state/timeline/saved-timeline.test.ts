import { expect, test } from 'vitest';
import { savedView } from '../../../src-main/shared/library/view.ts';
import type { LoadedTables, TraceData } from '../../../src-main/timeline/model/trace-data.ts';
import { fakeSummary } from '../../../src-main/timeline/testing/fake-summary.ts';
import { Selection } from './selection.svelte.ts';
import { TimelineState } from './timeline.svelte.ts';

const summary = fakeSummary({ cuda_call: 3, off_cpu: 1 }, { names: ['copy'] });
const calls: LoadedTables = {
  cuda_call: {
    startNs: Float64Array.of(100, 5e8, 9e8),
    durationNs: Float64Array.of(50, 60, 70),
    thread: Int32Array.of(-1, -1, -1),
    op: Uint16Array.of(0, 0, 0),
  },
};

function timelineOf(tables: LoadedTables) {
  const trace = { data: { traceId: 'trace', summary, tables } as TraceData };
  const selection = new Selection();
  const timeline = new TimelineState(() => trace.data, selection);
  return { trace, selection, timeline };
}

test('a view is saved and restored as it was', () => {
  const { timeline, selection } = timelineOf(calls);
  timeline.viewport.fit(4e8, 6e8);
  selection.selectRange({ startNs: 4.5e8, endNs: 5.5e8 });
  selection.selectEvent({ table: 'cuda_call', row: 1 });
  timeline.tracks.filterText = 'copy';
  const saved = timeline.saved();
  expect(savedView.safeParse({ tab: 'timeline', ...saved }).success).toBe(true);
  expect(saved.event).toEqual({
    table: 'cuda_call',
    row: 1,
    startNs: 5e8,
    durationNs: 60,
    label: 'copy',
  });

  const again = timelineOf(calls);
  again.timeline.restore(saved);
  expect(again.timeline.saved()).toEqual(saved);
});

test('a saved event waits for its table, and is not awaited for ever', () => {
  const { timeline, selection, trace } = timelineOf({});
  const event = {
    table: 'cuda_call',
    row: 1,
    startNs: 5e8,
    durationNs: 60,
    label: 'copy',
  } as const;
  timeline.restore({ event });
  expect(selection.event).toBeUndefined();
  expect(timeline.saved().event).toEqual(event);
  trace.data = { ...trace.data, tables: calls };
  timeline.tableArrived();
  expect(selection.event).toEqual({ table: 'cuda_call', row: 1 });
  timeline.restore({ event: { ...event, table: 'syscall' } });
  expect(timeline.saved().event).toBeUndefined();
});

test('a saved event is found by its time where rows are numbered otherwise', () => {
  const { timeline, selection } = timelineOf(calls);
  const event = { table: 'cuda_call', row: 0, startNs: 9e8, durationNs: 70, label: '' } as const;
  timeline.restore({ event });
  expect(selection.event).toEqual({ table: 'cuda_call', row: 2 });
  timeline.restore({ event: { ...event, startNs: 1 } });
  expect(selection.event).toBeUndefined();
});

test('going back brings the range and the event of that view, without moving for them', () => {
  const { timeline, selection } = timelineOf(calls);
  selection.selectEvent({ table: 'cuda_call', row: 0 });
  selection.selectRange({ startNs: 100, endNs: 150 });
  timeline.viewport.fit(4e8, 6e8);
  selection.selectRange(undefined);
  selection.selectEvent({ table: 'cuda_call', row: 2 });
  timeline.revealSelected();
  timeline.viewport.back();
  const window = timeline.viewport.window;
  expect(selection.event).toEqual({ table: 'cuda_call', row: 0 });
  timeline.revealSelected();
  expect(timeline.viewport.window).toEqual(window);
  timeline.viewport.back();
  expect(selection.range).toEqual({ startNs: 100, endNs: 150 });
  timeline.viewport.forward();
  timeline.viewport.forward();
  expect(selection.event).toEqual({ table: 'cuda_call', row: 2 });
});
