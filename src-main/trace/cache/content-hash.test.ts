import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { contentHash } from './content-hash.ts';

const PIECE = 4 * 2 ** 20;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalltrace-hash-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function hashOf(bytes: Uint8Array): Promise<string> {
  const path = join(folder, 'file');
  writeFileSync(path, bytes);
  return contentHash(path);
}

test('a byte more, less or other anywhere, or pieces in another order, are another file', async () => {
  const bytes = new Uint8Array(5 * PIECE + 7);
  for (let piece = 0; piece <= 5; piece++) bytes.fill(piece + 1, piece * PIECE);
  const known = await hashOf(bytes);
  expect(known).toMatch(/^[0-9a-f]{64}$/);
  expect(await hashOf(bytes.slice())).toBe(known);
  const others = [bytes.subarray(0, -1), bytes.subarray(0, 5 * PIECE), new Uint8Array(0)];
  for (const at of [0, PIECE - 1, PIECE, 3 * PIECE + 5, bytes.length - 1]) {
    const other = bytes.slice();
    other[at] ^= 1;
    others.push(other);
  }
  const swapped = bytes.slice();
  swapped.copyWithin(0, PIECE, 2 * PIECE);
  swapped.set(bytes.subarray(0, PIECE), PIECE);
  others.push(swapped);
  const hashes = await others.reduce<Promise<string[]>>(
    async (known, each) => [...(await known), await hashOf(each)],
    Promise.resolve([]),
  );
  expect(new Set([known, ...hashes]).size).toBe(1 + others.length);
});

test('a file that is not there has none', async () => {
  await expect(contentHash(join(folder, 'nowhere'))).rejects.toThrow(/ENOENT/);
});
