import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  createWriteStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pipeline } from 'node:stream/promises';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readArchive } from '../../src-main/archive/read-archive.ts';
import { writeArchive } from '../../src-main/archive/write-archive.ts';
import { readPerfetto } from '../../src-main/report/testing/read-perfetto.ts';
import { builtFile } from '../support/built.ts';
import { describeWith, sharedData } from '../support/requirements.ts';
import { runCli } from '../support/run-cli.ts';
import { simulatedTrace as sample } from '../support/simulated-trace.ts';

let folder: string;
let data: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalltrace-export-'));
  data = join(folder, 'data');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const run = (...args: string[]) => runCli(args, folder, { STALLTRACE_DATA_DIR: data });

/** What a command printed that must not fail. */
function outputOf(...args: string[]): string {
  const { code, stdout, stderr } = run(...args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
}

/** What is left in the data folder of what an export needed for itself. */
const leftovers = () => {
  const scratch = join(data, 'scratch');
  return existsSync(scratch) ? readdirSync(scratch) : [];
};

const NOTE = {
  id: '6f1f2f0e-7d0c-4a6b-9f43-0d2b8f6f3a51',
  kind: 'note',
  text: 'Two workers fight over CPU three here.',
  startNs: 1_000_000,
  endNs: 2_000_000,
  createdAt: '2026-01-02T03:04:05.000Z',
  updatedAt: '2026-01-02T03:04:06.000Z',
} as const;

/** A colleague's .stalltrace file of the sample. */
async function makeArchive(name: string): Promise<string> {
  const trace = await open(sample);
  const packed = writeArchive({
    creator: 'a test',
    name: 'The colleague’s run',
    tags: ['rtx-4090'],
    verdict: { kind: 'input-bound', text: 'Too few CPUs' },
    notes: [NOTE],
    view: { tab: 'timeline', window: { startNs: 1_000_000, endNs: 9_000_000 } },
    traceName: 'run.db',
    traceBytes: readFileSync(sample).length,
    trace,
  });
  if (!packed.ok) throw new Error(packed.error.message);
  const path = join(folder, name);
  await pipeline(packed.value, createWriteStream(path));
  await trace.close();
  return path;
}

async function unpack(path: string) {
  const into = mkdtempSync(join(folder, 'into-'));
  const context = { signal: new AbortController().signal, progress: () => undefined };
  const unpacked = await readArchive(path, into, context);
  if (!unpacked.ok) throw new Error(unpacked.error.message);
  return unpacked.value;
}

describe('export of the sample', () => {
  test('all outputs at once; the user’s library does not learn of it', async () => {
    const said = outputOf(
      ...['export', sample, '--markdown', 'a.md', '--svg', 'a.svg', '--stalltrace', 'a.zip'],
    );
    expect(said.trim().split('\n')).toEqual([
      expect.stringMatching(/\/a\.md \(.+KiB\)$/),
      expect.stringMatching(/\/a\.svg \(.+KiB\)$/),
      expect.stringMatching(/\/a\.zip \(.+KiB\)$/),
    ]);
    expect(readFileSync(join(folder, 'a.md'), 'utf8')).toMatch(
      /^## \d+\s% of each step waits for data\n/,
    );
    expect(readFileSync(join(folder, 'a.svg'), 'utf8')).toMatch(/^<svg [\s\S]*<\/svg>\s*$/);
    const { tracePath, traceName, notes } = await unpack(join(folder, 'a.zip'));
    expect(readFileSync(tracePath).equals(readFileSync(sample))).toBe(true);
    expect({ traceName, notes }).toEqual({
      traceName: 'dataloader-starvation.trace.db',
      notes: [],
    });
    expect(existsSync(join(data, 'library.db'))).toBe(false);
    expect(leftovers()).toEqual([]);
  });

  test('what is named wins: a call, a stretch, a theme, a width', () => {
    const report = outputOf('export', sample, '--markdown', '-', '--call', '7');
    expect(report).not.toBe(outputOf('export', sample, '--markdown', '-'));
    const picture = outputOf(
      ...['export', sample, '--svg', '-', '--from', '1s', '--to', '2s', '--width', '640'],
    );
    expect(picture).toMatch(/^<svg [^>]*width="640"/);
    expect(picture).toContain('+1.000');
    const dark = ['--from', '1s', '--to', '2s', '--width', '640', '--theme', 'dark'];
    expect(outputOf('export', sample, '--svg', '-', ...dark)).not.toBe(picture);
  });

  test('a file that exists is kept without --force, and nothing else is written', () => {
    writeFileSync(join(folder, 'a.svg'), 'mine');
    const args = ['export', sample, '--markdown', 'a.md', '--svg', 'a.svg'];
    const { code, stdout, stderr } = run(...args);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/a\.svg exists already: choose another name, or add --force\.\n$/);
    expect(readFileSync(join(folder, 'a.svg'), 'utf8')).toBe('mine');
    expect(existsSync(join(folder, 'a.md'))).toBe(false);
    outputOf(...args, '--force');
    expect(readFileSync(join(folder, 'a.svg'), 'utf8')).toMatch(/^<svg/);
  });

  test('the file itself is never written over', () => {
    copyFileSync(sample, join(folder, 'run.db'));
    for (const output of ['--markdown', '--svg', '--stalltrace']) {
      const { code, stderr } = run('export', 'run.db', output, './run.db', '--force');
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: expect.stringMatching(/choose another/),
      });
    }
    expect(readFileSync(join(folder, 'run.db')).equals(readFileSync(sample))).toBe(true);
  });

  test('what goes wrong is one sentence', () => {
    const cases: [args: string[], code: number][] = [
      [['export', sample], 2],
      [['export', sample, '--svg', 'a', '--from', '1'], 2],
      [['export', 'nowhere.db', '--svg', 'a'], 1],
      [['export', folder, '--svg', 'a'], 1],
      [['export', sample, '--svg', 'missing/a'], 1],
      [['export', sample, '--svg', '/dev/full'], 1],
      [['export', sample, '--svg', 'a', '--call', '999999999'], 1],
      [['export', sample, '--svg', 'a', '--slowest', 'cudaNothing'], 1],
      [['export', sample, '--svg', 'a', '--from', '1h'], 1],
      [['import'], 2],
      [['import', 'nowhere.db'], 1],
      [['library', 'more'], 2],
    ];
    for (const [args, code] of cases) {
      const failed = run(...args);
      expect({ args, code: failed.code, stdout: failed.stdout }).toEqual({
        args,
        code,
        stdout: '',
      });
      expect(failed.stderr).toMatch(/^stalltrace: [^\n]+\.\n$/);
      if (code === 2) expect(failed.stderr).toMatch(/; see stalltrace \w+ --help\.\n$/);
    }
    expect(readdirSync(folder).filter((name) => name !== 'data')).toEqual([]);
  });

  test('ends quietly when its reader does; the other output is written', () => {
    const command = `"${process.execPath}" "${builtFile('main/cli.js')}" export "${sample}" --svg - --markdown "${folder}/a.md" --stalltrace "${folder}/a.zip"`;
    const { status, stdout, stderr } = spawnSync(
      'bash',
      ['-c', `set -o pipefail; ${command} | head -c 20`],
      { encoding: 'utf8', env: { ...process.env, STALLTRACE_DATA_DIR: data } },
    );
    expect({ status, stdout }).toEqual({ status: 0, stdout: '<svg xmlns="http://w' });
    expect(stderr).toMatch(/^\S+a\.md \(.*\)\n\S+a\.zip \(.*\)\n$/);
    expect(existsSync(join(folder, 'a.zip'))).toBe(true);
  });

  test('Ctrl+C in the midst of it leaves nothing', async () => {
    const child = spawn(
      process.execPath,
      [builtFile('main/cli.js'), 'export', sample, '--stalltrace', join(folder, 'a.zip')],
      { env: { ...process.env, STALLTRACE_DATA_DIR: data }, stdio: ['ignore', 'pipe', 'pipe'] },
    );
    let stderr = '';
    child.stderr.on('data', (bytes) => {
      stderr += String(bytes);
    });
    await expect.poll(leftovers, { interval: 5 }).not.toEqual([]);
    child.kill('SIGINT');
    const [code] = await once(child, 'exit');
    expect({ code, stderr }).toEqual({ code: 130, stderr: 'stalltrace: Cancelled.\n' });
    expect(leftovers()).toEqual([]);
    expect(existsSync(join(folder, 'a.zip'))).toBe(false);
  });
});

