import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { LibraryHealth } from '../../shared/library/library-health.ts';
import { ok } from '../../shared/rpc/result.ts';
import { type App, createApp } from '../app.ts';
import { SPARED_MS } from '../file-store/sweep.ts';
import { FakeLibrary } from '../testing/fake-library.ts';
import { fakePlatform } from '../testing/fake-platform.ts';

let folder: string;
let library: FakeLibrary;
let app: App;
let trashed: string[];

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'tend-')));
  library = new FakeLibrary();
  trashed = [];
});
afterEach(async () => {
  vi.restoreAllMocks();
  await app.close();
  rmSync(folder, { recursive: true, force: true });
});

function write(...names: string[]): string {
  const path = join(folder, ...names);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, names.join());
  return path;
}

/** An entry that is on the list, and a copy, old enough to be swept, that came later and is not. */
function newerCopy(name = 'run.db'): string {
  const fixed = { format: 'x', sample: false, synthetic: false, processes: [] };
  const path = write('a.db');
  library.put({ ...fixed, path, name: 'a.db', sizeBytes: 4, storage: 'referenced' });
  const copy = write('files', '0123456789abcdef', name);
  const later = new Date(Date.now() + 1000);
  utimesSync(copy, later, later);
  const longAgo = new Date(Date.now() - 2 * SPARED_MS);
  utimesSync(dirname(copy), longAgo, longAgo);
  return copy;
}

/** Resolves when the library was looked after: hashing is its last step. */
async function tend(state: LibraryHealth['state'] = 'ok'): Promise<void> {
  const handlers = library.handlers;
  const hash = vi.fn(handlers.hash);
  const { platform } = fakePlatform({
    ...handlers,
    hash,
    health: async () => ok({ state, backups: [] }),
  });
  const trash = async (path: string) => void trashed.push(path);
  app = createApp({ ...platform, trash, mayOpen: () => false }, { dataFolder: folder });
  app.tendLibrary();
  await expect.poll(() => hash.mock.calls.length).toBeGreaterThan(0);
}

describe('a copy that came after the backup which is the library now', () => {
  test('is on the list again, as our own', async () => {
    const path = newerCopy();
    await tend();
    expect(library.list()[1]).toMatchObject({ path, name: 'run.db', storage: 'copied' });
    expect(trashed).toEqual([]);
  });

  test('stays where it is, if it can not be listed', async () => {
    const said = vi.spyOn(console, 'error').mockReturnValue();
    const path = newerCopy('bad.db');
    await tend();
    expect(library.list()).toHaveLength(1);
    expect(existsSync(path)).toBe(true);
    expect(trashed).toEqual([]);
    expect(said).toHaveBeenCalledOnce();
  });
});

test.each(['damaged', 'replaced', 'unavailable'] as const)(
  'of a library that is %s no copy is touched, as what it answers may lack entries',
  async (state) => {
    const path = newerCopy();
    await tend(state);
    expect(library.list()).toHaveLength(1);
    expect(existsSync(path)).toBe(true);
    expect(trashed).toEqual([]);
  },
);
