import { beforeEach, expect, test, vi } from 'vitest';
import type { Note, NoteDraft } from '../../../src-main/shared/library/note.ts';
import { fail, ok } from '../../../src-main/shared/rpc/result.ts';
import { Toasts } from '../common/toasts.svelte.ts';
import { FakeApi } from '../testing/fake-api.ts';
import { answerTimeline } from '../testing/fake-timeline.ts';
import { fakeOpened } from '../testing/fake-trace.ts';
import { InvestigationState } from './investigation.svelte.ts';

const CALLS = { startNs: Float64Array.of(100, 500), durationNs: Float64Array.of(50, 80) };
const opened = fakeOpened({ cuda_call: 2 });
const event = { table: 'cuda_call', row: 1, startNs: 500, durationNs: 80, label: 'x' } as const;

function note(changes: Partial<Note> = {}): Note {
  const id = crypto.randomUUID();
  const times = { startNs: 100, endNs: 300, createdAt: '1', updatedAt: '1' };
  return { id, kind: 'note', text: 'text', ...times, ...changes };
}

async function setUp(kept: readonly Note[] = []) {
  const { traceId, summary } = opened;
  const data = { traceId, summary, tables: { cuda_call: { ...CALLS } } };
  const fake = answerTimeline(new FakeApi(), data);
  fake.answer('notes.list', () => ok(kept));
  fake.answer('notes.put', ({ note: put }) => ok({ ...put, createdAt: '1', updatedAt: '1' }));
  const toasts = new Toasts();
  const state = new InvestigationState(fake.api, toasts);
  await state.show(opened);
  const put = () =>
    fake.asked
      .filter(({ name }) => name === 'notes.put')
      .map(({ args }) => (args as { note: NoteDraft }).note);
  const timeline = state.timeline;
  if (timeline === undefined) throw new Error('no timeline');
  const told = () => toasts.items.map(({ text }) => text);
  return { fake, toasts, told, state, timeline, marking: state.marking, put };
}

beforeEach(() => void vi.useRealTimers());

test('a note goes on what was selected last, else on the middle of the view', async () => {
  const { state, marking, timeline } = await setUp();
  const placed = async () => {
    await marking.addNote();
    const { startNs, endNs, event: on } = state.notes.edits[0]?.draft ?? {};
    return [startNs, endNs, on?.row];
  };
  timeline.viewport.jumpTo({ startNs: 200, endNs: 400 });
  expect(await placed()).toEqual([300, 300, undefined]);
  state.selectCall(1);
  expect(await placed()).toEqual([500, 580, 1]);
  state.selection.selectRange({ startNs: 10, endNs: 30 });
  expect(await placed()).toEqual([10, 30, undefined]);
  state.selectCall(1);
  expect(await placed()).toEqual([500, 580, 1]);
  state.selection.selectEvent(undefined);
  expect(await placed()).toEqual([10, 30, undefined]);
  state.selectCall(0);
  state.selection.selectRange({ startNs: 10, endNs: 40 });
  state.selection.selectRange(undefined);
  expect(await placed()).toEqual([100, 150, 0]);
  expect(state.notes.edits).toHaveLength(1);
});

test('a note that is being written is not left for another one', async () => {
  const { state, marking } = await setUp();
  await marking.addNote();
  const [edit] = state.notes.edits;
  if (edit === undefined) throw new Error('nothing to write in');
  edit.text = 'half';
  const times = marking.timesOpened;
  await marking.addNote();
  expect(state.notes.edits).toEqual([edit]);
  expect(marking.timesOpened).toBe(times + 1);
});

test('a note that is being saved does not hold up the next one', async () => {
  const { fake, state, marking, toasts } = await setUp();
  await marking.addNote();
  const [first] = state.notes.edits;
  if (first === undefined) throw new Error('nothing to write in');
  first.text = 'found it';
  const answer = Promise.withResolvers<ReturnType<typeof fail>>();
  fake.answer('notes.put', () => answer.promise as never);
  const saving = marking.save(first);
  await marking.addNote();
  const second = state.notes.edits.find(({ id }) => id === marking.openId);
  expect(second).not.toBe(first);
  expect(second?.text).toBe('');
  answer.resolve(fail('disconnected', 'No connection.'));
  await saving;
  expect(marking.openId).toBe(second?.id);
  const [toast] = toasts.items;
  expect(toast?.text).toBe('The note is not kept: No connection.');
  toast?.action?.run();
  expect(marking.openId).toBe(first.id);
  expect(state.notes.editOf(first.id)?.text).toBe('found it');
});

test('a saved new note is done with; one that could not be saved stays open', async () => {
  const { fake, state, marking } = await setUp();
  await marking.addNote();
  const [edit] = state.notes.edits;
  if (edit === undefined) throw new Error('nothing to write in');
  edit.text = 'found it';
  fake.answer('notes.put', () => fail('disconnected', 'No connection.'));
  await marking.save(edit);
  expect(marking.openId).toBe(edit.id);
  fake.answer('notes.put', ({ note: put }) => ok({ ...put, createdAt: '1', updatedAt: '1' }));
  await marking.save(edit);
  expect(marking.openId).toBeUndefined();
  expect(state.notes.list.map(({ text }) => text)).toEqual(['found it']);
});

