import { randomBytes } from 'node:crypto';
import { createWriteStream, readFileSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout } from 'node:timers/promises';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Note } from '../shared/library/note.ts';
import { isEntryName, plainName } from './entry-name.ts';
import { isArchive } from './is-archive.ts';
import { TraceChanged } from './measure-trace.ts';
import { archiveFolder } from './testing/archive-folder.ts';
import { type ArchiveContents, writeArchive } from './write-archive.ts';

let folder: ReturnType<typeof archiveFolder>;
let tracePath: string;

beforeEach(() => {
  folder = archiveFolder();
  tracePath = `${folder.path}.trace`;
});
afterEach(() => folder.remove());

const note: Note = {
  id: '6f1f2f0e-7d0c-4a6b-9f43-0d2b8f6f3a51',
  kind: 'note',
  text: 'The *pin thread* waits here. 鐘',
  startNs: 5,
  endNs: 9,
  createdAt: '2026-01-02T03:04:05.000Z',
  updatedAt: '2026-01-02T03:04:06.000Z',
};

async function contentsOf(
  trace: Buffer,
  more: Partial<ArchiveContents> = {},
): Promise<ArchiveContents> {
  writeFileSync(tracePath, trace);
  return {
    creator: 'Stalltrace test',
    name: 'Loader starves the GPU',
    tags: ['rtx-4090', 'ü'],
    notes: [note],
    traceName: 'run 7.db',
    traceBytes: trace.length,
    trace: await open(tracePath),
    ...more,
  };
}

async function pack(contents: ArchiveContents): Promise<void> {
  const packed = writeArchive(contents);
  if (!packed.ok) throw new Error(packed.error.message);
  try {
    await pipeline(packed.value, createWriteStream(folder.path));
  } finally {
    await contents.trace.close();
  }
}

test('what was packed comes back, all of it', async () => {
  const trace = Buffer.from('0123456789abcdef'.repeat(100_000));
  const verdict = { kind: 'input-bound', text: 'Four workers share one CPU' } as const;
  const view = { tab: 'timeline', window: { startNs: 1, endNs: 2 } } as const;
  const roles = [{ pid: 7, startNs: 5, role: 'launcher' as const }];
  await pack(await contentsOf(trace, { verdict, view, roles }));
  expect(isArchive(readFileSync(folder.path))).toBe(true);
  expect(isArchive(readFileSync(tracePath))).toBe(false);
  expect(await folder.read()).toEqual({
    ok: true,
    value: {
      tracePath: join(folder.into, 'trace.db'),
      traceName: 'run 7.db',
      sizeBytes: trace.length,
      sha256: folder.sha256(tracePath),
      name: 'Loader starves the GPU',
      tags: ['rtx-4090', 'ü'],
      verdict,
      roles,
      view,
      notes: [note],
    },
  });
  expect(readFileSync(join(folder.into, 'trace.db')).equals(trace)).toBe(true);
});

test('an empty trace and one of random bytes, with any name', async () => {
  const property = fc.asyncProperty(
    fc.uint8Array({ maxLength: 100_000 }),
    fc.string({ unit: 'binary' }),
    async (bytes, traceName) => {
      await pack(await contentsOf(Buffer.from(bytes), { traceName, notes: [] }));
      expect(await folder.read()).toMatchObject({
        ok: true,
        value: { sha256: folder.sha256(tracePath), traceName: plainName(traceName) },
      });
      folder.empty();
    },
  );
  await fc.assert(property, { numRuns: 40, seed: 1 });
});

test('any name becomes one that an entry may have', () => {
  const names = fc.string({ unit: 'binary', maxLength: 400 });
  fc.assert(fc.property(names, (name) => isEntryName(`trace/${plainName(name)}`)));
  expect(plainName('../..\\a.db')).toBe('.._.._a.db');
  expect(plainName('..')).toBe('trace.db');
  expect(plainName(`${'ü'.repeat(300)}.db`)).toMatch(/^ü{98}\.db$/);
});

test('a trace that grows meanwhile fails the stream', async () => {
  const contents = await contentsOf(Buffer.alloc(100));
  writeFileSync(tracePath, Buffer.alloc(200));
  await expect(pack(contents)).rejects.toBeInstanceOf(TraceChanged);
  expect((await folder.read()).ok).toBe(false);
});

test('a stream that is destroyed ends the work', async () => {
  const contents = await contentsOf(randomBytes(60_000_000));
  let readShare = 0;
  const packed = writeArchive(contents, ({ fraction = 0 }) => {
    readShare = fraction;
  });
  if (!packed.ok) throw new Error(packed.error.message);
  for await (const _chunk of packed.value) break;
  // What it was at may still end; all that is left to read takes far longer.
  for (let before = -1; readShare !== before; ) {
    before = readShare;
    // Work that goes on reads more in that time.
    await setTimeout(200);
  }
  expect(readShare).toBeLessThan(1);
  await contents.trace.close();
});

test('notes beyond what could be read again are refused before a byte is written', async () => {
  const notes = Array.from({ length: 501 }, () => ({ ...note, text: 'x'.repeat(100_000) }));
  const contents = await contentsOf(Buffer.alloc(1), { notes });
  expect(writeArchive(contents)).toMatchObject({ error: { code: 'file-unwritable' } });
  await contents.trace.close();
});