describe('a .stalltrace file', () => {
  test('brings its notes into a report, unless they are not wanted', async () => {
    const archive = await makeArchive('mail attachment.bin');
    expect(outputOf('export', archive, '--markdown', '-')).toContain('fight over CPU three');
    expect(outputOf('export', archive, '--markdown', '-', '--no-notes')).not.toContain(
      'fight over CPU three',
    );
    expect(existsSync(join(data, 'library.db'))).toBe(false);
    expect(leftovers()).toEqual([]);
  });

  test('exported again it holds the same', async () => {
    const archive = await makeArchive('a.stalltrace');
    outputOf('export', archive, '--stalltrace', 'b.stalltrace');
    const first = await unpack(archive);
    const second = await unpack(join(folder, 'b.stalltrace'));
    expect({ ...second, tracePath: '' }).toEqual({ ...first, tracePath: '' });
  });

  test('is restored by import: name, tags, verdict, notes, view', async () => {
    const archive = await makeArchive('a.stalltrace');
    const { files } = JSON.parse(outputOf('import', archive, '--json'));
    expect(files).toEqual([
      {
        file: archive,
        added: {
          wasKnown: false,
          notesAdded: 1,
          bookmarksAdded: 0,
          investigation: expect.objectContaining({
            name: 'The colleague’s run',
            tags: ['rtx-4090'],
            verdict: { kind: 'input-bound', text: 'Too few CPUs' },
            notes: 1,
            storage: 'copied',
            state: 'ok',
          }),
        },
      },
    ]);
    // The archive itself is not needed any more.
    rmSync(archive);
    const { path } = files[0].added.investigation;
    outputOf('export', path, '--stalltrace', 'b.stalltrace');
    expect(await unpack(join(folder, 'b.stalltrace'))).toMatchObject({
      traceName: 'run.db',
      notes: [NOTE],
      view: { tab: 'timeline', window: { startNs: 1_000_000, endNs: 9_000_000 } },
    });
    expect(outputOf('library', '--search', 'fight')).toContain('The colleague’s run');
    expect(outputOf('export', path, '--markdown', '-')).toContain('fight over CPU three');
    // The same bytes elsewhere, and compressed.
    writeFileSync(join(folder, 'again.db.gz'), gzipSync(readFileSync(sample)));
    for (const same of [sample, 'again.db.gz'])
      expect(outputOf('export', same, '--markdown', '-')).toContain('fight over CPU three');
    expect(leftovers()).toEqual([]);
  });

  test('of a trace that is known already brings what is not there', async () => {
    copyFileSync(sample, join(folder, 'mine.db'));
    outputOf('import', 'mine.db');
    const archive = await makeArchive('a.stalltrace');
    const added = () => JSON.parse(outputOf('import', archive, '--json')).files[0].added;
    expect(added()).toMatchObject({
      wasKnown: true,
      notesAdded: 1,
      investigation: {
        name: 'mine.db',
        path: expect.stringMatching(/mine\.db$/),
        tags: ['rtx-4090'],
        verdict: { kind: 'input-bound', text: 'Too few CPUs' },
        notes: 1,
      },
      merged: { tagsAdded: 1, verdictAdded: true, kept: ['name'] },
    });
    expect(added()).toMatchObject({
      wasKnown: true,
      notesAdded: 0,
      merged: { tagsAdded: 0, verdictAdded: false, kept: ['name'] },
    });
    expect(outputOf('import', archive)).toContain('mine.db: known already; your name stays (');
    const { investigations } = JSON.parse(outputOf('library', '--json'));
    expect(investigations).toHaveLength(1);
  });

  test('is described by info like the trace in it', async () => {
    const archive = await makeArchive('a.stalltrace');
    const { operations, file } = JSON.parse(outputOf('info', archive, '--json'));
    expect(file.path).toBe(archive);
    expect(operations).toEqual(JSON.parse(outputOf('info', sample, '--json')).operations);
    expect(leftovers()).toEqual([]);
  });

  test('that is damaged, cut off or no archive adds nothing', async () => {
    const whole = readFileSync(await makeArchive('a.stalltrace'));
    const cut = join(folder, 'cut.stalltrace');
    writeFileSync(cut, whole.subarray(0, whole.length - 500));
    const broken = Buffer.from(whole);
    broken.fill(0xff, 5_000, 5_100);
    const damaged = join(folder, 'damaged.stalltrace');
    writeFileSync(damaged, broken);
    const { code, stdout } = run('import', cut, damaged, '--json');
    expect(code).toBe(1);
    expect(JSON.parse(stdout).files).toMatchObject([
      { file: cut, error: { code: 'archive-incomplete' } },
      { file: damaged, error: { code: 'archive-damaged' } },
    ]);
    expect(JSON.parse(outputOf('library', '--json'))).toEqual({ investigations: [] });
    const kept = readdirSync(data, { recursive: true }).filter((name) =>
      /trace\.db|run\.db/.test(String(name)),
    );
    expect(kept).toEqual([]);
  });
});

