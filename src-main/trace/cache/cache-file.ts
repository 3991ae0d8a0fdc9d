import { closeSync, openSync, readSync } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { deserialize, serialize } from 'node:v8';
import { crc32 } from 'node:zlib';
import type { ColumnArray } from '../../shared/model/columns.ts';
import type { Trace } from '../../shared/model/trace.ts';

/**
 * A trace as one file: a prefix of fixed length, all that is no array, then the arrays as they lie in memory,
 * each at a multiple of 8 bytes. Numbers are little-endian, as those of every machine Node runs on.
 */

/** Bytes `STCACHE1`, the length of the header, its CRC-32. */
const MAGIC = Buffer.from('STCACHE1');
const PREFIX_BYTES = 16;
const ALIGNMENT = 8;
/** Written and read at once. */
const PART_BYTES = 16 * 2 ** 20;
/** More would be no header of ours. */
const MOST_HEADER_BYTES = 2 ** 30;

const arrayTypes = {
  ...{ Float64Array, Int32Array, Uint32Array },
  ...{ Int16Array, Uint16Array, Int8Array, Uint8Array },
};
type ArrayType = keyof typeof arrayTypes;

/** Stands in the header for an array. */
interface StoredArray {
  readonly stored: ArrayType;
  readonly length: number;
  /** From the first array on. */
  readonly offset: number;
  readonly crc: number;
}

interface Header {
  /** The file that was read, as the user knows it. */
  readonly source: string;
  readonly bytes: number;
  readonly trace: unknown;
}

const isPlain = (value: object) => Object.getPrototypeOf(value) === Object.prototype;

/** A copy of `value` in which `change` has replaced the arrays of numbers. */
function replaceArrays(value: unknown, change: (value: object) => unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const changed = change(value);
  if (changed !== undefined) return changed;
  if (Array.isArray(value)) {
    // Names and notices by the ten thousand: nothing of numbers is in a list of texts.
    if (typeof value[0] === 'string') return value;
    return value.map((each) => replaceArrays(each, change));
  }
  if (!isPlain(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, replaceArrays(each, change)]),
  );
}

const bytesOf = (array: ColumnArray) =>
  new Uint8Array(array.buffer, array.byteOffset, array.byteLength);

const aligned = (bytes: number) => Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;

/** Writes `trace`, read from `source`, to `path`: all of it or nothing. Throws where that can't be done. */
export async function writeCacheFile(path: string, source: string, trace: Trace): Promise<void> {
  const arrays: ColumnArray[] = [];
  let bytes = 0;
  const store = (value: object): StoredArray | undefined => {
    if (!ArrayBuffer.isView(value)) return undefined;
    const array = value as ColumnArray;
    const stored = array.constructor.name as ArrayType;
    const entry = { stored, length: array.length, offset: bytes, crc: crc32(bytesOf(array)) };
    arrays.push(array);
    bytes += aligned(array.byteLength);
    return entry;
  };
  const packed = replaceArrays(trace, store);
  const header = serialize({ source, bytes, trace: packed } satisfies Header);
  const prefix = Buffer.alloc(PREFIX_BYTES);
  MAGIC.copy(prefix);
  prefix.writeUInt32LE(header.length, 8);
  prefix.writeUInt32LE(crc32(header), 12);
  const part = `${path}.${process.pid}.part`;
  try {
    const file = await open(part, 'w', 0o600);
    try {
      await file.writev([prefix, header, padding(PREFIX_BYTES + header.length)]);
      for (const array of arrays) await writeArray(file, bytesOf(array));
    } finally {
      await file.close();
    }
    await rename(part, path);
  } catch (thrown) {
    await rm(part, { force: true });
    throw thrown;
  }
}

const padding = (bytes: number) => Buffer.alloc(aligned(bytes) - bytes);

