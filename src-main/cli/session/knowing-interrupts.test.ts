import { expect, test } from 'vitest';
import type { App } from '../../app/app.ts';
import { fail } from '../../shared/rpc/result.ts';
import { contextUntil } from './cli-app.ts';
import { knowingInterrupts } from './knowing-interrupts.ts';

function listing(code: 'library-unavailable' | 'internal') {
  const handlers = { 'library.list': async () => fail(code, 'Why.') };
  const list = knowingInterrupts(handlers as unknown as App['handlers'])['library.list'];
  return (signal: AbortSignal) => list({}, contextUntil(signal));
}

test('a process that ended of the same Ctrl+C is none that failed', async () => {
  const cancelled = { error: { code: 'cancelled', message: 'Cancelled.' } };
  expect(await listing('library-unavailable')(AbortSignal.abort())).toMatchObject(cancelled);
});

test('what failed otherwise, or uncalled for, is said', async () => {
  const open = new AbortController().signal;
  const said = (code: string) => ({ error: { code, message: 'Why.' } });
  expect(await listing('library-unavailable')(open)).toMatchObject(said('library-unavailable'));
  expect(await listing('internal')(AbortSignal.abort())).toMatchObject(said('internal'));
});
