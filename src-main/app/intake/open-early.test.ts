import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { fail, ok } from '../../shared/rpc/result.ts';
import type { CallContext } from '../../shared/rpc/rpc.ts';
import { contextOf } from '../testing/fake-platform.ts';
import type { OpenTraces } from '../traces/open-traces.ts';
import { openEarly } from './open-early.ts';

let folder: string;
let source: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'early-'));
  source = join(folder, 'a.db');
  writeFileSync(source, 'a trace');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function fakeTraces(opens = true) {
  const close = vi.fn();
  const reading = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  const open = async (path: string, { signal }: CallContext) => {
    asked.resolve();
    const ended = new Promise((resolve) => signal.addEventListener('abort', resolve));
    if (!signal.aborted) await Promise.race([reading.promise, ended]);
    if (signal.aborted) return fail('cancelled', 'Cancelled.');
    return opens ? ok({ id: 'one', path }) : fail('file-not-a-trace', 'It is no trace.');
  };
  const moveTo = async (id: string, path: string) => ok({ id, path });
  const traces = { open, moveTo, close } as unknown as OpenTraces;
  return { traces, close, asked: asked.promise, read: () => reading.resolve() };
}

test('what was read of a file while it was copied is the trace of the copy', async () => {
  const { traces, close, read } = fakeTraces();
  const early = openEarly({ traces }, source, contextOf());
  read();
  expect(await early.as('/the/copy')).toEqual(ok({ id: 'one', path: '/the/copy' }));
  await early.end();
  expect(close).not.toHaveBeenCalled();
});

test('of a file that was written to meanwhile the copy is read', async () => {
  const { traces, close, asked, read } = fakeTraces();
  const early = openEarly({ traces }, source, contextOf());
  // By then it is known what the file was before.
  await asked;
  read();
  writeFileSync(source, 'another trace');
  expect(await early.as('/the/copy')).toBeUndefined();
  await early.end();
  expect(close).toHaveBeenCalledExactlyOnceWith('one');
});

test('what could not be read is read again, of the copy', async () => {
  const { traces, close, read } = fakeTraces(false);
  const early = openEarly({ traces }, source, contextOf());
  read();
  expect(await early.as('/the/copy')).toBeUndefined();
  await early.end();
  expect(close).not.toHaveBeenCalled();
});

test('reading ends where there is no copy', async () => {
  const { traces, close } = fakeTraces();
  await openEarly({ traces }, source, contextOf()).end();
  expect(close).not.toHaveBeenCalled();
});

test('how far the copy is is told once all was read: before, the figures are', async () => {
  const { traces, read } = fakeTraces();
  const progress = vi.fn();
  const early = openEarly({ traces }, source, { ...contextOf(), progress });
  early.context.progress({ text: 'Copying' });
  expect(progress).not.toHaveBeenCalled();
  read();
  await early.as('/the/copy');
  early.context.progress({ text: 'Copying' });
  expect(progress).toHaveBeenCalledExactlyOnceWith({ text: 'Copying' });
});
