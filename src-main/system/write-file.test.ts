import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fail, ok } from '../shared/rpc/result.ts';
import { type Write, writeNewFile } from './write-file.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'write-file-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const path = () => join(folder, 'a.md');
const text = (content: string) => async (write: Write) => {
  await write(content);
  return ok(null);
};

test('a new file appears whole', async () => {
  const written = await writeNewFile(path(), false, async (write) => {
    await write('one ');
    expect(readdirSync(folder)).not.toContain('a.md');
    await write(Buffer.from('two'));
    return ok(null);
  });
  expect(written).toEqual({ ok: true, value: { path: path(), sizeBytes: 7 } });
  expect(readFileSync(path(), 'utf8')).toBe('one two');
  expect(readdirSync(folder)).toEqual(['a.md']);
});

test('one that is there stays, unless it may be replaced', async () => {
  writeFileSync(path(), 'old');
  expect(await writeNewFile(path(), false, text('new'))).toMatchObject({
    error: { code: 'file-exists' },
  });
  expect(readFileSync(path(), 'utf8')).toBe('old');
  expect((await writeNewFile(path(), true, text('new'))).ok).toBe(true);
  expect(readFileSync(path(), 'utf8')).toBe('new');
});

test('one that somebody else writes meanwhile stays', async () => {
  const written = await writeNewFile(path(), false, async (write) => {
    writeFileSync(path(), 'theirs');
    return text('mine')(write);
  });
  expect(written).toMatchObject({ error: { code: 'file-exists' } });
  expect(readFileSync(path(), 'utf8')).toBe('theirs');
  expect(readdirSync(folder)).toEqual(['a.md']);
});

test('what is not filled to its end leaves the old file, and nothing else', async () => {
  writeFileSync(path(), 'old');
  const written = await writeNewFile(path(), true, async (write) => {
    await write('half');
    return fail('cancelled', 'Cancelled.');
  });
  expect(written).toMatchObject({ error: { code: 'cancelled' } });
  const thrown = writeNewFile(path(), true, () => Promise.reject(new Error('a bug')));
  await expect(thrown).rejects.toThrow('a bug');
  expect(readFileSync(path(), 'utf8')).toBe('old');
  expect(readdirSync(folder)).toEqual(['a.md']);
});

test('a link stays a link to the file that is replaced', async () => {
  writeFileSync(path(), 'old');
  symlinkSync(path(), join(folder, 'link.md'));
  expect((await writeNewFile(join(folder, 'link.md'), true, text('new'))).ok).toBe(true);
  expect(readFileSync(path(), 'utf8')).toBe('new');
  expect(readdirSync(folder)).toEqual(['a.md', 'link.md']);
});

test('a folder, a device and a folder that is missing are refused', async () => {
  mkdirSync(path());
  for (const place of [path(), '/dev/null', join(folder, 'missing', 'a.md')]) {
    expect(await writeNewFile(place, true, text('x')), place).toMatchObject({
      error: { code: 'file-unwritable' },
    });
  }
  expect(readdirSync(path())).toEqual([]);
});
