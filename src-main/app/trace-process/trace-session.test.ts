import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { decodePacked } from '../../shared/rpc/packed.ts';
import { tilesQuery } from '../../shared/rpc/tiles-query.ts';
import { KeptTiles } from '../../timeline/tiles/kept-tiles.ts';
import { TraceCache } from '../../trace/cache/trace-cache.ts';
import { contextOf } from '../testing/fake-platform.ts';
import { buildStamp } from './build-stamp.ts';
import { fetchTiles } from './bulk-server.ts';
import { createTraceSession } from './trace-session.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalltrace-session-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** What opens a file that holds no trace, of which `answers` are kept, and columns that are damaged. */
async function keptFile(answers: Readonly<Record<string, unknown>>) {
  vi.spyOn(console, 'error').mockReturnValue();
  const path = join(folder, 'large.trace.db');
  // Smaller ones are not kept.
  writeFileSync(path, Buffer.alloc(5 * 2 ** 20, 'no trace '));
  const cacheFolder = join(folder, 'cache');
  const cache = new TraceCache(cacheFolder, buildStamp());
  const name = (await cache.nameOf(path)) ?? '';
  for (const [question, answer] of Object.entries(answers))
    await cache.keepAnswer(name, path, question, answer);
  writeFileSync(join(cacheFolder, name), 'damaged');
  return { path, scratchFolder: folder, dataSocket: join(folder, 'data'), cacheFolder };
}

test('where a trace can’t be read after its kept summary was told, its process ends', async () => {
  const summary = { format: 'test' };
  const asked = await keptFile({ summary });
  const endProcess = vi.fn();
  const session = createTraceSession(endProcess);
  expect(await session.open(asked, contextOf())).toEqual({ ok: true, value: summary });
  // The window draws what is kept; the rest is read once somebody asks for it, or nobody did for a while.
  expect(endProcess).not.toHaveBeenCalled();
  await expect(session['trace.kinds']({}, contextOf())).rejects.toThrow(/\w\.$/);
  expect(endProcess).toHaveBeenCalledExactlyOnceWith(expect.stringMatching(/\w\.$/));
});

test('the first view is told from what was kept of it, whether or not the trace is there', async () => {
  const tiles = new KeptTiles();
  const wanted = { filter: '', runs: [{ track: 3, part: 0, level: 4, first: 0, count: 1 }] };
  const counted = { startNs: Float64Array.of(1), durationNs: Float64Array.of(2) };
  const buckets = [{ track: 3, ...counted, counts: Float64Array.of(7) }];
  tiles.note(wanted, { lanes: [], lines: [], buckets, isCut: false }, 1000);
  const summary = { format: 'test' };
  const asked = await keptFile({ summary, 'trace.tracks {}': 'tracks', tiles: tiles.content });
  const session = createTraceSession(vi.fn());
  await session.open(asked, contextOf());
  expect(await session['trace.tracks']({}, contextOf())).toEqual({ ok: true, value: 'tracks' });
  const sent = await fetchTiles(asked.dataSocket, tilesQuery(wanted));
  if (!sent.ok) throw new Error(sent.error.message);
  const body = Buffer.concat(await sent.value.stream.toArray());
  expect(decodePacked(new Uint8Array(body).buffer)).toEqual({
    lanes: [],
    lines: [],
    buckets,
    isCut: false,
  });
});

test('what is not kept is read though nobody asks for it', async () => {
  const asked = await keptFile({ summary: { format: 'test' } });
  const ended = Promise.withResolvers<string>();
  const session = createTraceSession((message) => ended.resolve(message));
  await session.open(asked, contextOf());
  expect(await ended.promise).toMatch(/\w\.$/);
});

test('one that can’t be read at all is told so, and its process goes on', async () => {
  const path = join(folder, 'large.trace.db');
  writeFileSync(path, 'no trace');
  const endProcess = vi.fn();
  const asked = { path, scratchFolder: folder, dataSocket: join(folder, 'data') };
  const opened = await createTraceSession(endProcess).open(asked, contextOf());
  expect(opened).toMatchObject({ ok: false });
  expect(endProcess).not.toHaveBeenCalled();
});
