import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import {
  buildNative,
  fileName,
  SHIPPED_TARGETS,
  sourcesDigest,
} from '../../scripts/native/build.mjs';
import { isNativeCurrent, provideNative } from '../../scripts/native/provide.mjs';
import {
  readManifest,
  shippedPath,
  shippedProblems,
  writeShipped,
} from '../../scripts/native/shipped.mjs';
import { root } from '../support/built.ts';
import { describeWith } from '../support/requirements.ts';
import { runCli } from '../support/run-cli.ts';

/** resources/native, and the start that uses it or builds it; the library for arm64; in a soak its fuzzer. */

const isSoak = process.env.STALLTRACE_SOAK !== undefined;
const FUZZ_SECONDS = 300;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalltrace-native-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const SQL = 'SELECT a, b FROM events WHERE rowid > ? AND rowid <= ? ORDER BY rowid';

function makeFile(name: string): string {
  const path = join(folder, name);
  const database = new DatabaseSync(path);
  database.exec(`PRAGMA page_size = 512; CREATE TABLE events (id INTEGER PRIMARY KEY, a, b);
    INSERT INTO events (a, b) VALUES (1, -2), (0.5, NULL), ('text', x'00'), (9007199254740993, 9e999)`);
  database.close();
  return path;
}

/** Two events of the Trace Event Format, the first with all that is read of one. */
const EVENTS =
  '{"ph": "X", "cat": "a", "name": "a", "pid": 1, "tid": "a", "ts": 1712195495519689.8, "dur": -5, "args": {"stream": 7, "grid": [1, 2, 3], "bytes": "9"}}, {"ph": "i", "ts": "12.5"}';

/** What `makeFile` holds, as C prints it. */
const CELLS = '0x1p+0 -0x1p+1\n0x1p-1 -inf\nnan nan\n0x1p+53 nan\n';

test('what is shipped is complete, and of the sources as they are', () => {
  const { problems, isStale } = shippedProblems(root, sourcesDigest(root));
  // While somebody works on it: `npm run check` says so, and CI fails on it there.
  if (!isStale) expect(problems).toEqual([]);
  expect(Object.keys(readManifest(root)?.files ?? {})).toEqual(SHIPPED_TARGETS);
});

test('a shipped library that is damaged, or of other sources, is refused', () => {
  const copy = join(folder, 'shipped');
  const built = Object.fromEntries(SHIPPED_TARGETS.map((target) => [target, Buffer.from(target)]));
  mkdirSync(copy);
  writeShipped(copy, 'of these', built);
  expect(shippedProblems(copy, 'of these')).toEqual({ problems: [] });
  expect(shippedProblems(copy, 'of others')).toMatchObject({ isStale: true });
  writeFileSync(shippedPath(copy, 'linux-x64'), 'damaged');
  expect(shippedProblems(copy, 'of these').problems).toEqual([
    expect.stringMatching(
      /^resources\/native\/linux-x64 is not what .* says: run "npm run ship-native"/,
    ),
  ]);
  writeFileSync(join(copy, 'resources/native/manifest.json'), '{');
  expect(shippedProblems(copy, 'of these').problems).toHaveLength(1);
});

describeWith(['agent'], 'the start', () => {
  const target = `${process.platform}-${process.arch}`;
  const library = Object.fromEntries(
    [...SHIPPED_TARGETS, target].map((each) => [each, Buffer.of(1)]),
  );

  /** A clone with what is shipped of the sources in it; with a folder of what was built before. */
  function makeClone(name: string) {
    const clone = join(folder, name);
    for (const part of ['native', 'package.json'])
      cpSync(join(root, part), join(clone, part), { recursive: true });
    const built = join(clone, 'out/native', target);
    mkdirSync(built, { recursive: true });
    writeShipped(clone, sourcesDigest(clone), library);
    return { clone, built: join(built, fileName(target)), folder: built };
  }

  /** A make that builds what `script` says, and nothing of which is a compiler. */
  function withMake(script: string): string {
    const bin = mkdtempSync(join(folder, 'bin-'));
    for (const name of ['make', 'cc'])
      writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    return bin;
  }

  const pathBefore = process.env.PATH;
  afterEach(() => {
    process.env.PATH = pathBefore;
  });

  test('removes what was built here once the shipped one fits', () => {
    const { clone, folder: built } = makeClone('fits');
    expect(isNativeCurrent(clone)).toBe(false);
    expect(provideNative(clone)).toBeUndefined();
    expect(existsSync(built)).toBe(false);
    expect(isNativeCurrent(clone)).toBe(true);
  });

  test('takes no shipped one that is damaged', () => {
    const { clone, built } = makeClone('damaged');
    writeFileSync(shippedPath(clone, target), 'damaged');
    process.env.PATH = '/nowhere';
    expect(isNativeCurrent(clone)).toBe(false);
    provideNative(clone);
    expect(existsSync(built)).toBe(false);
  });

  test('builds it of other sources, says so, and tries again only for others still', () => {
    const { clone, built } = makeClone('builds');
    const header = join(clone, 'native/src/rows.h');
    writeFileSync(header, 'other sources\n');
    process.env.PATH = `${withMake(
      `for word; do case $word in OUT=*) mkdir -p "\${word#OUT=}"; echo it > "\${word#OUT=}/${fileName(target)}" ;; esac; done`,
    )}:${pathBefore}`;
    const said: string[] = [];
    expect(provideNative(clone, (sentence) => said.push(sentence))).toBeUndefined();
    expect(said).toEqual([expect.stringContaining('building native code')]);
    expect(readFileSync(built, 'utf8')).toBe('it\n');
    expect(isNativeCurrent(clone)).toBe(true);
    writeFileSync(header, 'others still\n');
    expect(isNativeCurrent(clone)).toBe(false);
  });

  test('says once that it can’t be built, and does without what is of other sources', () => {
    const { clone, built, folder: place } = makeClone('fails');
    writeFileSync(join(clone, 'native/src/rows.h'), 'other sources\n');
    process.env.PATH = `${withMake('exit 1')}:${pathBefore}`;
    expect(provideNative(clone)).toMatch(/^the native code could not be built: .* remove .*out/);
    expect([existsSync(place), existsSync(built)]).toEqual([true, false]);
    expect(isNativeCurrent(clone)).toBe(true);
  });

  test('waits for a compiler, and builds once there is one', () => {
    const { clone, folder: place } = makeClone('waits');
    writeFileSync(join(clone, 'native/src/rows.h'), 'other sources\n');
    process.env.PATH = '/nowhere';
    expect(provideNative(clone)).toBeUndefined();
    expect([existsSync(place), isNativeCurrent(clone)]).toEqual([true, true]);
    process.env.PATH = withMake('exit 1');
    expect(isNativeCurrent(clone)).toBe(false);
  });
});

