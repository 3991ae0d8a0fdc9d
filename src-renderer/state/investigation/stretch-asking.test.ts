import { expect, test } from 'vitest';
import { FakeApi } from '../testing/fake-api.ts';
import { fakeOpened } from '../testing/fake-trace.ts';
import { InvestigationState } from './investigation.svelte.ts';

test('a range is explained once, unless an event is; what was asked for by hand stays when it goes', async () => {
  const fake = new FakeApi();
  const state = new InvestigationState(fake.api);
  await state.show(fakeOpened());
  const asked = () => fake.namesAsked().filter((name) => name === 'trace.chain').length;
  const range = { startNs: 10, endNs: 20 };
  const explain = (of = range) => {
    state.selection.selectRange(of);
    state.asking.explainRange(of, { title: 'Range', thread: 0 });
  };
  state.selection.selectEvent({ table: 'cuda_call', row: 0 });
  explain();
  expect(asked()).toBe(0);
  state.selection.selectEvent(undefined);
  explain();
  expect([asked(), state.chain.asked?.title]).toEqual([1, 'Range']);
  // Somebody went back from it.
  state.asking.close();
  explain();
  expect(asked()).toBe(1);
  explain({ ...range });
  state.asking.endRange();
  expect([asked(), state.chain.asked]).toEqual([2, undefined]);
  state.askChain({ title: 'By hand', thread: 0, ...range });
  explain({ ...range });
  state.asking.endRange();
  expect([asked(), state.chain.asked?.title]).toEqual([3, 'By hand']);
});
