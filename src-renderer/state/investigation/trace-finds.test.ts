import { expect, test } from 'vitest';
import type { OperationStats } from '../../../src-main/shared/answers/operations.ts';
import { ok } from '../../../src-main/shared/rpc/result.ts';
import { fakeFlame, python } from '../../../src-main/timeline/testing/fake-flame.ts';
import { smallTimeline } from '../../../src-main/timeline/testing/small-timeline.ts';
import { FakeApi } from '../testing/fake-api.ts';
import { answerTimeline } from '../testing/fake-timeline.ts';
import { fakeOpened } from '../testing/fake-trace.ts';
import { InvestigationState } from './investigation.svelte.ts';
import { TraceFinds } from './trace-finds.svelte.ts';

async function setUp() {
  const data = smallTimeline();
  const { cuda_call: calls } = data.summary.tables;
  const stacks = { ...calls, columns: [...calls.columns, 'stack'] };
  const summary = { ...data.summary, tables: { ...data.summary.tables, cuda_call: stacks } };
  const fake = new FakeApi()
    .answer('trace.flame', () => ok(fakeFlame([[[python('surface_nets')], 60]])))
    .answer('trace.operations', () => ok([{ name: 'cudaMemcpy' } as OperationStats]));
  answerTimeline(fake, data);
  const state = new InvestigationState(fake.api);
  await state.show({ ...fakeOpened(), summary });
  return { fake, state, finds: new TraceFinds(fake.api, state) };
}

test('functions, operations and rows of the open trace have names, asked for once', async () => {
  const { fake, finds } = await setUp();
  expect(finds.all.some(({ kind }) => kind === 'Function')).toBe(false);
  await finds.load();
  const asked = fake.asked.length;
  await finds.load();
  expect(fake.asked.length).toBe(asked);
  const kinds = new Set(finds.all.map(({ kind }) => kind));
  expect([...kinds]).toEqual(['Function', 'Operation', 'Timeline']);
  expect(finds.busy).toBe(false);
});

test('a function leads to its stacks, an operation to its events, a row to itself', async () => {
  const { state, finds } = await setUp();
  await finds.load();
  const of = (wanted: string) => finds.all.find(({ kind }) => kind === wanted);
  state.selection.selectRange({ startNs: 1, endNs: 9 });
  of('Function')?.run();
  expect([state.tab, state.flame.search]).toEqual(['flame', 'surface_nets']);
  expect(state.selection.range).toBeUndefined();
  of('Operation')?.run();
  expect(state.tab).toBe('timeline');
  await expect.poll(() => state.timeline?.tracks.filterText).toBe('name:cudaMemcpy');
  of('Timeline')?.run();
  expect(state.timeline?.tracks.focused).toBeDefined();
});

test('whatever is typed can be searched for on the tabs, where a trace is open', async () => {
  const { state, finds } = await setUp();
  expect(finds.searchesFor(' ')).toEqual([]);
  const [flame, events] = finds.searchesFor('my net');
  expect(flame?.title).toBe('Search the flame graph for “my net”');
  flame?.run();
  expect([state.tab, state.flame.search]).toEqual(['flame', 'my net']);
  events?.run();
  await expect.poll(() => state.timeline?.tracks.filterText).toBe('name:my name:net');
  const { api } = new FakeApi();
  const closed = new TraceFinds(api, new InvestigationState(api));
  expect(closed.searchesFor('net')).toEqual([]);
});
