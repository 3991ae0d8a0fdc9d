import { flushSync } from 'svelte';
import { expect, test, vi } from 'vitest';
import type { Investigation } from '../../src-main/shared/library/investigation.ts';
import { formatLink } from '../../src-main/shared/library/link.ts';
import { ok } from '../../src-main/shared/rpc/result.ts';
import { Toasts } from './common/toasts.svelte.ts';
import { InvestigationState } from './investigation/investigation.svelte.ts';
import { Opener } from './investigation/opener.svelte.ts';
import { entryOfLink, Links } from './links.svelte.ts';
import { FakeApi, fakeInvestigation } from './testing/fake-api.ts';
import { fakeOpened } from './testing/fake-trace.ts';

const SHA = '0123456789abcdef';
const OTHER_SHA = 'fedcba9876543210';
const full = (sha: string) => sha.padEnd(64, '0');
const view = { tab: 'timeline', window: { startNs: 100, endNs: 200 } } as const;

function setUp(entries: readonly Investigation[]) {
  const library = { entries };
  const fake = new FakeApi().answer('trace.open', ({ id }) =>
    ok({ ...fakeOpened(), investigation: entries.find((each) => each.id === id) as Investigation }),
  );
  const toasts = new Toasts();
  const investigation = new InvestigationState(fake.api, toasts);
  const opener = new Opener(fake.api, investigation, toasts, {
    followLink: async () => undefined,
    showBeside: () => undefined,
    compare: () => {},
  });
  const replaced: string[] = [];
  const capture = {
    shown: false,
    runId: undefined as string | undefined,
    show(runId?: string) {
      Object.assign(capture, { shown: true, runId });
    },
    hide() {
      capture.shown = false;
    },
  };
  const links = new Links({ library, investigation, opener, capture, toasts }, (hash) => {
    replaced.push(hash);
  });
  const told = () => toasts.items.map(({ text }) => text);
  return { library, investigation, opener, capture, links, replaced, toasts, told };
}

const three = fakeInvestigation({ id: 3, sha256: full(SHA) });
const four = fakeInvestigation({ id: 4, sha256: full(OTHER_SHA) });

test('a link means the file with its bytes, whatever its number here', () => {
  expect(entryOfLink([three, four], { investigation: 3 })).toBe(three);
  expect(entryOfLink([three, four], { investigation: 3, sha: SHA })).toBe(three);
  expect(entryOfLink([three, four], { investigation: 3, sha: OTHER_SHA })).toBe(four);
  expect(entryOfLink([three], { investigation: 3, sha: OTHER_SHA })).toBeUndefined();
  expect(
    entryOfLink([fakeInvestigation({ id: 3 })], { investigation: 3, sha: SHA }),
  ).toBeUndefined();
});

test('a link opens its view, and the address gets the number it has here', async () => {
  const { links, investigation, replaced, told } = setUp([three, four]);
  await links.open(formatLink({ investigation: 77, sha: OTHER_SHA, view }).hash);
  expect(investigation.opened?.investigation.id).toBe(4);
  expect(investigation.view.current).toEqual(view);
  expect(links.here.hash).toBe(formatLink({ investigation: 4, sha: OTHER_SHA, view }).hash);
  expect(replaced).toEqual([links.here.hash]);
  expect(told()).toEqual([]);
});

test('a link to the trace on the screen moves the view, and leads back', async () => {
  const { links, investigation, toasts } = setUp([three]);
  await links.open('#investigation=3');
  investigation.showTab('timeline');
  investigation.timeline?.viewport.fit(300, 400);
  flushSync();
  const mine = investigation.view.current;
  await links.open(formatLink({ investigation: 3, sha: SHA, view }).hash);
  expect(investigation.view.current).toEqual(view);
  toasts.items[0]?.action?.run();
  expect(investigation.view.current).toEqual(mine);
});

test('a link whose trace is not here says which file it needs', async () => {
  const { links, investigation, told, replaced } = setUp([three]);
  await links.open(formatLink({ investigation: 4, sha: OTHER_SHA, view }).hash);
  expect(told()[0]).toMatch(/fedc ba98 7654 3210: import it, then open the link again/);
  expect(replaced).toEqual(['']);
  links.retry();
  expect(investigation.opened).toBeUndefined();
});

test('the link that waits opens when its file has been hashed, and only once', async () => {
  const entries = [three];
  const { links, investigation } = setUp(entries);
  await links.open(formatLink({ investigation: 9, sha: OTHER_SHA, view }).hash);
  entries.push(four);
  links.retry();
  await vi.waitFor(() => expect(investigation.opened?.investigation.id).toBe(4));
  expect(investigation.view.current).toEqual(view);
  investigation.close();
  links.retry();
  expect(investigation.opened).toBeUndefined();
});

test('with another trace on the screen, the link that waited is only offered', async () => {
  const entries = [three];
  const { links, investigation, toasts } = setUp(entries);
  await links.open(formatLink({ investigation: 9, sha: OTHER_SHA, view }).hash);
  const waiting = toasts.items.length;
  entries.push(four);
  await investigation.show({ ...fakeOpened(), investigation: three });
  links.retry();
  expect(investigation.opened?.investigation.id).toBe(3);
  toasts.items[waiting]?.action?.run();
  await vi.waitFor(() => expect(investigation.opened?.investigation.id).toBe(4));
});

test('an address that cannot be read changes nothing on the screen', async () => {
  const { links, investigation, replaced, told } = setUp([three]);
  await links.open('#investigation=3');
  const here = links.here.hash;
  await links.open('#investigation=3&view=<img src=x>');
  await links.open('#elsewhere');
  expect(investigation.opened?.investigation.id).toBe(3);
  expect(told()).toEqual(['This link cannot be read: copy it again, whole.']);
  expect(replaced).toEqual([here]);
});

test('a damaged view is told, and the trace opens as it was left', async () => {
  const { links, investigation, told } = setUp([three]);
  await links.open('#investigation=3&view=AAAA');
  expect(investigation.opened?.investigation.id).toBe(3);
  expect(told()[0]).toMatch(/as you left it/);
});

test('an address without a fragment is the library', async () => {
  const { links, investigation } = setUp([three]);
  await links.open('#investigation=3');
  expect(links.here.hash).toBe(`#investigation=3&sha=${SHA}`);
  await links.open('');
  expect(investigation.opened).toBeUndefined();
  expect(links.here.hash).toBe('');
});

test('the screen of captures has an address, with the capture on it or without', async () => {
  const { links, capture, investigation } = setUp([three]);
  await links.open('#capture=0123456789abcdef');
  expect(capture).toMatchObject({ shown: true, runId: '0123456789abcdef' });
  expect(links.here.hash).toBe('#capture=0123456789abcdef');
  await links.open('#capture');
  expect(links.here.hash).toBe('#capture');
  await links.open(formatLink({ investigation: 3 }).hash);
  expect(investigation.opened?.investigation.id).toBe(3);
  expect(links.here.hash).toMatch(/^#investigation=3/);
  await links.open('');
  expect(links.here.hash).toBe('');
});

test('an address that only looks like one of a capture changes nothing', async () => {
  const { links, capture } = setUp([three]);
  for (const hash of [
    '#capture=',
    '#capture=<b>',
    '#capture=../../x',
    `#capture=${'a'.repeat(65)}`,
  ])
    await links.open(hash);
  expect(capture.shown).toBe(false);
});
