import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { fail } from '../../src-main/shared/rpc/result.ts';
import { smallTimeline } from '../../src-main/timeline/testing/small-timeline.ts';
import { followEvent, followRange, rangeWaiter } from './follow-selection.ts';
import { InvestigationState } from './investigation/investigation.svelte.ts';
import { FakeApi } from './testing/fake-api.ts';
import { answerTimeline } from './testing/fake-timeline.ts';
import { fakeOpened, TRACE_ID } from './testing/fake-trace.ts';
import { bringBack } from './visit.ts';

const OTHER_ID = '22222222-2222-4222-8222-222222222222';
const range = { startNs: 100_000, endNs: 300_000 };
const event = { table: 'off_cpu', row: 0 } as const;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** No component stands here: `follow` does what the effects of the screen do after a change, and lets what rests rest. */
async function setUp() {
  const data = smallTimeline();
  const fake = answerTimeline(new FakeApi(), data);
  fake.answer('trace.chain', () => fail('process-lost', 'It ended.'));
  const state = new InvestigationState(fake.api);
  const show = (traceId = TRACE_ID) =>
    state.show({ ...fakeOpened(undefined, traceId), summary: data.summary });
  let stop: (() => void) | undefined;
  const rest = async () => {
    stop?.();
    stop = followRange(state, rangeWaiter(state) !== undefined);
    await vi.runAllTimersAsync();
  };
  const follow = () => {
    followEvent(state, state.opened?.traceId ?? '');
    return rest();
  };
  const chains = () => fake.asked.filter(({ name }) => name === 'trace.chain').length;
  await show();
  await follow();
  return { state, show, rest, follow, chains };
}

test('a range is explained and forgotten while the panel is closed', async () => {
  const { state, rest } = await setUp();
  state.showPanel(false);
  state.selection.selectRange(range);
  await rest();
  expect(state.chain.asked).toMatchObject(range);
  expect(state.panelOpen).toBe(false);
  state.selection.selectRange(undefined);
  await rest();
  expect(state.chain.asked).toBeUndefined();
});

test('a range has its place again when the event that took it is selected no more', async () => {
  const { state, follow, chains } = await setUp();
  state.selection.selectRange(range);
  await follow();
  state.selection.selectEvent(event);
  await follow();
  expect(state.chain.asked).toBeUndefined();
  state.selection.selectEvent(undefined);
  await follow();
  expect([state.chain.asked?.startNs, chains()]).toEqual([range.startNs, 2]);
  state.asking.close();
  state.selection.selectEvent(event);
  await follow();
  state.selection.selectEvent(undefined);
  await follow();
  // Somebody went back from it.
  expect([state.chain.asked, chains()]).toEqual([undefined, 2]);
});

test('a range that rested while an event was selected is explained after that', async () => {
  const { state, follow, chains } = await setUp();
  state.selection.selectEvent(event);
  state.selection.selectRange(range);
  await follow();
  expect(chains()).toBe(0);
  state.selection.selectEvent(undefined);
  await follow();
  expect(chains()).toBe(1);
});

test('a step that is picked on the Overview is not followed by the range of the timeline', async () => {
  const { state, follow } = await setUp();
  state.selection.selectRange(range);
  await follow();
  state.selection.selectEvent(event);
  await follow();
  state.focus.explain(0, { startNs: 1, endNs: 2 }, 'Step 1');
  await follow();
  expect(state.chain.asked).toBeUndefined();
});

test('what had no answer is asked again of a trace that was opened again', async () => {
  const { state, show, follow, chains } = await setUp();
  state.selection.selectRange(range);
  await follow();
  expect([state.chain.asked?.failure?.code, chains()]).toEqual(['process-lost', 1]);
  await show(OTHER_ID);
  await follow();
  expect([state.chain.asked?.title, chains()]).toEqual([expect.stringMatching(/^Range on /), 2]);
  state.selection.selectRange(undefined);
  await follow();
  expect(state.chain.asked).toBeUndefined();
});

test('the stretch that Back brings back stays, with no panel before and a range beside it', async () => {
  const { state, rest } = await setUp();
  const asked = { title: 'Step 3', thread: 0, startNs: 20, endNs: 30 };
  for (const view of [{ tab: 'sql' } as const, { tab: 'timeline', range } as const]) {
    state.showTab('sql');
    state.showPanel(false);
    const back = bringBack(state, { visit: 1, asked }, view);
    followEvent(state, TRACE_ID);
    await back;
    await rest();
    expect([state.chain.asked?.title, state.panelOpen]).toEqual(['Step 3', true]);
  }
});
