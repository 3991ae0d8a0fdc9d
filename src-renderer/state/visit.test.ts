import { expect, test } from 'vitest';
import { InvestigationState } from './investigation/investigation.svelte.ts';
import { FakeApi } from './testing/fake-api.ts';
import { fakeOpened } from './testing/fake-trace.ts';
import { bringBack, readVisit, visitOf } from './visit.ts';

const picked = { title: 'Step 2', rank: 0, thread: 4, startNs: 10, endNs: 20, isWait: true };
const question = { title: 'Step 3', thread: 4, startNs: 20, endNs: 30, finding: 'x' };
const places = [1, 2].map((at) => ({
  ...{ window: { startNs: at, endNs: at + 1 }, thread: 4, finding: 'x' },
}));

async function setUp() {
  const investigation = new InvestigationState(new FakeApi().api);
  await investigation.show(fakeOpened());
  return investigation;
}

test('a screen comes back with its step, its stretch and its occurrence', async () => {
  const investigation = await setUp();
  const first = visitOf(investigation);
  investigation.focus.show(picked);
  investigation.askChain(question);
  investigation.walk.begin({ what: 'It waited', places, count: 2 }, 1);
  // As the browser keeps it.
  const kept = readVisit(structuredClone(visitOf(investigation)));
  expect(kept).toMatchObject({ picked, asked: question, walk: { what: 'It waited', index: 1 } });
  investigation.walk.goTo(0);
  investigation.showTab('timeline');
  await bringBack(investigation, first);
  expect(visitOf(investigation)).toEqual(first);
  expect([investigation.tab, investigation.focus.picked]).toEqual(['overview', undefined]);
  if (kept !== undefined) await bringBack(investigation, kept, { tab: 'timeline' });
  expect([investigation.tab, investigation.focus.picked]).toEqual(['timeline', picked]);
  expect(investigation.chain.asked).toMatchObject(question);
});

test('the occurrences of another finding do not stay over a screen that comes back', async () => {
  const investigation = await setUp();
  investigation.walk.begin({ what: 'It waited', places, count: 2 });
  const kept = visitOf(investigation);
  investigation.walk.begin({ what: 'It copied', places: [...places], count: 2 });
  await bringBack(investigation, kept);
  expect(investigation.walk.walked).toBeUndefined();
});

test('what is explained because a range is selected comes back with that range', async () => {
  const investigation = await setUp();
  investigation.asking.explainRange({ startNs: 20, endNs: 30 }, { title: 'Step 3', thread: 4 });
  expect(investigation.chain.asked?.title).toBe('Step 3');
  expect(visitOf(investigation)).toEqual({ visit: 1 });
  investigation.askChain(question);
  expect(visitOf(investigation).asked).toEqual(question);
});

test('a place of the history that somebody else made says nothing', () => {
  for (const state of [null, undefined, 3, {}, { visit: 2 }])
    expect(readVisit(state)).toBeUndefined();
});
