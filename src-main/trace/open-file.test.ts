import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { constants, gzipSync, zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { makeIngeroDatabase } from '../../test/fixtures/ingero/make.ts';
import { describeWith, sharedData } from '../../test/support/requirements.ts';
import type { Trace } from '../shared/model/trace.ts';
import { fail, ok } from '../shared/rpc/result.ts';
import { unpackLimits } from './content/unpack.ts';
import { importers } from './importers.ts';
import { copyFile, type OpenFileOptions, openFile } from './open-file.ts';
import { openTrace } from './open-trace.ts';
import type { Importer } from './source/importer.ts';

let folder: string;
let plain: Buffer;
let expected: Trace;
const at = (name: string) => join(folder, name);
const told: string[] = [];

const options = (more: Partial<OpenFileOptions> = {}): OpenFileOptions => ({
  scratchDir: at('scratch'),
  importers,
  progress: ({ text }) => told.push(text),
  ...more,
});

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalltrace-packed-'));
  makeIngeroDatabase(at('plain.db'), '0.17.0');
  plain = readFileSync(at('plain.db'));
  const opened = openTrace(at('plain.db'), options());
  if (!opened.ok) throw new Error(opened.error.message);
  expected = opened.value;
  mkdirSync(at('in'));
});
afterAll(() => rmSync(folder, { recursive: true }));
beforeEach(() => {
  told.length = 0;
});

/** Opens a file of these bytes, and looks whether all that was made for it is gone. */
async function open(bytes: Buffer, more: Partial<OpenFileOptions> = {}, name = 'run.db.gz') {
  const path = at(join('in', name));
  writeFileSync(path, bytes);
  const before = statSync(path, { bigint: true });
  const opened = await openFile(path, options(more));
  const after = statSync(path, { bigint: true });
  expect([after.mtimeNs, after.ino, after.size]).toEqual([before.mtimeNs, before.ino, before.size]);
  expect(readdirSync(at('in')).filter((each) => each.startsWith(name))).toEqual([name]);
  expect(readdirSync(at('scratch'))).toEqual([]);
  rmSync(path);
  return opened;
}

/** Every refusal calls the file as its user does, whatever lies in the private folder. */
async function refusalOf(bytes: Buffer, more: Partial<OpenFileOptions> = {}) {
  const opened = await open(bytes, more);
  if (opened.ok) throw new Error('it was opened');
  expect(opened.error.message).toMatch(/^[^\n]*“run\.db\.gz”[^\n]+\.$/);
  return opened.error;
}

/** What a reader leaves out, RFC 8878 §3.1.2. */
function skippable(content: string): Buffer {
  const header = Buffer.alloc(8);
  header.writeUInt32LE(0x184d2a53, 0);
  header.writeUInt32LE(content.length, 4);
  return Buffer.concat([header, Buffer.from(content)]);
}

const halves = () => [plain.subarray(0, 5000), plain.subarray(5000)] as const;
const zstdWithSum = (bytes: Buffer) =>
  zstdCompressSync(bytes, { params: { [constants.ZSTD_c_checksumFlag]: 1 } });
const zstdOfTwo = (bytes: Buffer) =>
  Buffer.concat([bytes.subarray(0, 200_000), bytes.subarray(200_000)].map(zstdWithSum));