test('an older trace is packed without where its machine’s kernel lay', async () => {
  const path = join(folder, 'run.db');
  copyFileSync(sample, path);
  const old = new DatabaseSync(path);
  old.exec(`INSERT INTO frame (symbol, file, address)
    VALUES ('do_idle', '[kernel]', -2130706431), (NULL, '/usr/bin/x', 4096)`);
  old.close();
  const before = readFileSync(path);
  outputOf('export', path, '--stalltrace', 'a.stalltrace');
  expect(readFileSync(path).equals(before)).toBe(true);
  const { tracePath } = await unpack(join(folder, 'a.stalltrace'));
  const packed = new DatabaseSync(tracePath, { readOnly: true });
  const frames = packed
    .prepare('SELECT symbol, address FROM frame ORDER BY rowid DESC LIMIT 2')
    .all();
  packed.close();
  expect(frames.map((row) => Object.values(row))).toEqual([
    [null, 4096],
    ['do_idle', null],
  ]);
  expect(readFileSync(tracePath).includes(Buffer.from('81000001', 'hex'))).toBe(false);
  expect(leftovers()).toEqual([]);
});

test('a trace whose recorder still runs is packed whole', async () => {
  const path = join(folder, 'live.db');
  copyFileSync(sample, path);
  const recorder = new DatabaseSync(path);
  try {
    recorder.exec('PRAGMA journal_mode=WAL; PRAGMA wal_autocheckpoint=0;');
    recorder.exec('CREATE TABLE later (x); INSERT INTO later VALUES (7);');
    expect(existsSync(`${path}-wal`)).toBe(true);
    outputOf('export', path, '--stalltrace', 'a.stalltrace');
  } finally {
    recorder.close();
  }
  const { tracePath } = await unpack(join(folder, 'a.stalltrace'));
  const copy = new DatabaseSync(tracePath, { readOnly: true });
  expect(copy.prepare('SELECT x FROM later').get()).toMatchObject({ x: 7 });
  copy.close();
  expect(leftovers()).toEqual([]);
});