describeWith(['agentArm64'], 'the library for arm64', () => {
  test('reads under qemu what the one for x64 reads', () => {
    const out = join(folder, 'arm64');
    const library = shippedPath(root, 'linux-arm64');
    const words = ['-s', '-C', join(root, 'native'), 'ARCH=arm64', `OUT=${out}`];
    const built = spawnSync('make', [...words, `LIBRARY=${library}`, 'tests'], {
      encoding: 'utf8',
    });
    expect(built.status, built.stderr).toBe(0);
    const url = `file:${makeFile('arm64.db')}?immutable=1`;
    const run = spawnSync(
      'qemu-aarch64',
      ['-L', '/usr/aarch64-linux-gnu', join(out, 'print_rows'), url, 'events', SQL, '2', '0', '10'],
      { encoding: 'utf8' },
    );
    expect([run.status, run.stdout], run.stderr).toEqual([0, CELLS]);
  });
});

if (isSoak) {
  describeWith(['agentArm64'], 'the native library', () => {
    test.each(SHIPPED_TARGETS)(
      'for %s is what its sources give in any folder',
      (target) => {
        const path = buildNative(root, target, join(folder, 'again', target));
        const bytes = readFileSync(path ?? '');
        const sha256 = createHash('sha256').update(bytes).digest('hex');
        expect(readManifest(root)?.files[target]).toBe(sha256);
      },
      1_200_000,
    );
  });
  describeWith(['fuzzer'], 'fuzzers of the native library', () => {
    const out = () => join(folder, 'fuzz');
    beforeAll(() => {
      const make = ['-s', '-C', join(root, 'native'), 'FUZZ=1', `OUT=${out()}`, 'fuzzers-built'];
      const built = spawnSync('make', make, { encoding: 'utf8' });
      expect(built.status, built.stderr).toBe(0);
    }, 900_000);

    test.each([
      ['a database', 'fuzz_rows', 50, (name: string) => void makeFile(join(name, 'seed.db'))],
      // Far less code than SQLite's.
      [
        'events',
        'fuzz_events',
        10,
        (name: string) => writeFileSync(join(folder, name, 'seed'), EVENTS),
      ],
    ])(
      'any bytes are read as %s without harm',
      (_, fuzzer, least, makeSeed) => {
        const corpus = join(folder, `corpus-${fuzzer}`);
        mkdirSync(corpus);
        makeSeed(`corpus-${fuzzer}`);
        const args = [`-max_total_time=${FUZZ_SECONDS}`, '-seed=20261128', '-max_len=8192', corpus];
        const run = spawnSync(join(out(), fuzzer), args, {
          encoding: 'utf8',
          maxBuffer: 64 << 20,
        });
        expect(run.status, run.stderr.slice(-4000)).toBe(0);
        // What it found is more than the seed: it came to reading.
        expect(readdirSync(corpus).length).toBeGreaterThan(least);
      },
      1_800_000,
    );
  });
}

describeWith(['nativeCode'], 'the command line', () => {
  test.each([
    ['', true],
    ['off', false],
  ])('says by which code large traces are read (STALLTRACE_NATIVE=%j)', (value, isNative) => {
    const sample = join(root, 'resources/sample/dataloader-starvation.trace.db');
    const environment = { STALLTRACE_NATIVE: value, XDG_DATA_HOME: join(folder, 'data') };
    const { stdout, code } = runCli(['info', sample, '--json'], folder, environment);
    expect(code).toBe(0);
    const { nativeCode } = JSON.parse(stdout) as { nativeCode: unknown };
    expect(nativeCode).toEqual(
      isNative
        ? { used: true, sqlite: expect.stringMatching(/^3\./) }
        : { used: false, why: 'It is switched off.' },
    );
  });
});