describe('a packed trace opens as the one in it', () => {
  test.each<readonly [string, () => Buffer]>([
    ['gzip', () => gzipSync(plain)],
    ['gzip, stored', () => gzipSync(plain, { level: 0 })],
    ['gzip of two members', () => Buffer.concat(halves().map((half) => gzipSync(half)))],
    ['gzip with zeros behind it', () => Buffer.concat([gzipSync(plain), Buffer.alloc(512)])],
    ['zstd', () => zstdCompressSync(plain)],
    ['zstd with a checksum', () => zstdWithSum(plain)],
    ['zstd of two frames', () => Buffer.concat(halves().map((half) => zstdWithSum(half)))],
    [
      'zstd between what is left out',
      () => Buffer.concat([skippable('a'), zstdCompressSync(plain), skippable('')]),
    ],
  ])('%s', async (_, pack) => {
    expect(await open(pack())).toEqual(ok(expected));
  });

  test.each(['run', 'run.db.gz', 'run.zst', '....gz', '.gz', 'run.db-wal.gz', 'a b“.db'])(
    'whatever its name is: %s',
    async (name) => {
      expect(await open(gzipSync(plain), {}, name)).toEqual(ok(expected));
    },
  );

  test('and a trace that was recorded with a log', async () => {
    const path = at('wal.db');
    makeIngeroDatabase(path, '0.17.0');
    const writer = new DatabaseSync(path);
    writer.exec('PRAGMA journal_mode = WAL; PRAGMA user_version = 10');
    writer.close();
    const opened = await open(gzipSync(readFileSync(path)));
    expect(opened.ok && opened.value.tables.cuda_call.rows).toBe(expected.tables.cuda_call.rows);
  });
});

describeWith(['zstd'], 'a trace that the program zstd packed', () => {
  test('with its long windows opens', async () => {
    writeFileSync(at('made.db'), plain);
    execFileSync('zstd', ['-q', '-19', '--long=27', at('made.db'), '-o', at('made.zst')]);
    expect(await open(readFileSync(at('made.zst')))).toEqual(ok(expected));
  });
});

test('any frames in any order come out as they went in', async () => {
  const frame = fc.oneof(
    fc.string({ maxLength: 40 }).map((text) => ({ bytes: skippable(text), content: '' })),
    fc
      .tuple(
        fc.string({ maxLength: 300 }),
        fc.integer({ min: 1, max: 3000 }),
        fc.boolean(),
        fc.integer({ min: 1, max: 19 }),
      )
      .map(([text, times, sum, level]) => {
        const params = {
          [constants.ZSTD_c_checksumFlag]: Number(sum),
          [constants.ZSTD_c_compressionLevel]: level,
        };
        const content = text.repeat(times);
        return { bytes: zstdCompressSync(Buffer.from(content), { params }), content };
      }),
  );
  const anything: Importer = {
    format: 'anything',
    recognises: () => true,
    importTrace: ({ parts }) =>
      fail('file-no-events', Buffer.concat([...parts()]).toString('base64')),
  };
  await fc.assert(
    fc.asyncProperty(fc.array(frame, { minLength: 1, maxLength: 6 }), async (frames) => {
      const bytes = Buffer.concat(frames.map((each) => each.bytes));
      const content = Buffer.from(frames.map((each) => each.content).join(''));
      const opened = await open(bytes, { importers: [anything] });
      const expectedCode = content.length === 0 ? 'file-empty' : 'file-no-events';
      expect(!opened.ok && opened.error.code).toBe(expectedCode);
      if (content.length > 0)
        expect(!opened.ok && opened.error.message).toBe(content.toString('base64'));
    }),
    { numRuns: 40, seed: 13 },
  );
});

