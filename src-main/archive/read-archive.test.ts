import { deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { unpackLimits } from '../trace/content/unpack.ts';
import { archiveLimits } from './limits.ts';
import { archiveFolder } from './testing/archive-folder.ts';
import { archiveEntries, type BuiltEntry, buildZip } from './testing/build-zip.ts';
import { hostileArchives, readHostile } from './testing/hostile-archives.ts';

let folder: ReturnType<typeof archiveFolder>;
beforeEach(() => {
  folder = archiveFolder();
});
afterEach(() => folder.remove());

/** The failure of reading `bytes`, once nothing was left behind by it. */
async function failureOf(bytes: Buffer, limits = archiveLimits) {
  folder.write(bytes);
  const read = await folder.read(limits);
  expect(folder.files()).toEqual(['a.stalltrace']);
  if (read.ok) throw new Error('this archive was read');
  expect(read.error.message).toMatch(/^(?:[A-Z].* )?“a\.stalltrace” .+\.$/);
  return read.error;
}

function changed(index: number, change: Partial<BuiltEntry>, options = {}): Buffer {
  const entries = archiveEntries(options).map((entry, at) =>
    at === index ? { ...entry, ...change } : entry,
  );
  return buildZip(entries);
}

test('the built archive is a valid one', async () => {
  folder.write(buildZip(archiveEntries({ view: { tab: 'overview' } })));
  expect(await folder.read()).toMatchObject({
    ok: true,
    value: { name: 'A name', tags: ['one'], view: { tab: 'overview' }, notes: [] },
  });
  expect(folder.files()).toEqual(['a.stalltrace', 'into/trace.db']);
});

test('a trace in an archive is limited as one that is packed alone', () => {
  const { bytes: traceBytes, ...limits } = unpackLimits;
  expect(archiveLimits).toMatchObject({ traceBytes, ...limits });
});

test('a ZIP archive of something else is to be unpacked', async () => {
  const { code, message } = await failureOf(buildZip([{ name: 'run.db', data: Buffer.from('x') }]));
  expect(code).toBe('archive-unsafe');
  expect(message).toContain('unpack it, and open the trace that is in it');
});

describe('unsafe', () => {
  const secret = { name: '', data: Buffer.from('secret') };
  const names = [
    '../a.db',
    'trace/../../a.db',
    'trace/..',
    '/etc/cron.d/a',
    'C:\\a.db',
    'C:/a.db',
    'trace\\a.db',
    'trace/a\\b.db',
    'trace/a\u0000.db',
    'trace/a/b.db',
    'trace/',
    '',
    'x'.repeat(5_000),
    '__proto__',
  ];
  test.each(names)('an entry named %j', async (name) => {
    const more = buildZip([...archiveEntries(), { ...secret, name }]);
    expect((await failureOf(more)).code).toBe('archive-unsafe');
    const instead = changed(1, { name });
    expect((await failureOf(instead)).code).toBe('archive-unsafe');
  });

  const trace = Buffer.from('a trace '.repeat(500));
  const cases: [what: string, bytes: () => Buffer][] = [
    [
      'an entry that its list does not name',
      () => buildZip([...archiveEntries(), { ...secret, name: 'view.json' }]),
    ],
    ['a second trace', () => buildZip([...archiveEntries(), { ...secret, name: 'trace/b.db' }])],
    [
      'the same name twice',
      () => buildZip([...archiveEntries(), { name: 'trace/a.db', data: trace }]),
    ],
    ['a symbolic link', () => changed(1, { mode: 0o120777 })],
    ['a folder', () => changed(1, { mode: 0o040755 })],
    ['a device', () => changed(1, { mode: 0o020666 })],
    ['encryption', () => changed(1, { flags: 0x801 })],
    ['a masked directory', () => changed(1, { flags: 0x2800 })],
    ['an unknown compression', () => changed(1, { method: 14 })],
    [
      'overlapping entries',
      () => {
        const [manifest, first, notes] = archiveEntries();
        return buildZip([manifest, first, notes, { ...first, name: 'trace/b.db', sameAs: 1 }]);
      },
    ],
    ['bytes between entries', () => changed(1, { gap: Buffer.from('hidden') })],
    [
      'a comment at its end',
      () => {
        const bytes = buildZip(archiveEntries(), Buffer.from('hi'));
        bytes.writeUInt16LE(2, bytes.length - 4);
        return bytes;
      },
    ],
    ['a trace of another size', () => changed(1, { data: Buffer.from('shorter') })],
    [
      'a thousand entries',
      () => {
        const many = Array.from({ length: 1_000 }, (_, at) => ({ ...secret, name: `trace/${at}` }));
        return buildZip(many);
      },
    ],
    ['a huge manifest', () => changed(0, { data: Buffer.alloc(1_000_001, ' ') })],
  ];
  test.each(cases)('%s', async (_what, bytes) => {
    expect((await failureOf(bytes())).code).toBe('archive-unsafe');
  });

  test('bytes before it', async () => {
    const { code } = await failureOf(
      Buffer.concat([Buffer.from('PK\x03\x04'), buildZip(archiveEntries())]),
    );
    expect(code).toMatch(/^archive-(unsafe|damaged)$/);
  });

  test('parts beyond the limits', async () => {
    const bytes = buildZip(archiveEntries({ view: { tab: 'overview' } }));
    for (const limit of ['notesBytes', 'viewBytes', 'traceBytes'] as const) {
      const failure = await failureOf(bytes, { ...archiveLimits, [limit]: 1 });
      expect(failure.code, limit).toBe('archive-unsafe');
    }
  });

  test('a bomb that says how large it is', async () => {
    const zeros = buildZip(archiveEntries({ trace: Buffer.alloc(2_000_000) }));
    const limits = { ...archiveLimits, ratioFromBytes: 1_000_000 };
    expect(await failureOf(zeros, limits)).toMatchObject({
      code: 'archive-unsafe',
      message: expect.stringContaining('1.907 MiB'),
    });
  });
});

describe('damaged', () => {
  const trace = Buffer.from('a trace '.repeat(500));
  const cases: [what: string, bytes: () => Buffer][] = [
    // What it unpacks to is 1,000 times what it and its list of contents say.
    ['a bomb that lies', () => changed(1, { packed: deflateRawSync(Buffer.alloc(4_000_000)) })],
    ['a trace that ends early', () => changed(1, { packed: deflateRawSync(trace.subarray(9)) })],
    ['a trace with other bytes', () => changed(1, { data: Buffer.from('another '.repeat(500)) })],
    [
      'bytes after the packed data',
      () => changed(1, { packed: Buffer.concat([deflateRawSync(trace), Buffer.from('x')]) }),
    ],
    ['data that is not packed', () => changed(1, { packed: Buffer.alloc(100, 0xff) })],
    ['another name in its own header', () => changed(1, { localName: 'trace/b.db' })],
    ['stored data of another size', () => changed(1, { method: 0, sizeBytes: 3 })],
    ['a manifest that is no JSON', () => changed(0, { data: Buffer.from('{') })],
    [
      'a manifest of something else',
      () => changed(0, { data: Buffer.from('{"format":"x","version":1}') }),
    ],
    ['a manifest without files', () => changed(0, {}, { manifest: { files: undefined } })],
    [
      'an empty name',
      () => changed(0, {}, { manifest: { investigation: { name: ' ', tags: [] } } }),
    ],
    ['a view that is none', () => changed(0, {}, { view: { tab: 'elsewhere' } })],
    ['notes that are no list', () => changed(0, {}, { notes: {} })],
    ['5,001 notes', () => changed(0, {}, { notes: Array.from({ length: 5_001 }, () => ({})) })],
    ['a file that is no zip', () => Buffer.from('SQLite format 3\0')],
  ];
  test.each(cases)('%s', async (_what, bytes) => {
    expect((await failureOf(bytes())).code).toBe('archive-damaged');
  });

  const note = {
    id: '6f1f2f0e-7d0c-4a6b-9f43-0d2b8f6f3a51',
    kind: 'note',
    text: 'Look here',
    startNs: 5,
    endNs: 9,
    createdAt: '2026-01-02T03:04:05.000Z',
    updatedAt: '2026-01-02T03:04:06.000Z',
  };
  const changes: [field: string, value: unknown][] = [
    ['endNs', 1],
    ['id', 'x'],
    ['kind', 'virus'],
    ['startNs', -1],
    ['createdAt', 'yesterday'],
    ['text', `Look here${'!'.repeat(100_000)}`],
    ['slot', 10],
    ['onload', 'alert(1)'],
  ];
  test.each(changes)('a note with another %s is named', async (field, value) => {
    const other = { ...note, id: '00000000-0000-4000-8000-000000000000' };
    const notes = [other, { ...note, [field]: value }];
    const failure = await failureOf(changed(0, {}, { notes }));
    expect(failure.code).toBe('archive-damaged');
    expect(failure.message).toMatch(/^Note 2 \(“Look here/);
  });

  test('two notes with one id', async () => {
    const failure = await failureOf(changed(0, {}, { notes: [note, note] }));
    expect(failure.message).toContain('Note 2');
  });
});

describe('incomplete', () => {
  const without = (name: string) =>
    buildZip(archiveEntries().filter((entry) => entry.name !== name));
  test.each(['manifest.json', 'notes.json', 'trace/a.db'])('no %s', async (name) => {
    expect(await failureOf(without(name))).toMatchObject({
      code: 'archive-incomplete',
      message: expect.stringContaining(name),
    });
  });

  test('cut off anywhere', async () => {
    const bytes = buildZip(archiveEntries());
    for (let length = 4; length < bytes.length; length += 7) {
      const { code } = await failureOf(bytes.subarray(0, length));
      expect(code, `${length} bytes`).toBe('archive-incomplete');
    }
  });

  test('something was added at its end', async () => {
    const bytes = buildZip(archiveEntries(), Buffer.from('garbage'));
    expect((await failureOf(bytes)).code).toBe('archive-incomplete');
  });

  test('an empty zip', async () => {
    expect((await failureOf(buildZip([]))).code).toBe('archive-incomplete');
  });
});

test('a newer one names the program that wrote it, and what to do', async () => {
  const manifest = { version: 2, creator: 'Stalltrace 3.0', files: 'elsewhere' };
  expect(await failureOf(changed(0, {}, { manifest }))).toMatchObject({
    code: 'archive-too-new',
    message: expect.stringMatching(/Stalltrace 3\.0 in version 2 .* update Stalltrace\.$/),
  });
});

test('a disk without room, and a file that is gone', async () => {
  const bytes = buildZip(archiveEntries());
  const full = await failureOf(bytes, { ...archiveLimits, spareBytes: 2 ** 60 });
  expect(full.code).toBe('disk-full');
  folder.remove();
  expect(await folder.read()).toMatchObject({ error: { code: 'file-missing' } });
});

test('cancelled while it unpacks, it leaves nothing', async () => {
  folder.write(buildZip(archiveEntries({ trace: Buffer.alloc(50_000_000, 'trace') })));
  const cancel = new AbortController();
  const reading = folder.read(archiveLimits, cancel.signal);
  await expect.poll(() => folder.files()).toContain('into/trace.db');
  cancel.abort();
  expect(await reading).toMatchObject({ error: { code: 'cancelled' } });
  expect(folder.files()).toEqual(['a.stalltrace']);
});

test('a thousand archives with random changes: each read ends as promised', async () => {
  const outcomes = new Set<string>();
  const property = fc.asyncProperty(hostileArchives, async (bytes) => {
    const outcome = await readHostile(bytes);
    outcomes.add(outcome);
    expect(outcome).not.toMatch(/^BROKEN/);
  });
  await fc.assert(property, { numRuns: 1_000, seed: 3 });
  // Otherwise the changes would be too wild to get anywhere.
  expect(outcomes.size).toBeGreaterThanOrEqual(4);
});
