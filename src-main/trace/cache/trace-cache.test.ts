import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { loaderTrace } from '../../analysis/testing/loader-trace.ts';
import { traceArbitrary } from '../testing/trace-arbitrary.ts';
import { readCacheFile, sourceOfCacheFile, writeCacheFile } from './cache-file.ts';
import { forgetKept, TraceCache } from './trace-cache.ts';

const MB = 2 ** 20;
const trace = loaderTrace({ batches: 50, batchNs: 1_000_000 });

let folder: string;
let cacheFolder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trace-cache-'));
  cacheFolder = join(folder, 'cache');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A file whose content is told by `fill`, large enough to be kept. */
function source(name: string, fill: number): string {
  const path = join(folder, name);
  writeFileSync(path, Buffer.alloc(5 * MB, fill));
  return path;
}

const kept = () => readdirSync(cacheFolder).sort();

test('any trace comes back as it was', async () => {
  const path = join(folder, 'one.columns');
  await fc.assert(
    fc.asyncProperty(traceArbitrary, async (any) => {
      await writeCacheFile(path, '/a file', any);
      expect(await readCacheFile(path)).toEqual(any);
      expect(sourceOfCacheFile(path)).toBe('/a file');
    }),
    { seed: 1, numRuns: 50 },
  );
});

test('a column that is called as an array in the file is comes back too', async () => {
  const path = join(folder, 'one.columns');
  const { aggregate } = trace.tables;
  const columns = { ...aggregate.columns, stored: Float64Array.of(16, -1) };
  const sums = { ...trace, tables: { ...trace.tables, aggregate: { ...aggregate, columns } } };
  await writeCacheFile(path, '/a file', sums);
  expect(await readCacheFile(path)).toEqual(sums);
});

test('a file that is damaged anywhere, cut, or no cache file is not read', async () => {
  const path = join(folder, 'one.columns');
  await writeCacheFile(path, '/a file', trace);
  const good = readFileSync(path);
  const step = Math.ceil(good.length / 300);
  for (let at = 0; at < good.length; at += step) {
    const bad = Buffer.from(good);
    bad[at] ^= 0x10;
    writeFileSync(path, bad);
    const read = await readCacheFile(path);
    // Between two arrays are bytes that nobody reads.
    if (read !== undefined) expect(read).toEqual(trace);
    writeFileSync(path, good.subarray(0, at));
    expect(await readCacheFile(path)).toBeUndefined();
  }
});

test('what was read is kept under its bytes and the build that read it', async () => {
  const cache = new TraceCache(cacheFolder, 'build 1');
  const path = source('a.db', 1);
  const name = (await cache.nameOf(path)) as string;
  expect(await cache.read(name)).toBeUndefined();
  await cache.keep(name, path, trace);
  expect(await cache.read(name)).toEqual(trace);
  // The same bytes elsewhere are the same trace; other bytes, or another build, are not.
  expect(await cache.nameOf(source('copy.db', 1))).toBe(name);
  expect(await cache.nameOf(source('b.db', 2))).not.toBe(name);
  expect(await new TraceCache(cacheFolder, 'build 2').nameOf(path)).not.toBe(name);
});

test('a file is worth a look only where this build kept something of one as long', async () => {
  const cache = new TraceCache(cacheFolder, 'build 1');
  const path = source('a.db', 1);
  expect(cache.mayHave(path)).toBe(false);
  await cache.keepAnswer((await cache.nameOf(path)) as string, path, 'verdict {}', 'slow');
  expect(cache.mayHave(path)).toBe(true);
  // Its bytes are others, which its length does not tell.
  expect(cache.mayHave(source('b.db', 2))).toBe(true);
  expect(new TraceCache(cacheFolder, 'build 2').mayHave(path)).toBe(false);
  writeFileSync(join(folder, 'longer.db'), Buffer.alloc(6 * MB));
  expect(cache.mayHave(join(folder, 'longer.db'))).toBe(false);
});