describe('a packed file that is wrong ends in one sentence', () => {
  const gzip = () => gzipSync(plain);
  const zstd = () => zstdWithSum(plain);
  const flipped = (bytes: Buffer, position: number) => {
    const other = Buffer.from(bytes);
    other[position] = (other[position] ?? 0) ^ 0x55;
    return other;
  };

  test.each([0.02, 0.3, 0.99])('cut off at %d of it', async (part) => {
    for (const bytes of [gzip(), zstd()]) {
      const cut = bytes.subarray(0, Math.floor(bytes.length * part));
      expect(await refusalOf(cut)).toMatchObject({ code: 'file-truncated' });
    }
  });

  test('cut off in its second part', async () => {
    for (const pack of [gzipSync, zstdWithSum]) {
      const whole = Buffer.concat(halves().map((half) => pack(half)));
      expect(await refusalOf(whole.subarray(0, -3))).toMatchObject({ code: 'file-truncated' });
    }
  });

  test('with one wrong byte', async () => {
    for (const bytes of [gzip(), zstd()]) {
      const { code, message } = await refusalOf(flipped(bytes, bytes.length - 6));
      expect(['file-damaged', 'file-truncated', 'file-unsafe']).toContain(code);
      expect(message).toContain('copy it again');
    }
  });

  test('with other bytes behind it', async () => {
    for (const bytes of [gzip(), zstd()]) {
      const { code, message } = await refusalOf(Buffer.concat([bytes, Buffer.from('more bytes')]));
      expect(code).toBe('file-damaged');
      expect(message).toMatch(/goes on with other bytes.*`(gzip|zstd) -d`/);
    }
  });

  test('that needs gigabytes to be unpacked', async () => {
    const params = { [constants.ZSTD_c_windowLog]: 30 };
    const bytes = zstdCompressSync(Buffer.alloc(2 ** 28), { params });
    expect((await refusalOf(bytes)).message).toContain('`zstd -d --long=31`');
  });

  test('packed twice', async () => {
    for (const bytes of [gzipSync(zstd()), zstdCompressSync(gzip())])
      expect((await refusalOf(bytes)).message).toContain('is compressed twice: unpack it once');
  });

  test('with nothing in it', async () => {
    for (const bytes of [gzipSync(''), zstdCompressSync(Buffer.alloc(0)), skippable('x')])
      expect(await refusalOf(bytes)).toMatchObject({ code: 'file-empty' });
  });

  test('with half a trace in it', async () => {
    const half = plain.subarray(0, 9000);
    expect(await refusalOf(gzipSync(half))).toMatchObject({ code: 'file-truncated' });
  });
});

describe('a packed database that is no trace is called as its user calls it', () => {
  const database = (sql: string, journal = 'delete') => {
    const path = at('other.db');
    const made = new DatabaseSync(path);
    made.exec(`PRAGMA journal_mode = ${journal}; ${sql}`);
    made.close();
    const bytes = readFileSync(path);
    rmSync(path);
    return bytes;
  };
  const exported = () =>
    database('CREATE TABLE StringTable (id); CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (id)');
  const of = async (name: string, bytes: Buffer) => {
    const opened = await open(bytes, {}, name);
    return opened.ok ? undefined : opened.error.message;
  };

  test.each([
    ['ns.gz', gzipSync],
    ['ns.sqlite.gz', gzipSync],
    ['ns.zst', zstdCompressSync],
    ['ns', zstdCompressSync],
  ])('%s', async (name, pack) => {
    expect(await of(name, pack(exported()))).toMatch(`“${name}” is a profile by nvprof`);
    const strange = database('CREATE TABLE places (id)');
    expect(await of(name, pack(strange))).toMatch(`“${name}” is a database, but no trace`);
  });

  test('also where it lies under another name already', async () => {
    const opened = await open(exported(), { fileName: 'ns.gz' }, 'ns');
    expect(opened).toMatchObject({
      error: { message: expect.stringContaining('“ns.gz” is a profile') },
    });
  });

  test('but its log as that is called', async () => {
    expect(await of('ns.db.gz', gzipSync(database('', 'wal')))).toMatch(
      '“ns.db.gz” has no tables yet: its data is in “ns.db-wal”',
    );
  });
});

