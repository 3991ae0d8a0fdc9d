import fc from 'fast-check';
import { beforeEach, expect, test, vi } from 'vitest';
import type { SavedView } from '../../../src-main/shared/library/view.ts';
import { fail, ok } from '../../../src-main/shared/rpc/result.ts';
import { Toasts } from '../common/toasts.svelte.ts';
import { FakeApi } from '../testing/fake-api.ts';
import { fakeOpened } from '../testing/fake-trace.ts';
import { fitView, isFirstView } from '../timeline/fit-view.ts';
import { InvestigationState } from './investigation.svelte.ts';

const opened = fakeOpened();
const { lengthNs } = opened.summary;
const middle = { startNs: lengthNs / 4, endNs: lengthNs / 2 };
const tracks = {
  pinned: ['a track that is not there'],
  hidden: [],
  expanded: [],
  collapsedGroups: [],
  order: [],
  filter: 'pid:3',
};

beforeEach(() => void vi.useRealTimers());

async function setUp(left?: SavedView) {
  const fake = new FakeApi();
  const toasts = new Toasts();
  const state = new InvestigationState(fake.api, toasts);
  await state.show(left === undefined ? opened : { ...opened, view: left });
  const saved = () =>
    fake.asked.filter(({ name }) => name === 'library.saveView').map(({ args }) => args);
  return { fake, toasts, state, saved };
}

test('a trace opens as it was left', async () => {
  const rangeTracks = ['off_cpu:1', 'cuda_call:1'];
  const left: SavedView = { tab: 'timeline', window: middle, range: middle, rangeTracks, tracks };
  const { state, saved } = await setUp(left);
  expect(state.tab).toBe('timeline');
  expect(state.timeline?.viewport.window).toEqual(middle);
  expect(state.selection.range).toEqual(middle);
  expect(state.selection.rangeTracks).toEqual(rangeTracks);
  expect(state.timeline?.tracks.filterText).toBe('pid:3');
  expect(state.view.current).toEqual(left);
  state.view.save();
  expect(saved()).toEqual([]);
});

test('a summary by TraceML that stands beside a trace is kept with it, and in no link', async () => {
  const summary = { kind: 'BALANCED', status: 'BALANCED', summary: 'Nothing.', step: {} };
  const traceml = { fileName: 'final_summary.json', summary };
  const first = await setUp();
  expect(first.state.secondOpinion.show(traceml)).toBeUndefined();
  expect(first.state.view.current).toEqual({ tab: 'overview' });
  first.state.close();
  expect(first.saved()).toEqual([{ id: 1, view: { tab: 'overview', traceml } }]);
  expect(first.state.secondOpinion.file).toBeUndefined();
  const again = await setUp({ tab: 'timeline', traceml });
  expect(again.state.secondOpinion.file).toEqual(traceml);
  expect(again.state.view.current).toEqual({ tab: 'timeline' });
  again.state.view.save();
  expect(again.saved()).toEqual([]);
  // Opened again it stays, and a shared view changes nothing of it.
  await again.state.show(opened);
  again.state.view.follow({ tab: 'flame' });
  expect(again.state.secondOpinion.file).toEqual(traceml);
  again.state.secondOpinion.close();
  again.state.close();
  expect(again.saved().at(-1)).toMatchObject({ view: { tab: 'flame' } });
  expect(again.saved().at(-1)).not.toHaveProperty('view.traceml');
});

test('leaving saves the view, once', async () => {
  const { state, saved } = await setUp();
  state.showTab('timeline');
  state.timeline?.viewport.jumpTo(middle);
  state.close();
  state.close();
  expect(saved()).toEqual([{ id: 1, view: { tab: 'timeline', window: middle } }]);
});

test('the first screen of a trace needs no view, and takes back one that was saved', async () => {
  const { state, saved } = await setUp();
  state.view.save();
  expect(saved()).toEqual([]);
  state.showTab('timeline');
  state.view.save();
  state.showTab('overview');
  state.view.save();
  expect(saved().at(-1)).toEqual({ id: 1, view: null });
});

test('another trace begins with its own view', async () => {
  const { state } = await setUp({ tab: 'timeline', window: middle, tracks });
  await state.show({ ...opened, investigation: { ...opened.investigation, id: 2 } });
  expect(state.view.current).toEqual({ tab: 'overview' });
});

test('a view of a longer trace is restored as far as it goes', async () => {
  const { state } = await setUp({
    tab: 'flame',
    window: { startNs: 2 * lengthNs, endNs: 3 * lengthNs },
    range: { startNs: lengthNs / 2, endNs: 9 * lengthNs },
    event: { table: 'off_cpu', row: 3, startNs: 1, durationNs: 1, label: 'gone' },
  });
  expect(state.timeline?.viewport.window).toEqual({ startNs: 0, endNs: lengthNs });
  expect(state.selection.range).toEqual({ startNs: lengthNs / 2, endNs: lengthNs });
  expect(state.selection.event).toBeUndefined();
});

test('a view saved for anything fits every trace', () => {
  const ns = fc.integer({ min: 0, max: 1e15 });
  const stretch = fc
    .tuple(ns, ns)
    .map(([a, b]) => ({ startNs: Math.min(a, b), endNs: Math.max(a, b) }));
  fc.assert(
    fc.property(stretch, stretch, ns, (window, range, length) => {
      const fitted = fitView({ tab: 'timeline', window, range }, length);
      for (const times of [fitted.window, fitted.range]) {
        if (times === undefined) continue;
        expect(times.startNs).toBeLessThan(length);
        expect(times.endNs).toBeLessThanOrEqual(length);
        expect(times.endNs).toBeGreaterThanOrEqual(times.startNs);
      }
      expect(fitView(fitted, length)).toEqual(fitted);
    }),
  );
});

test('only the overview of the whole trace is the first view', () => {
  expect(isFirstView({ tab: 'overview' })).toBe(true);
  expect(isFirstView({ tab: 'timeline' })).toBe(false);
  expect(isFirstView({ tab: 'overview', range: middle })).toBe(false);
});

test('a fresh view keeps the tab, and can be undone', async () => {
  const left: SavedView = { tab: 'timeline', window: middle, range: middle, tracks };
  const { state, toasts } = await setUp(left);
  state.view.startFresh();
  expect(state.view.current).toEqual({ tab: 'timeline' });
  toasts.items[0]?.action?.run();
  expect(state.view.current).toEqual(left);
});

test('a view that cannot be saved is told once, and tried again', async () => {
  const { fake, state, toasts, saved } = await setUp();
  fake.answer('library.saveView', () => fail('library-unavailable', 'The disk is full.'));
  state.showTab('timeline');
  state.view.save();
  await vi.waitFor(() => expect(toasts.items).toHaveLength(1));
  expect(toasts.items[0]?.text).toContain('The disk is full.');
  state.view.save();
  await vi.waitFor(() => expect(saved()).toHaveLength(2));
  fake.answer('library.saveView', () => ok(null));
  state.view.save();
  expect(saved()).toHaveLength(3);
  expect(toasts.items).toHaveLength(1);
});