async function writeArray(
  file: { write(bytes: Uint8Array): Promise<unknown> },
  bytes: Uint8Array,
): Promise<void> {
  for (let at = 0; at < bytes.length; at += PART_BYTES)
    await file.write(bytes.subarray(at, at + PART_BYTES));
  if (bytes.length % ALIGNMENT > 0) await file.write(padding(bytes.length));
}

/**
 * The trace in the file at `path`, its columns in memory that threads share; undefined where the file is damaged
 * or none of ours. Other work goes on while it is read. Throws what the system throws.
 */
export async function readCacheFile(path: string): Promise<Trace | undefined> {
  const file = await open(path);
  try {
    const header = readHeader(file.fd);
    if (header === undefined) return undefined;
    const { fields, arraysAt } = header;
    const arrays: { readonly bytes: Uint8Array; readonly stored: StoredArray }[] = [];
    const makeRoom = (value: object) => {
      if (!standsForArray(value)) return undefined;
      const stored = value;
      const array = emptyArray(stored);
      arrays.push({ bytes: bytesOf(array), stored });
      return array;
    };
    const trace = replaceArrays(fields.trace, makeRoom) as Trace;
    for (const { bytes, stored } of arrays)
      if (!(await isRead(file, bytes, arraysAt + stored.offset, stored.crc))) return undefined;
    return trace;
  } finally {
    await file.close();
  }
}

/** What the file at `path` was read from; undefined where it is damaged or none of ours. */
export function sourceOfCacheFile(path: string): string | undefined {
  const descriptor = openSync(path, 'r');
  try {
    return readHeader(descriptor)?.fields.source;
  } finally {
    closeSync(descriptor);
  }
}

function readHeader(descriptor: number): { fields: Header; arraysAt: number } | undefined {
  const prefix = Buffer.alloc(PREFIX_BYTES);
  if (!fill(descriptor, prefix, 0) || !prefix.subarray(0, MAGIC.length).equals(MAGIC))
    return undefined;
  const length = prefix.readUInt32LE(8);
  if (length > MOST_HEADER_BYTES) return undefined;
  const header = Buffer.alloc(length);
  if (!fill(descriptor, header, PREFIX_BYTES)) return undefined;
  // What has the right checksum is what was written.
  if (crc32(header) !== prefix.readUInt32LE(12)) return undefined;
  const fields = deserialize(header) as Header;
  return { fields, arraysAt: aligned(PREFIX_BYTES + length) };
}

/** Sums of events have a column of that name: there, it is an array of its own. */
function standsForArray(value: object): value is StoredArray {
  return 'stored' in value && typeof value.stored === 'string';
}

function emptyArray({ stored, length }: StoredArray): ColumnArray {
  const Constructor = arrayTypes[stored];
  const memory = new SharedArrayBuffer(length * Constructor.BYTES_PER_ELEMENT);
  return new (Constructor as new (memory: SharedArrayBuffer) => ColumnArray)(memory);
}

/** Whether the file has as many bytes from `position` on as `bytes` takes, with that checksum. */
async function isRead(
  file: FileHandle,
  bytes: Uint8Array,
  position: number,
  crc: number,
): Promise<boolean> {
  let found = 0;
  for (let at = 0; at < bytes.length; ) {
    const wanted = Math.min(PART_BYTES, bytes.length - at);
    const { bytesRead } = await file.read(bytes, at, wanted, position + at);
    if (bytesRead === 0) return false;
    found = crc32(bytes.subarray(at, at + bytesRead), found);
    at += bytesRead;
  }
  return found === crc;
}

/** Whether the file has as many bytes from `position` on as `bytes` takes. */
function fill(descriptor: number, bytes: Uint8Array, position: number): boolean {
  for (let at = 0; at < bytes.length; ) {
    const wanted = Math.min(PART_BYTES, bytes.length - at);
    const read = readSync(descriptor, bytes, at, wanted, position + at);
    if (read === 0) return false;
    at += read;
  }
  return true;
}