describe('a bomb', () => {
  const limits = { ...unpackLimits, ratioFromBytes: 2 ** 20, ratio: 100 };
  const bomb = (sizeBytes: number) =>
    Buffer.concat([plain.subarray(0, 4096), Buffer.alloc(sizeBytes)]);

  test.each([
    ['gzip', gzipSync],
    ['zstd', zstdCompressSync],
  ])('of %s is left when it shows', async (_, pack) => {
    const { code, message } = await refusalOf(pack(bomb(2 ** 25)), { limits });
    expect(code).toBe('file-unsafe');
    expect(message).toContain('far more than any trace');
  });

  test('of many small frames is left as well', async () => {
    const frame = zstdCompressSync(Buffer.alloc(2 ** 17));
    const frames = Buffer.concat([
      zstdCompressSync(bomb(0)),
      ...Array.from({ length: 400 }, () => frame),
    ]);
    expect(await refusalOf(frames, { limits })).toMatchObject({ code: 'file-unsafe' });
  });

  test('never takes the room that others need', async () => {
    const asked: string[] = [];
    let free = 2 ** 28 + 2 ** 25;
    const freeBytes = async (where: string) => {
      asked.push(where);
      free -= 2 ** 24;
      return free;
    };
    const refused = await refusalOf(gzipSync(bomb(2 ** 25)), { freeBytes });
    expect(refused).toMatchObject({ code: 'disk-full' });
    expect(refused.message).toContain('free some and try again');
    expect(asked.every((each) => each.startsWith(at('scratch')))).toBe(true);
    expect(told).toContain('Unpacking run.db.gz');
  });
});

describe('a copy of a packed trace', () => {
  test('is the trace itself, with its hash', async () => {
    writeFileSync(at('in/run.db.gz'), gzipSync(plain));
    writeFileSync(at('in/run.db'), plain);
    const unpacked = await copyFile(at('in/run.db.gz'), at('copy.db'), options());
    const copied = await copyFile(at('in/run.db'), at('copy2.db'), options());
    expect(unpacked).toEqual(copied);
    expect(readFileSync(at('copy.db')).equals(plain)).toBe(true);
    expect(statSync(at('copy.db')).mode & 0o777).toBe(0o600);
  });

  test.each([
    [
      'what is no trace',
      () => gzipSync('{"schema_version": 1.7, "primary_diagnosis": {}}'),
      'file-unsupported',
    ],
    ['what is cut off', () => gzipSync(plain).subarray(0, -20), 'file-truncated'],
    [
      'JSON',
      () => Buffer.from('{"schema_version": 1.7, "primary_diagnosis": {}}'),
      'file-unsupported',
    ],
  ])('of %s leaves nothing', async (_, make, code) => {
    writeFileSync(at('in/other'), make());
    expect(await copyFile(at('in/other'), at('none.db'), options())).toMatchObject({
      error: { code },
    });
    expect(readdirSync(folder)).not.toContain('none.db');
  });
});

describe('a packed trace of JSON that is cut off', () => {
  const events = Array.from({ length: 5000 }, (_, at) =>
    JSON.stringify({
      ...{ ph: 'X', cat: 'cpu_op', name: `op ${(at * at * 7919) % 99_991}`, pid: 1, tid: 1 },
      ...{ ts: at * 10, dur: 5 },
    }),
  );
  const json = Buffer.from(`{"schemaVersion": 1, "traceEvents": [${events.join(', ')}]}`);
  const packings = [
    ['gzip', gzipSync(json)],
    ['zstd', zstdWithSum(json)],
    ['zstd of two frames', zstdOfTwo(json)],
  ] as const;

  test.each(packings)('with %s keeps what can be unpacked', async (_, packed) => {
    const cut = packed.subarray(0, Math.floor(packed.length * 0.6));
    const opened = await open(cut, {}, 'run.json.gz');
    if (!opened.ok) throw new Error(opened.error.message);
    const { tables, notices } = opened.value;
    expect(tables.range.rows).toBeGreaterThan(1000);
    expect(tables.range.rows).toBeLessThan(4000);
    expect(tables.range.provenance.kind).toBe('partial');
    expect(notices.map(({ text }) => text).join()).toContain(
      'The file ends in the middle of its events',
    );
    writeFileSync(at('in/run.json.gz'), cut);
    expect((await copyFile(at('in/run.json.gz'), at('cut.json'), options())).ok).toBe(true);
    const copy = readFileSync(at('cut.json'));
    expect(json.subarray(0, copy.length).equals(copy)).toBe(true);
    rmSync(at('cut.json'));
  });

  test.each(packings)(
    'with %s lacks nothing where only its checksum is lost',
    async (_, packed) => {
      const opened = await open(packed.subarray(0, -3), {}, 'run.json.gz');
      expect(opened.ok && opened.value.tables.range).toMatchObject({
        rows: 5000,
        provenance: { kind: 'exact' },
      });
    },
  );

  test.each(packings)('with %s is refused where nothing of it can be told', async (_, packed) => {
    expect(await refusalOf(packed.subarray(0, 12))).toMatchObject({ code: 'file-truncated' });
  });

  test('is refused where bytes of it are wrong', async () => {
    const wrong = Buffer.from(gzipSync(json));
    wrong.fill(0xff, 5000, 5100);
    expect(await refusalOf(wrong)).toMatchObject({ code: 'file-damaged' });
  });
});