describe('a trace for Perfetto', () => {
  /** Of `path`, with each call as a slice under its row. */
  const callsIn = (path: string) =>
    readPerfetto(readFileSync(path))
      .tracks.flatMap(({ events }) => events)
      .filter(({ numbers }) => numbers['row of cuda_call'] !== undefined)
      .sort((a, b) => (a.numbers['row of cuda_call'] ?? 0) - (b.numbers['row of cuda_call'] ?? 0));

  test('has every call to the ns', () => {
    const printed = outputOf('export', sample, '--perfetto', 'a.pftrace');
    expect(printed).toMatch(/a\.pftrace \(\d/);
    const database = new DatabaseSync(sample, { readOnly: true });
    const rows = `SELECT text AS name, start_ns AS startNs, duration_ns AS durationNs
      FROM cuda_call JOIN name ON name.id = op_id ORDER BY start_ns`;
    const stored = database.prepare(rows).all();
    database.close();
    const calls = callsIn(join(folder, 'a.pftrace'));
    expect(stored.length).toBeGreaterThan(100);
    const told = calls.map(({ name, startNs, durationNs }) => ({ name, startNs, durationNs }));
    expect(told).toEqual(stored.map((row) => ({ ...row })));
  });

  test('keeps a file that exists, unless told otherwise', () => {
    writeFileSync(join(folder, 'a.pftrace'), 'mine');
    expect(run('export', sample, '--perfetto', 'a.pftrace')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('exists already'),
    });
    expect(readFileSync(join(folder, 'a.pftrace'), 'utf8')).toBe('mine');
    outputOf('export', sample, '--perfetto', 'a.pftrace', '--force');
    expect(callsIn(join(folder, 'a.pftrace')).length).toBeGreaterThan(100);
  });

  test('hides what is private, unless told otherwise', () => {
    const path = join(folder, 'private.db');
    copyFileSync(sample, path);
    const database = new DatabaseSync(path);
    database.exec(`UPDATE process SET name = '/home/ada/train --token=abc123'`);
    database.close();
    outputOf('export', path, '--perfetto', 'hidden.pftrace');
    outputOf('export', path, '--perfetto', 'shown.pftrace', '--show-private');
    const holds = (name: string) => readFileSync(join(folder, name)).includes('ada');
    expect([holds('hidden.pftrace'), holds('shown.pftrace')]).toEqual([false, true]);
  });
});

