import {
  existsSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { FileStore } from './file-store.ts';
import { SPARED_MS, type SweptLibrary, sweepFiles } from './sweep.ts';

const COPY = { sha256: '0123456789abcdef'.repeat(4), sizeBytes: 5 };

let folder: string;
/** The paths of the entries on the list. */
let listed: string[];

const isKnown = async (path: string) => listed.includes(path);
const at = (...names: string[]) => join(folder, ...names);

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'file-store-')));
  listed = [];
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
});

async function keep(store: FileStore, name = 'run.db'): Promise<string> {
  const part = await store.newPart(name);
  writeFileSync(part.path, 'trace');
  return store.keep(part, COPY);
}

describe('a copy that is refused', () => {
  test('goes with the last who uses it', async () => {
    const store = new FileStore(folder, isKnown);
    const path = await keep(store);
    expect(await keep(store)).toBe(path);
    await store.release(path, false);
    expect(existsSync(path)).toBe(true);
    await store.release(path, false);
    expect(readdirSync(at('files'))).toEqual([]);
  });

  test('stays where another host has listed it', async () => {
    const store = new FileStore(folder, isKnown);
    const path = await keep(store);
    listed.push(path);
    await store.release(path, false);
    expect(existsSync(path)).toBe(true);
  });

  test('stays where it was listed once, though this list does not know it', async () => {
    const before = new FileStore(folder, isKnown);
    const path = await keep(before);
    await before.release(path, true);
    const store = new FileStore(folder, isKnown);
    expect(await keep(store)).toBe(path);
    await store.release(path, false);
    expect(readdirSync(dirname(path))).toEqual(['run.db']);
  });

  test('stays where another host is about to list it', async () => {
    const [one, other] = [new FileStore(folder, isKnown), new FileStore(folder, isKnown)];
    const path = await keep(one);
    expect(await keep(other)).toBe(path);
    await one.release(path, false);
    expect(existsSync(path)).toBe(true);
    await other.release(path, false);
    expect(existsSync(path)).toBe(false);
  });
});

test('a copy is known beside what other programs leave with it', async () => {
  const path = await keep(new FileStore(folder, isKnown));
  writeFileSync(join(dirname(path), '.DS_Store'), '');
  writeFileSync(join(dirname(path), 'run.db-shm'), '');
  expect(await keep(new FileStore(folder, isKnown), 'other.db')).toBe(path);
  expect(existsSync(path)).toBe(true);
});

describe('the sweep', () => {
  const longAgo = () => new Date(Date.now() - 2 * SPARED_MS);
  let adopted: string[];
  beforeEach(() => {
    adopted = [];
  });

  /** A copy that is no longer spared; `wasListed` = once, before this list. */
  async function oldCopy(wasListed = true): Promise<string> {
    const store = new FileStore(folder, isKnown);
    const path = await keep(store);
    // Else as of a host that was killed before it listed it.
    if (wasListed) await store.release(path, true);
    utimesSync(dirname(path), longAgo(), longAgo());
    return path;
  }

  function sweep(library: Partial<SweptLibrary> = {}): Promise<void> {
    const addedAt = new Date(0).toISOString();
    return sweepFiles(new FileStore(folder, isKnown), {
      list: async () => ['/sample.db', ...listed].map((path) => ({ path, addedAt })),
      isKnown,
      dispose: async (path) => rmSync(path),
      adopt: async (path) => void adopted.push(path),
      ...library,
    });
  }

  test('deletes what nobody ever listed and nothing else', async () => {
    const path = await oldCopy(false);
    listed.push(path);
    await sweep();
    // The host was killed between the two: the list is what counts.
    expect(readdirSync(dirname(path))).toEqual(['run.db']);
    rmSync(dirname(path), { recursive: true });
    listed = [];
    await oldCopy(false);
    await sweep();
    expect(readdirSync(at('files'))).toEqual([]);
    expect(adopted).toEqual([]);
  });

  test('has a copy listed that an older list does not know', async () => {
    const path = await oldCopy();
    writeFileSync(join(dirname(path), '.DS_Store'), '');
    utimesSync(dirname(path), longAgo(), longAgo());
    await sweep();
    expect(adopted).toEqual([path]);
    expect(existsSync(path)).toBe(true);
  });

  test('touches nothing where the list may lack entries', async () => {
    const path = await oldCopy(false);
    await sweep({ list: async () => undefined });
    await sweep({ isKnown: async () => undefined });
    expect(existsSync(path)).toBe(true);
    expect(adopted).toEqual([]);
  });

  test('knows the copies in a folder that was moved and linked', async () => {
    const path = await oldCopy();
    listed.push(path);
    renameSync(at('files'), at('larger-disk'));
    symlinkSync(at('larger-disk'), at('files'));
    await sweep();
    expect(existsSync(path)).toBe(true);
  });

  test('leaves a removed copy that is put back while it works', async () => {
    const path = await oldCopy();
    let asked = 0;
    const addedAt = new Date(0).toISOString();
    await sweep({
      list: async () => (asked++ === 0 ? [] : [path]).map((each) => ({ path: each, addedAt })),
      isKnown: async () => true,
    });
    expect(existsSync(path)).toBe(true);
  });
});
