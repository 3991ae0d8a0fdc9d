import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { root } from '../support/built.ts';
import { describeWith, sharedData } from '../support/requirements.ts';
import { runCli } from '../support/run-cli.ts';
import { simulatedTrace as sample } from '../support/simulated-trace.ts';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalltrace-cli-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function infoOf(file: string, cwd = folder) {
  const { code, stdout, stderr } = runCli(['info', file, '--json'], cwd);
  expect(stderr).toBe('');
  expect(code).toBe(0);
  return JSON.parse(stdout);
}

describe('stalltrace', () => {
  test('explains itself, and names what is wrong with a command line', () => {
    for (const args of [['--help'], ['info', '--help'], ['serve', '--help']]) {
      const { code, stdout, stderr } = runCli(args, folder);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toMatch(/^Usage: stalltrace/);
    }
    expect(runCli(['--version'], folder).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    const wrong = [
      [],
      ['nonsense'],
      ['info'],
      ['info', ''],
      ['info', 'a', 'b'],
      ['info', '--wrong', 'a'],
      ['serve', '--port', 'x'],
      ['serve', ''],
    ];
    for (const args of wrong) {
      const { code, stdout, stderr } = runCli(args, folder);
      expect(code, args.join(' ')).toBe(2);
      expect(stdout).toBe('');
      expect(stderr).toMatch(args.length === 0 ? /^Usage: stalltrace/ : /--help\.\n$/);
    }
    expect(runCli(['info', '--wrong', 'a'], folder).stderr).toBe(
      'stalltrace: There is no option --wrong; see stalltrace info --help.\n',
    );
  });

  test('ends quietly when its reader does', () => {
    const { status, stderr } = spawnSync(
      'sh',
      ['-c', `"${process.execPath}" out/main/cli.js info "${sample}" --json | head -n 1`],
      { cwd: root, encoding: 'utf8' },
    );
    expect(status).toBe(0);
    expect(stderr).toBe('');
  });

  test('through npm, a path is taken from where the user stands', () => {
    copyFileSync(sample, join(folder, 'here.db'));
    const { status, stdout } = spawnSync(
      'npm',
      ['--prefix', root, 'run', '-s', 'stalltrace', '--', 'info', 'here.db', '--json'],
      {
        cwd: folder,
        encoding: 'utf8',
        env: { ...process.env, INIT_CWD: undefined },
        maxBuffer: 64 << 20,
      },
    );
    expect(status).toBe(0);
    expect(JSON.parse(stdout).file.path).toBe(join(folder, 'here.db'));
    // Where a source has changed since the last build, npm builds first.
  }, 300_000);
});

describe('a compressed trace', () => {
  test('is the trace in it', () => {
    const path = join(folder, 'packed');
    writeFileSync(path, zstdCompressSync(readFileSync(sample)));
    const { file, ...packed } = infoOf('packed');
    const { file: _, ...plain } = infoOf(sample);
    expect(packed).toEqual(plain);
    expect(file).toEqual({ path, sizeBytes: statSync(path).size });
  });

  test('of another program is named, with what to do instead', () => {
    writeFileSync(
      join(folder, 'a.json.gz'),
      gzipSync('{"schema_version": 1.7, "primary_diagnosis": {'),
    );
    const { code, stdout, stderr } = runCli(['info', 'a.json.gz', '--json'], folder);
    expect(code).toBe(1);
    expect(JSON.parse(stdout).error.code).toBe('file-unsupported');
    expect(stderr).toMatch(/^stalltrace: “a\.json\.gz” is a summary by TraceML.*\.\n$/);
  });

  test('is in the library as what is in it, once', () => {
    const home = join(folder, 'home');
    for (const [name, pack] of [
      ['b.db.gz', gzipSync],
      ['b.db.zst', zstdCompressSync],
    ] as const)
      writeFileSync(join(folder, name), pack(readFileSync(sample)));
    const environment = { HOME: home, XDG_DATA_HOME: join(home, 'data') };
    const { code, stdout, stderr } = runCli(
      ['import', 'b.db.gz', 'b.db.zst', '--json'],
      folder,
      environment,
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const [first, second] = JSON.parse(stdout).files;
    const { path, name } = first.added.investigation;
    expect({ name, copy: basename(path) }).toEqual({ name: 'b.db', copy: 'b.db' });
    expect(readFileSync(path).equals(readFileSync(sample))).toBe(true);
    expect(second.added).toMatchObject({ wasKnown: true, investigation: { path } });
    expect(readdirSync(join(home, 'data/stalltrace/files'))).toHaveLength(1);
  });
});

describe('info of the sample', () => {
  test('says that it is synthetic, in JSON and in text', () => {
    expect(infoOf(sample)).toMatchObject({
      format: 'Stalltrace',
      synthetic: expect.stringMatching(/./),
    });
    expect(runCli(['info', sample], folder).stdout).toMatch(/^SYNTHETIC: /m);
  });

  test('says how busy the GPU was by its samples, never as exact', () => {
    const { gpuBusy } = infoOf(sample);
    expect(gpuBusy).toEqual([
      {
        gpu: 0,
        samples: expect.any(Number),
        meanPercent: expect.closeTo(14.3, 1),
        minPercent: 0,
        maxPercent: 59,
        known: 'sampled',
        everyNs: 100_000_000,
      },
    ]);
  });

  test('gives the provenance of every table', () => {
    const { tables } = infoOf(sample);
    expect(Object.keys(tables).length).toBeGreaterThan(10);
    for (const table of Object.values<{ provenance: { kind: string } }>(tables)) {
      expect(table.provenance.kind).toMatch(/^(exact|partial|sampled|aggregated|inferred|absent)$/);
    }
  });
});

describeWith(['sharedData'], 'info of the published investigation', () => {
  const files = ['dataloader_starvation.db', 'empty_cache.db'];

  test.each(files)('%s: counts and totals agree with the independent ones', (name) => {
    const expected = JSON.parse(readFileSync(join(sharedData, 'EXPECTED.json'), 'utf8'))[
      `ingero/${name}`
    ];
    const { operations, machine } = infoOf(join(sharedData, 'ingero', name));
    const sums = new Map<string, { count: number; totalNs: number }>();
    // What is known by the recorder's sums only has no events to be compared.
    for (const operation of operations) {
      if (operation.onlySums) {
        expect(operation).toMatchObject({ count: 0, p50Ns: null, p95Ns: null, p99Ns: null });
        expect(operation.recordedCount).toBeGreaterThan(0);
        continue;
      }
      const key = `${operation.source} ${operation.name}`;
      const sum = sums.get(key) ?? { count: 0, totalNs: 0 };
      sums.set(key, {
        count: sum.count + operation.count,
        totalNs: sum.totalNs + operation.totalNs,
      });
    }
    for (const [source, operation, count, totalNs] of expected.events) {
      expect(sums.get(`${source} ${operation}`), `${source} ${operation}`).toEqual({
        count,
        totalNs,
      });
    }
    expect(sums.size).toBe(expected.events.length);
    const [gpu, cudaVersion, kernel] = expected.session[0];
    expect(machine).toMatchObject({ cudaVersion, kernel });
    expect(gpu).toContain(machine.gpus[0].model);
  });

  test.each(files)('%s: the file and its folder stay as they were', (name) => {
    const path = join(folder, 'original', name);
    const copy = copyToOwnFolder(join(sharedData, 'ingero', name), path);
    const before = { ...stateOf(copy), folder: readdirSync(dirname(copy)) };
    infoOf(copy);
    expect({ ...stateOf(copy), folder: readdirSync(dirname(copy)) }).toEqual(before);
  });

  test('the begin exceeds 2^53 and is a string of digits', () => {
    const { timeRange } = infoOf(join(sharedData, 'ingero', 'dataloader_starvation.db'));
    expect(timeRange.beginUnixNs).toMatch(/^17740155\d{11}$/);
  });

  test('its slowest copy, by nearest rank', () => {
    const { operations } = infoOf(join(sharedData, 'ingero', 'dataloader_starvation.db'));
    const copies = operations.filter((one: { name: string }) => one.name === 'cudaMemcpyAsync');
    expect(copies).toEqual([
      expect.objectContaining({
        source: 'CUDA',
        direction: 'H2D',
        count: 14,
        maxNs: 65_000_369,
        totalNs: 441_155_025,
        p50Ns: 34_810_531,
      }),
    ]);
  });
});

describe('a file that is no trace', () => {
  const cases: [name: string, content: string, code: string][] = [
    ['empty.db', '', 'file-empty'],
    [
      'pointer.db',
      'version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 782336\n',
      'file-lfs-pointer',
    ],
    ['text.db', 'hello '.repeat(500), 'file-not-a-trace'],
  ];

  test.each(cases)('%s fails with one sentence and a code', (name, content, code) => {
    const path = join(folder, name);
    writeFileSync(path, content);
    const { code: exit, stdout, stderr } = runCli(['info', name, '--json'], folder);
    expect(exit).toBe(1);
    expect(JSON.parse(stdout).error.code).toBe(code);
    expect(stderr).toMatch(/^stalltrace: .*\n$/);
    expect(stderr).toContain(name);
    expect(readFileSync(path, 'utf8')).toBe(content);
  });

  test('one that is not there', () => {
    const { code, stdout, stderr } = runCli(['info', 'nowhere.db'], folder);
    expect(code).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toContain(`“nowhere.db” is not in ${folder}: `);
  });
});

function copyToOwnFolder(from: string, to: string): string {
  spawnSync('mkdir', ['-p', dirname(to)]);
  copyFileSync(from, to);
  return to;
}

function stateOf(path: string) {
  const { mtimeNs, size, ino } = statSync(path, { bigint: true });
  return {
    mtimeNs,
    size,
    ino,
    hash: createHash('sha256').update(readFileSync(path)).digest('hex'),
  };
}
