import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { decodePacked } from '../../shared/rpc/packed.ts';
import { type TilesWanted, tilesQuery } from '../../shared/rpc/tiles-query.ts';
import { type BulkSource, fetchTiles, serveBulk } from './bulk-server.ts';

const run = { track: 3, part: -1, level: 20, first: 7, count: 2 };

/** A server of such tiles, and its socket. */
async function serve(tiles: BulkSource['tiles']) {
  const folder = mkdtempSync(join(tmpdir(), 'stalltrace-bulk-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const socket = join(folder, 'socket');
  const use = await serveBulk(socket, { tiles, perfetto: async function* () {} });
  return { socket, use };
}

test('is at rest only while nothing is sent', async () => {
  // More than sockets hold: it is sent as it is read.
  const { socket, use } = await serve(async () => new Float64Array(800_000));
  await expect.poll(() => use.idleMs()).toBeGreaterThan(0);
  const body = await fetchTiles(socket, tilesQuery({ filter: '', runs: [run] }));
  if (!body.ok) throw new Error(body.error.message);
  expect(use.idleMs()).toBe(0);
  let bytes = 0;
  for await (const piece of body.value.stream) bytes += (piece as Buffer).length;
  expect(bytes).toBe(body.value.byteLength);
  await expect.poll(() => use.idleMs()).toBeGreaterThan(0);
});

test('what is asked for is served, whatever is in the filter', async () => {
  const asked: TilesWanted[] = [];
  const tile = { startNs: Float64Array.of(1.5, 2 ** 50), names: [[1, 'κernel']] };
  const { socket } = await serve(async (wanted) => {
    asked.push(wanted);
    return tile;
  });
  const wanted = { filter: 'name:a&b=c,#+ dur>10µs', runs: [run, { ...run, part: 0 }] };
  const body = await fetchTiles(socket, tilesQuery(wanted));
  if (!body.ok) throw new Error(body.error.message);
  const bytes = await buffer(body.value.stream);
  expect(decodePacked(new Uint8Array(bytes).buffer)).toEqual(tile);
  expect(asked).toEqual([wanted]);
});

test('what can’t be asked for is not found', async () => {
  const { socket } = await serve(() => expect.unreachable());
  for (const query of ['', 'runs=', 'runs=1.2', '../perfetto'])
    expect(await fetchTiles(socket, query)).toMatchObject({ error: { code: 'not-found' } });
});
