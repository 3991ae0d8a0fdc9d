import { expect, test } from 'vitest';
import { fail, ok } from '../../../src-main/shared/rpc/result.ts';
import { FakeApi, fakeInvestigation } from '../testing/fake-api.ts';
import type { InvestigationState } from './investigation.svelte.ts';
import { PerfettoState } from './perfetto.svelte.ts';

const shown = { opened: { traceId: 'a', investigation: fakeInvestigation({ name: 'Ada 7.db' }) } };

function stateOf(fake: FakeApi, investigation: object = shown) {
  return new PerfettoState(fake.api, investigation as InvestigationState);
}

test('the desktop writes it where the user chose, a browser downloads it; hidden words name no file', async () => {
  const fake = new FakeApi();
  fake.answer('perfetto.save', ({ name }) => ok({ path: `/tmp/${name}`, sizeBytes: 1 }));
  const state = stateOf(fake);
  expect(await state.save(true, true)).toEqual({ path: '/tmp/Stalltrace timeline.pftrace' });
  expect(await state.save(false, true)).toEqual({ path: '/tmp/Ada 7 timeline.pftrace' });
  expect(await state.save(false, false)).toEqual({
    download: { address: '/perfetto', fileName: 'Ada 7 timeline.pftrace' },
  });
  fake.answer('perfetto.save', () => ok(null));
  expect(await state.save(true, true)).toBeUndefined();
  expect(state.failure).toBeUndefined();
});

test('why it was not saved is told until it is tried again', async () => {
  const fake = new FakeApi();
  fake.perfetto = async () => fail('disconnected', 'It is no longer open.');
  const state = stateOf(fake);
  expect(await state.save(true, false)).toBeUndefined();
  expect(state.failure?.message).toBe('It is no longer open.');
  const saving = state.save(true, true);
  expect([state.failure, state.task?.title]).toEqual([undefined, 'Saving the timeline']);
  await saving;
  expect(await stateOf(fake, {}).save(true, true)).toBeUndefined();
});

test('closing the dialog ends it, and says nothing of it later', async () => {
  const fake = new FakeApi();
  let signal: AbortSignal | undefined;
  fake.answer('perfetto.save', (_args, options) => {
    signal = options?.signal ?? undefined;
    return new Promise((resolve) =>
      signal?.addEventListener('abort', () => resolve(fail('cancelled', 'Cancelled.'))),
    );
  });
  const state = stateOf(fake);
  const saving = state.save(true, true);
  state.forget();
  expect(await saving).toBeUndefined();
  expect([signal?.aborted, state.task, state.failure]).toEqual([true, undefined, undefined]);
});