test('bookmarks take the lowest free digit and say which', async () => {
  const { state, marking, told, put } = await setUp([note({ kind: 'bookmark', slot: 1 })]);
  state.showTab('timeline');
  state.timeline?.viewport.jumpTo({ startNs: 200, endNs: 400 });
  await marking.addBookmark();
  expect(put()[0]).toMatchObject({
    slot: 2,
    startNs: 200,
    endNs: 400,
    view: { tab: 'timeline', window: { startNs: 200, endNs: 400 } },
  });
  expect(told()).toEqual(['Bookmark 2: the key 2 brings you back here.']);
  // On another tab it would lie over what is read there.
  state.showTab('sql');
  expect(told()).toEqual([]);
});

test('a bookmark right after an event was selected is of that event', async () => {
  const { state, marking, put } = await setUp();
  state.selectCall(1, 'timeline');
  await marking.addBookmark();
  const saved = { table: 'cuda_call', row: 1, startNs: 500, durationNs: 80 };
  expect(put()).toMatchObject([
    { startNs: 500, endNs: 580, event: saved, view: { tab: 'timeline', event: saved } },
  ]);
});

test('with all digits taken none is replaced, and the list is offered', async () => {
  const taken = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((slot) => note({ kind: 'bookmark', slot }));
  const { state, marking, toasts, put } = await setUp(taken);
  await marking.addBookmark();
  expect(put()).toEqual([]);
  toasts.items[0]?.action?.run();
  expect(state.tab).toBe('notes');
  expect(marking.list.shown).toHaveLength(9);
});

test('a bookmark brings back tab, window and event', async () => {
  const view = { tab: 'timeline', window: { startNs: 400, endNs: 700 }, event } as const;
  const { state, marking, timeline } = await setUp([note({ kind: 'bookmark', slot: 3, view })]);
  marking.recall(3);
  expect(state.tab).toBe('timeline');
  expect(timeline.viewport.window).toEqual(view.window);
  await timeline.settled();
  expect(state.selection.event).toEqual({ table: 'cuda_call', row: 1 });
});

test('a bookmark brings the track of its event back on screen, wherever it was put away', async () => {
  const view = { tab: 'timeline', window: { startNs: 400, endNs: 700 }, event } as const;
  const bookmark = note({ kind: 'bookmark', slot: 3, view });
  const { marking, timeline } = await setUp([bookmark]);
  const [track] = timeline.allTracks.filter(({ table }) => table === 'cuda_call');
  if (track === undefined) throw new Error('no such track');
  timeline.tracks.hide(track.id);
  expect(timeline.tracks.isShown(track.id)).toBe(false);
  await marking.show(bookmark);
  expect(timeline.tracks.isShown(track.id)).toBe(true);
  expect(timeline.tracks.focused?.id).toBe(track.id);
});

test('a digit without a bookmark says so', async () => {
  const { marking, told } = await setUp();
  marking.recall(4);
  expect(told()[0]).toMatch(/^Bookmark 4 is empty/);
});

test('a note shows its range, its moment, or its event', async () => {
  const { state, marking, timeline, told } = await setUp();
  await marking.show(note());
  expect(state.selection.range).toEqual({ startNs: 100, endNs: 300 });
  expect(timeline.viewport.window).toEqual({ startNs: 80, endNs: 320 });
  await marking.show(note({ startNs: 500, endNs: 580, event }));
  expect(state.selection.event).toEqual({ table: 'cuda_call', row: 1 });
  expect(state.selection.range).toBeUndefined();
  await marking.show(note({ startNs: 400, endNs: 400 }));
  const { startNs, endNs } = timeline.viewport.window;
  expect((startNs + endNs) / 2).toBe(400);
  expect(told()).toEqual([]);
});

test('an event numbered anew is found by its time; one that is gone is told', async () => {
  const { state, marking, told } = await setUp();
  await marking.show(note({ event: { ...event, row: 7 } }));
  expect(state.selection.event).toEqual({ table: 'cuda_call', row: 1 });
  await marking.show(note({ event: { ...event, startNs: 501 } }));
  expect(state.selection.event).toBeUndefined();
  expect(told()[0]).toMatch(/^The event of this note is not in the trace any more/);
});

test('the list finds every word in text and labels, and one kind alone', async () => {
  const slow = note({ text: 'Slow copy before the **barrier**' });
  const other = note({ text: 'other', event: { ...event, label: 'cudaMemcpyAsync' } });
  const mark = note({ kind: 'bookmark', text: '', slot: 5 });
  const { marking } = await setUp([slow, other, mark]);
  const found = (search: string) => {
    marking.list.search = search;
    return marking.list.shown.map(({ id }) => id);
  };
  expect(found('')).toHaveLength(3);
  expect(found('BARRIER slow')).toEqual([slow.id]);
  expect(found('memcpy')).toEqual([other.id]);
  expect(found('bookmark 5')).toEqual([mark.id]);
  expect(found('slow memcpy')).toEqual([]);
  marking.list.showAll();
  marking.list.filter = 'note';
  expect(marking.list.shown.map(({ id }) => id).toSorted()).toEqual([slow.id, other.id].toSorted());
});
