import { existsSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { archiveFolder } from './archive-folder.ts';
import { archiveEntries, type BuiltEntry, buildZip } from './build-zip.ts';

const NOTE = {
  id: '6f1f2f0e-7d0c-4a6b-9f43-0d2b8f6f3a51',
  kind: 'note',
  text: 'Look here',
  startNs: 5,
  endNs: 9,
  createdAt: '2026-01-02T03:04:05.000Z',
  updatedAt: '2026-01-02T03:04:06.000Z',
};
const VALID = buildZip(archiveEntries({ notes: [NOTE], view: { tab: 'overview' } }));

/** A byte of a valid archive, mostly of its headers, directory and end, where changes hurt. */
const place = fc.oneof(
  fc.nat(VALID.length - 1),
  fc.nat(400).map((back) => VALID.length - 1 - back),
);
const edit = fc.record({ at: place, bytes: fc.uint8Array({ minLength: 1, maxLength: 9 }) });

const mutated = fc
  .record({
    edits: fc.array(edit, { maxLength: 12 }),
    cut: fc.option(fc.nat(VALID.length), { freq: 5 }),
    doubled: fc.option(fc.tuple(fc.nat(VALID.length), fc.nat(VALID.length)), { freq: 5 }),
  })
  .map(({ edits, cut, doubled }) => {
    const bytes = Buffer.from(VALID);
    for (const { at, bytes: changed } of edits) bytes.set(changed.slice(0, bytes.length - at), at);
    if (cut !== null) return bytes.subarray(0, cut);
    if (doubled === null) return bytes;
    const [from, to] = doubled;
    return Buffer.concat([
      bytes.subarray(0, Math.max(from, to)),
      bytes.subarray(Math.min(from, to)),
    ]);
  });

const name = fc.oneof(
  fc.constantFrom(
    'manifest.json',
    'notes.json',
    'view.json',
    'trace/a.db',
    '../a.db',
    '/a',
    'a\\b',
  ),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.string({ unit: 'binary', maxLength: 20 }).map((end) => `trace/${end}`),
);
const size = fc.oneof(fc.nat(10_000), fc.constantFrom(0, 2 ** 31, 2 ** 32 - 1));
const entryChange = fc.record(
  {
    name,
    localName: name,
    data: fc
      .oneof(
        fc.uint8Array(),
        fc.json().map((text) => Buffer.from(text)),
      )
      .map(Buffer.from),
    packed: fc.uint8Array().map(Buffer.from),
    gap: fc.uint8Array({ maxLength: 30 }).map(Buffer.from),
    flags: fc.oneof(fc.nat(0xffff), fc.constantFrom(0x800, 0x808)),
    method: fc.constantFrom(0, 8, 8, 9, 14),
    mode: fc.nat(0xffff),
    sizeBytes: size,
    sameAs: fc.nat(3),
  },
  { requiredKeys: [] },
);
const jsonParts = fc.record(
  {
    notes: fc.oneof(
      fc.jsonValue(),
      fc.array(fc.dictionary(fc.constantFrom(...Object.keys(NOTE), 'event'), fc.jsonValue())),
    ),
    view: fc.oneof(
      fc.jsonValue(),
      fc.record({ tab: fc.constant('notes'), window: fc.jsonValue() }),
    ),
    manifest: fc.dictionary(
      fc.constantFrom('version', 'creator', 'createdAt', 'investigation', 'files', '__proto__'),
      fc.jsonValue(),
    ),
  },
  { requiredKeys: [] },
);

const rebuilt = fc
  .record({
    parts: jsonParts,
    changes: fc.array(fc.tuple(fc.nat(3), entryChange), { maxLength: 3 }),
    added: fc.array(entryChange, { maxLength: 2 }),
    keepParts: fc.boolean(),
  })
  .map(({ parts, changes, added, keepParts }) => {
    const entries: BuiltEntry[] = archiveEntries(keepParts ? { notes: [NOTE] } : parts);
    for (const [at, change] of changes) {
      const entry = entries[at];
      if (entry !== undefined) entries[at] = { ...entry, ...change };
    }
    const more = added.map((entry) => ({ name: 'view.json', data: Buffer.from('{}'), ...entry }));
    return buildZip([...entries, ...more]);
  });

/** Archives that are valid but for a few changes: of single bytes, or of what they are built from. */
export const hostileArchives = fc.oneof(mutated, rebuilt);

/**
 * Reads `bytes` and says what broke a promise, or that none was broken: reading ends in 10 s, in a
 * failure with a sentence that leaves nothing, or in a trace with the promised bytes where it belongs.
 */
export async function readHostile(bytes: Buffer): Promise<string> {
  const folder = archiveFolder();
  try {
    folder.write(bytes);
    const read = await Promise.race([folder.read(), timeLimit()]);
    if (read === 'hang') return 'BROKEN: it hangs';
    const files = folder.files().join(' ');
    const trace = join(folder.into, 'trace.db');
    if (!read.ok) {
      if (files !== 'a.stalltrace') return `BROKEN: ${read.error.code} left ${files}`;
      return /^.+\.$/.test(read.error.message) ? read.error.code : 'BROKEN: no sentence';
    }
    if (files !== 'a.stalltrace into/trace.db' || !existsSync(trace)) return `BROKEN: ${files}`;
    return folder.sha256(trace) === read.value.sha256 ? 'ok' : 'BROKEN: other bytes';
  } finally {
    folder.remove();
  }
}

function timeLimit(): Promise<'hang'> {
  // Far more than any of them takes.
  return new Promise((resolve) => setTimeout(resolve, 10_000, 'hang' as const).unref());
}
