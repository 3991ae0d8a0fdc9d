import { createHash } from 'node:crypto';
import { crc32, deflateRawSync } from 'node:zlib';

/** An entry to build; what is not given is as an honest writer would have it. */
export interface BuiltEntry {
  readonly name: string;
  readonly data: Buffer;
  readonly method?: number;
  readonly flags?: number;
  /** The Unix mode, with its file type. */
  readonly mode?: number;
  /** What the directory says of its unpacked size. */
  readonly sizeBytes?: number;
  /** Its name in its own header. */
  readonly localName?: string;
  /** Bytes as they stand in the file, instead of the packed data. */
  readonly packed?: Buffer;
  /** Bytes between this entry and what follows. */
  readonly gap?: Buffer;
  /** Share the bytes of the entry with this index instead of having some. */
  readonly sameAs?: number;
}

/** Zips `entries`, honest or not: a writer of zips refuses most of what a reader has to. */
export function buildZip(entries: readonly BuiltEntry[], end = Buffer.alloc(0)): Buffer {
  const pieces: Buffer[] = [];
  const offsets: number[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const entry of entries) {
    const packed = packedOf(entry);
    if (entry.sameAs === undefined) {
      offsets.push(offset);
      const local = Buffer.from(entry.localName ?? entry.name);
      const piece = Buffer.concat([
        header(0x04034b50, entry, packed, local),
        local,
        packed,
        entry.gap ?? Buffer.alloc(0),
      ]);
      pieces.push(piece);
      offset += piece.length;
    } else offsets.push(offsets[entry.sameAs] ?? 0);
    directory.push(directoryRecord(entry, packed, offsets.at(-1) ?? 0));
  }
  const directoryBytes = Buffer.concat(directory);
  const record = Buffer.alloc(22);
  record.writeUInt32LE(0x06054b50, 0);
  record.writeUInt16LE(entries.length, 8);
  record.writeUInt16LE(entries.length, 10);
  record.writeUInt32LE(directoryBytes.length, 12);
  record.writeUInt32LE(offset, 16);
  return Buffer.concat([...pieces, directoryBytes, record, end]);
}

function packedOf({ data, method = 8, packed }: BuiltEntry): Buffer {
  return packed ?? (method === 8 ? deflateRawSync(data) : data);
}

/** The fields that both headers share, APPNOTE 4.3.7; the one of the directory begins 2 bytes later. */
function header(signature: number, entry: BuiltEntry, packed: Buffer, name: Buffer): Buffer {
  const { data, method = 8, flags = 0x800, sizeBytes = data.length } = entry;
  const bytes = Buffer.alloc(30);
  bytes.writeUInt32LE(signature, 0);
  bytes.writeUInt16LE(20, 4);
  bytes.writeUInt16LE(flags, 6);
  bytes.writeUInt16LE(method, 8);
  bytes.writeUInt32LE(crc32(data), 14);
  bytes.writeUInt32LE(packed.length, 18);
  bytes.writeUInt32LE(sizeBytes, 22);
  bytes.writeUInt16LE(name.length, 26);
  return bytes;
}

function directoryRecord(entry: BuiltEntry, packed: Buffer, offset: number): Buffer {
  const name = Buffer.from(entry.name);
  const shared = header(0, entry, packed, name);
  const bytes = Buffer.alloc(46);
  bytes.writeUInt32LE(0x02014b50, 0);
  bytes.writeUInt16LE(0x033f, 4);
  shared.copy(bytes, 6, 4);
  bytes.writeUInt32LE(((entry.mode ?? 0o100644) << 16) >>> 0, 38);
  bytes.writeUInt32LE(offset, 42);
  return Buffer.concat([bytes, name]);
}

interface PartsOptions {
  readonly trace?: Buffer;
  readonly notes?: unknown;
  readonly view?: unknown;
  readonly manifest?: Readonly<Record<string, unknown>>;
}

/** The entries of a valid .stalltrace file, to be changed one by one. */
export function archiveEntries(
  options: PartsOptions = {},
): [manifest: BuiltEntry, trace: BuiltEntry, notes: BuiltEntry, ...BuiltEntry[]] {
  const { trace = Buffer.from('a trace '.repeat(500)), notes = [], view } = options;
  const traceEntry = { name: 'trace/a.db', data: trace };
  const notesEntry = { name: 'notes.json', data: Buffer.from(JSON.stringify(notes)) };
  const viewEntries =
    view === undefined ? [] : [{ name: 'view.json', data: Buffer.from(JSON.stringify(view)) }];
  const files = [traceEntry, notesEntry, ...viewEntries].map(({ name, data }) => ({
    name,
    sizeBytes: data.length,
    sha256: createHash('sha256').update(data).digest('hex'),
  }));
  const manifest = {
    format: 'stalltrace-archive',
    version: 1,
    creator: 'Stalltrace 0.1.0',
    createdAt: '2026-01-02T03:04:05.000Z',
    investigation: { name: 'A name', tags: ['one'] },
    files,
    ...options.manifest,
  };
  const manifestEntry = { name: 'manifest.json', data: Buffer.from(JSON.stringify(manifest)) };
  return [manifestEntry, traceEntry, notesEntry, ...viewEntries];
}