describeWith(['sharedData'], 'export of the published investigation', () => {
  beforeEach(() => {
    mkdirSync(data);
    copyFileSync(join(sharedData, 'ingero/dataloader_starvation.db'), join(folder, 'real.db'));
  });

  test('the slowest copy, in raw ns, without private words', () => {
    const about = ['export', 'real.db', '--slowest', 'cudaMemcpyAsync', '--markdown', '-'];
    const short = outputOf(...about);
    expect(short).toContain('65000369 ns');
    expect(short.split('\n').length).toBeLessThanOrEqual(61);
    const report = outputOf(...about, '--long');
    expect(report).toContain('65000369 ns');
    expect(report).toContain('419430400 bytes');
    expect(report).toContain('\ngantt\n');
    const open = outputOf('export', 'real.db', '--markdown', '-', '--show-private');
    const hidden = outputOf('export', 'real.db', '--markdown', '-');
    const hides = 'Host, user names, paths and arguments were hidden';
    expect(hidden).toContain(hides);
    expect(hidden).not.toContain('| Host |');
    expect(open).not.toContain(hides);
  });

  test('the file in the library, with the notes that came with a .stalltrace file of it', async () => {
    outputOf('import', 'real.db');
    outputOf('export', 'real.db', '--stalltrace', 'real.stalltrace');
    const { sizeBytes, traceName } = await unpack(join(folder, 'real.stalltrace'));
    expect({ sizeBytes, traceName }).toEqual({ sizeBytes: 782_336, traceName: 'real.db' });
  });

  test('a trace for Perfetto, with what it counts and measures', () => {
    outputOf('export', 'real.db', '--perfetto', 'real.pftrace');
    const { tracks } = readPerfetto(readFileSync(join(folder, 'real.pftrace')));
    expect(tracks.filter(({ values }) => values.length > 0).length).toBeGreaterThan(3);
    const longest = tracks.flatMap(({ events }) => events);
    expect(longest.some(({ durationNs }) => durationNs === 65_000_369)).toBe(true);
  });

  test('a picture of the moment of the slowest copy', () => {
    const picture = outputOf('export', 'real.db', '--slowest', 'cudaMemcpyAsync', '--svg', '-');
    expect(picture).toMatch(/\+13\.0\d+/);
  });
});
