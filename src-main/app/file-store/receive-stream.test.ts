import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FileStore } from './file-store.ts';
import { receiveStream } from './receive-stream.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalltrace-upload-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('a body of unknown length stops before it fills the disk', async () => {
  const chunk = Buffer.alloc(2 ** 20);
  let sent = 0;
  function* endless() {
    for (; sent < 400; sent++) yield chunk;
  }
  const looks = [2 ** 40, 2 ** 40, 2 ** 20];
  const freeBytes = () => Promise.resolve(looks.shift() ?? 0);
  const store = new FileStore(folder, async () => false);
  const body = Readable.from(endless());
  const result = await receiveStream(store, { name: 'x.db', body, expectedBytes: 0 }, freeBytes);
  expect(result).toMatchObject({ ok: false, error: { code: 'disk-full' } });
  // A request that is destroyed takes its connection with it, and the answer on it.
  expect(body.destroyed).toBe(false);
  expect(sent).toBeLessThan(200);
  expect(readdirSync(join(folder, 'files'))).toEqual([]);
});
