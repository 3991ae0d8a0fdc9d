import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { fail, ok } from '../../../src-main/shared/rpc/result.ts';
import { tabs } from '../../../src-main/shared/tabs/tabs.ts';
import { FakeApi } from '../testing/fake-api.ts';
import { fakeOpened, TRACE_ID } from '../testing/fake-trace.ts';
import { InvestigationState } from './investigation.svelte.ts';

const OTHER_ID = '22222222-2222-4222-8222-222222222222';

test('columns arrive table by table, CUDA calls first, without what no screen reads', async () => {
  const fake = new FakeApi();
  const fetched: [string, readonly string[]][] = [];
  fake.columns = async (_traceId, table, columns) => {
    fetched.push([table, columns]);
    return ok({});
  };
  const state = new InvestigationState(fake.api);
  await state.show(fakeOpened({ page_fault: 3, off_cpu: 2, cuda_call: 1, gap: 1 }));
  expect(fetched.map(([table]) => table)).toEqual(['cuda_call', 'off_cpu', 'page_fault', 'gap']);
  expect(fetched[0]?.[1]).not.toContain('stack');
  expect(fetched[2]?.[1]).not.toContain('address');
  expect(Object.keys(state.data?.tables ?? {})).toHaveLength(4);
  expect(state.tablesLeft).toBe(0);
});

test('the first figures come before anything else is asked for', async () => {
  const fake = new FakeApi();
  let answer: () => void = () => undefined;
  fake.answer(
    'trace.operations',
    () =>
      new Promise((resolve) => {
        answer = () => resolve(ok([]));
      }),
  );
  let fetched = 0;
  fake.columns = async () => {
    fetched++;
    return ok({});
  };
  const state = new InvestigationState(fake.api);
  const shown = state.show(fakeOpened({ cuda_call: 1 }));
  await setImmediate();
  expect(fake.namesAsked()).not.toContain('trace.diagnose');
  expect(state.diagnosis.busy).toBe(true);
  expect([fetched, state.tablesLeft]).toEqual([0, 1]);
  answer();
  await shown;
  expect(fake.namesAsked()).toContain('trace.diagnose');
  expect(fetched).toBe(1);
});

test('a table that fails leaves those before it on the screen', async () => {
  const fake = new FakeApi();
  fake.columns = async (_traceId, table) =>
    table === 'cuda_call' ? ok({}) : fail('disconnected', 'Connection lost.');
  const state = new InvestigationState(fake.api);
  await state.show(fakeOpened({ cuda_call: 1, off_cpu: 2, gap: 1 }));
  expect(Object.keys(state.data?.tables ?? {})).toEqual(['cuda_call']);
  expect(state.failure?.message).toBe('Connection lost.');
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
  const fake = new FakeApi();
  let arrive = () => {};
  fake.columns = () =>
    new Promise((resolve) => {
      arrive = () => resolve(ok({}));
    });
  const state = new InvestigationState(fake.api);
  const shown = state.show(fakeOpened({ cuda_call: 1, off_cpu: 1 }));
  expect(state.tablesLeft).toBe(2);
  state.selection.selectEvent({ table: 'off_cpu', row: 0 });
  state.close();
  expect(state.tablesLeft).toBe(0);
  arrive();
  await shown;
  expect(state.tablesLeft).toBe(0);
  expect(state.data).toBeUndefined();
  expect(state.selection.event).toBeUndefined();
  expect(state.tab).toBe('overview');
});

test('selecting a call opens the panel', () => {
  const state = new InvestigationState(new FakeApi().api);
  state.showPanel(false);
  state.selectCall(3, 'timeline');
  expect(state.panelOpen).toBe(true);
  expect(state.isMounted('timeline')).toBe(true);
});

test('the panel is open where it has room, until somebody chooses', () => {
  const state = new InvestigationState(new FakeApi().api);
  expect(state.panelOpen).toBe(true);
  state.hasRoomForPanel = false;
  expect(state.panelOpen).toBe(false);
  state.showPanel(true);
  expect(state.panelOpen).toBe(true);
  state.showPanel(false);
  state.hasRoomForPanel = true;
  expect(state.panelOpen).toBe(false);
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