describe('a format that is no database', () => {
  const events = Array.from({ length: 600_000 }, (_, index) => `{"event":${index}}`).join('\n');
  const lines: Importer = {
    format: 'lines',
    recognises: ({ head, database }) =>
      database === undefined && head.toString('latin1', 0, 9) === '{"event":',
    importTrace({ parts, sizeBytes }) {
      const largest = Math.max(...[...parts()].map(({ length }) => length));
      const length = [...parts()].reduce((sum, part) => sum + part.length, 0);
      return fail('file-no-events', `${length} of ${sizeBytes}, ${largest > 2 ** 18}`);
    },
  };
  const withLines = { importers: [...importers, lines] };

  test('is told by its begin, and read in parts, packed or not', async () => {
    const sentence = `${events.length} of ${events.length}, false`;
    for (const bytes of [Buffer.from(events), gzipSync(events), zstdCompressSync(events)]) {
      const opened = await open(bytes, withLines);
      expect(!opened.ok && opened.error.message).toBe(sentence);
    }
  });

  test('is copied as it is, packed or not, where an importer says it is its own', async () => {
    writeFileSync(at('in/run.jsonl'), events);
    writeFileSync(at('in/run.jsonl.gz'), gzipSync(events));
    const sha256 = createHash('sha256').update(events).digest('hex');
    for (const name of ['run.jsonl', 'run.jsonl.gz']) {
      const copied = await copyFile(at(`in/${name}`), at('copy.jsonl'), options(withLines));
      expect(copied).toEqual(ok({ sha256, sizeBytes: events.length }));
      expect(readFileSync(at('copy.jsonl'), 'utf8')).toBe(events);
      expect(statSync(at('copy.jsonl')).mode & 0o777).toBe(0o600);
      rmSync(at('copy.jsonl'));
    }
    const refused = await copyFile(at('in/run.jsonl'), at('copy.jsonl'), options());
    expect(refused).toMatchObject({ error: { code: 'file-not-a-trace' } });
    expect(readdirSync(folder)).not.toContain('copy.jsonl');
  });

  test('of which the copy can’t be whole leaves nothing, and what was there stays', async () => {
    const path = at('in/growing.jsonl');
    writeFileSync(path, events);
    const progress = () => appendFileSync(path, '{"event":0}\n');
    const grown = await copyFile(path, at('copy.jsonl'), options({ ...withLines, progress }));
    expect(grown).toMatchObject({ error: { code: 'file-busy' } });
    expect(readdirSync(folder)).not.toContain('copy.jsonl');
    writeFileSync(at('taken.jsonl'), 'mine');
    expect((await copyFile(path, at('taken.jsonl'), options(withLines))).ok).toBe(false);
    expect(readFileSync(at('taken.jsonl'), 'utf8')).toBe('mine');
  });
});

describeWith(['sharedData'], 'an export of Nsight Systems', () => {
  test('is opened packed as it is unpacked', async () => {
    const content = readFileSync(join(sharedData, 'nsys/nsysai_mock.sqlite'));
    const plain = await open(content);
    const packed = await open(zstdCompressSync(content));
    expect(plain).toMatchObject({ ok: true, value: { meta: { format: 'Nsight Systems' } } });
    expect(packed).toEqual(plain);
  });
});