test('answers about a trace are kept under their question, whole or not at all', async () => {
  const cache = new TraceCache(cacheFolder, 'build 1');
  const name = (await cache.nameOf(source('a.db', 1))) as string;
  const answer = { rows: [Number.NaN, 1], of: Float64Array.of(1, 2), none: undefined };
  expect(await cache.answer(name, 'verdict {}')).toBeUndefined();
  await cache.keepAnswer(name, join(folder, 'a.db'), 'verdict {}', answer);
  expect(await cache.answer(name, 'verdict {}')).toEqual(answer);
  expect(await cache.answer(name, 'verdict {"of":1}')).toBeUndefined();
  const other = (await cache.nameOf(source('b.db', 2))) as string;
  expect(await cache.answer(other, 'verdict {}')).toBeUndefined();

  const [file] = kept();
  const path = join(cacheFolder, file);
  const good = readFileSync(path);
  const quiet = vi.spyOn(console, 'error').mockReturnValue();
  for (let at = 0; at < good.length; at++) {
    const bad = Buffer.from(good);
    bad[at] ^= 0x10;
    for (const content of [bad, good.subarray(0, at)]) {
      writeFileSync(path, content);
      expect(await cache.answer(name, 'verdict {}')).toBeUndefined();
      // It is worked out again.
      expect(kept()).toEqual([]);
    }
  }
  expect(quiet).not.toHaveBeenCalled();
});

test('small files, files that are still written to, and files that are gone are not kept', async () => {
  const cache = new TraceCache(cacheFolder, 'build');
  writeFileSync(join(folder, 'small.db'), 'small');
  const path = source('recorded.db', 3);
  expect(cache.keeps(path)).toBe(true);
  writeFileSync(`${path}-wal`, 'more');
  for (const never of [join(folder, 'small.db'), join(folder, 'gone.db'), path]) {
    expect(cache.keeps(never)).toBe(false);
    expect(cache.mayHave(never)).toBe(false);
    expect(await cache.nameOf(never)).toBeUndefined();
  }
});

test('a damaged file is removed, and one that cannot be written is no failure', async () => {
  const said = vi.spyOn(console, 'error').mockReturnValue();
  const cache = new TraceCache(cacheFolder, 'build');
  const path = source('a.db', 1);
  const name = (await cache.nameOf(path)) as string;
  await cache.keep(name, path, trace);
  writeFileSync(join(cacheFolder, name), 'something else');
  expect(await cache.read(name)).toBeUndefined();
  expect(kept()).toEqual([]);
  mkdirSync(join(cacheFolder, name));
  await cache.keep(name, path, trace);
  expect(said).toHaveBeenCalledOnce();
  expect(kept()).toEqual([name]);
});

test('those not used for longest make room; what a file held is forgotten with it', async () => {
  const bytes = Object.values(trace.tables)
    .flatMap(({ columns }) => Object.values(columns))
    .reduce((sum, column) => sum + column.byteLength, 0);
  // Room for two, with all that stands beside the columns.
  const cache = new TraceCache(cacheFolder, 'build', 4 * bytes);
  const names: string[] = [];
  for (const fill of [1, 2, 3, 4, 5]) {
    const path = source(`${fill}.db`, fill);
    const name = (await cache.nameOf(path)) as string;
    names.push(name);
    await cache.keep(name, path, trace);
    vi.useFakeTimers({ now: Date.now() + 10_000, toFake: ['Date'] });
    // The first is used all the time.
    expect(await cache.read(names[0])).toEqual(trace);
  }
  vi.useRealTimers();
  expect(kept()).toContain(names[0]);
  expect(kept()).toContain(names[4]);
  expect(kept()).not.toContain(names[1]);
  await cache.keepAnswer(names[4], join(folder, '5.db'), 'verdict {}', 'slow');
  expect(await cache.answer(names[4], 'verdict {}')).toBe('slow');
  await forgetKept(cacheFolder, join(folder, '5.db'));
  expect(await cache.answer(names[4], 'verdict {}')).toBeUndefined();
  expect(kept()).not.toContain(names[4]);
  expect(kept()).toContain(names[0]);
  await forgetKept(undefined, join(folder, '1.db'));
  await forgetKept(join(folder, 'nowhere'), join(folder, '1.db'));
});
