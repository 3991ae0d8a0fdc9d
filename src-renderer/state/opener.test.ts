import { expect, test, vi } from 'vitest';
import type { OpenedTrace } from '../../src-main/shared/contract/trace-calls.ts';
import { fail, ok, type Result } from '../../src-main/shared/result.ts';
import { FakeApi, fakeAdded, fakeInvestigation } from './fake-api.ts';
import { fakeOpened, TRACE_ID } from './fake-trace.ts';
import { InvestigationState } from './investigation.svelte.ts';
import { Opener } from './opener.svelte.ts';
import { Toasts } from './toasts.svelte.ts';

function setUp() {
  const fake = new FakeApi().answer('trace.open', () => ok(fakeOpened()));
  const investigation = new InvestigationState(fake.api);
  return { fake, investigation, opener: new Opener(fake.api, investigation, new Toasts()) };
}

test('a path is added to the library, then opened', async () => {
  const { fake, investigation, opener } = setUp();
  fake.answer('library.add', () => ok(fakeAdded()));
  await opener.openPath('/traces/run.db');
  expect(fake.namesAsked().slice(0, 2)).toEqual(['library.add', 'trace.open']);
  expect(investigation.opened?.traceId).toBe(TRACE_ID);
  expect(opener.task).toBeUndefined();
});

test('a failure is kept until dismissed; what was on the screen stays', async () => {
  const { fake, investigation, opener } = setUp();
  await opener.openEntry(fakeInvestigation());
  fake.answer('library.add', () => fail('file-damaged', 'It is damaged.', 'SQLITE_CORRUPT'));
  await opener.openPath('/traces/bad.db');
  expect(opener.failure).toMatchObject({ message: 'It is damaged.', detail: 'SQLITE_CORRUPT' });
  expect(investigation.opened?.traceId).toBe(TRACE_ID);
  opener.dismissFailure();
  expect(opener.failure).toBeUndefined();
});

test('a file dialog that was closed opens nothing and says nothing', async () => {
  const { fake, opener } = setUp();
  fake.answer('library.choose', () => ok(null));
  await opener.choose();
  expect(opener.failure).toBeUndefined();
  expect(fake.namesAsked()).not.toContain('trace.open');
});

test('cancelling leaves at once, aborts the call and closes what still comes', async () => {
  const { fake, investigation, opener } = setUp();
  let answer: (result: Result<OpenedTrace>) => void = () => {};
  let signal: AbortSignal | undefined;
  fake.answer('trace.open', (_args, options) => {
    signal = options?.signal;
    return new Promise((resolve) => {
      answer = resolve;
    });
  });
  const opening = opener.openEntry(fakeInvestigation());
  await Promise.resolve();
  opener.cancel();
  expect(opener.task).toBeUndefined();
  expect(signal?.aborted).toBe(true);
  answer(ok(fakeOpened()));
  await opening;
  expect(investigation.opened).toBeUndefined();
  expect(fake.asked).toContainEqual({ name: 'trace.close', args: { traceId: TRACE_ID } });
});

test('progress is shown only once it took 200 ms', () => {
  vi.useFakeTimers();
  const { fake, opener } = setUp();
  fake.answer('trace.open', () => new Promise(() => {}));
  void opener.openEntry(fakeInvestigation());
  vi.advanceTimersByTime(199);
  expect(opener.task?.slow).toBe(false);
  vi.advanceTimersByTime(1);
  expect(opener.task?.slow).toBe(true);
  expect(opener.task?.title).toBe('Opening run.db');
  vi.useRealTimers();
});
