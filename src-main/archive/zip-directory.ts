import type { FileHandle } from 'node:fs/promises';
import {
  type Entry,
  fromRandomAccessReaderPromise,
  type LocalFileHeader,
  type ZipFile,
} from 'yauzl';
import { describeThrown, fail, ok, type Result } from '../shared/rpc/result.ts';
import { cleanText } from '../shared/text/text.ts';
import { isEntryName } from './entry-name.ts';
import { FileReader } from './file-reader.ts';
import { MANIFEST_FILE } from './manifest.ts';

/** An entry as it was checked: `name` is one of isEntryName's, its bytes overlap with no other's. */
export interface ZipEntry {
  readonly name: string;
  readonly isDeflated: boolean;
  readonly crc32: number;
  readonly compressedBytes: number;
  readonly sizeBytes: number;
  /** Where its compressed bytes begin in the file. */
  readonly dataStart: number;
}

type DirectoryError = 'archive-damaged' | 'archive-unsafe' | 'archive-incomplete';
type Listed<T> = Result<T, DirectoryError>;

/** Four are written today. */
const MAX_ENTRIES = 16;
const STORED = 0;
const DEFLATED = 8;
/** General purpose bits, APPNOTE 4.4.4: encryption, of three kinds, and sizes behind the data. */
const ENCRYPTED_BITS = 0x2041;
const DESCRIPTOR_BIT = 0x8;
/** A data descriptor has a signature or none, and sizes of 4 or of 8 bytes, APPNOTE 4.3.9. */
const DESCRIPTOR_BYTES: readonly number[] = [16, 24, 12, 20];
/** What may follow the directory: its end record, with the two of zip64 before it. */
const END_BYTES = 22;
const ZIP64_END_BYTES = 56 + 20 + END_BYTES;
const FILE_TYPE = 0o170000;
const REGULAR_FILE = 0o100000;
const DOS_DIRECTORY = 0x10;

/** The entries of the zip in `handle`, once every byte of the file is accounted for. */
export async function listEntries(
  handle: FileHandle,
  sizeBytes: number,
  shown: string,
): Promise<Listed<readonly ZipEntry[]>> {
  let zip: ZipFile;
  try {
    const reader = new FileReader(handle, sizeBytes);
    const options = { decodeStrings: false, autoClose: false, validateEntrySizes: false };
    zip = await fromRandomAccessReaderPromise(reader, sizeBytes, options);
  } catch (thrown) {
    const message = `“${shown}” is cut off or was changed at its end: copy it again from where it came from.`;
    return fail('archive-incomplete', message, describeThrown(thrown));
  }
  try {
    return await listChecked(zip, sizeBytes, shown);
  } catch (thrown) {
    return damaged(shown, describeThrown(thrown));
  } finally {
    zip.close();
  }
}

async function listChecked(
  zip: ZipFile,
  fileBytes: number,
  shown: string,
): Promise<Listed<readonly ZipEntry[]>> {
  if (zip.entryCount > MAX_ENTRIES) return unsafe(shown, `${zip.entryCount} files`);
  const directoryStart = cursorOf(zip);
  const found: Entry[] = [];
  for await (const entry of zip.eachEntry()) found.push(entry);
  const rest = fileBytes - cursorOf(zip);
  if (rest !== END_BYTES && rest !== ZIP64_END_BYTES) {
    return unsafe(shown, 'bytes that belong to nothing');
  }
  if (isForeign(found)) return foreign(shown);
  found.sort((a, b) => a.relativeOffsetOfLocalHeader - b.relativeOffsetOfLocalHeader);
  const names = new Set<string>();
  const entries: ZipEntry[] = [];
  let end: readonly number[] = [0];
  for (const entry of found) {
    if (!end.includes(entry.relativeOffsetOfLocalHeader)) return overlapping(shown);
    const header = await zip.readLocalFileHeaderPromise(entry, {});
    const checked = checkEntry(entry, header as LocalFileHeader, shown);
    if (!checked.ok) return checked;
    const { name, dataStart, compressedBytes } = checked.value;
    if (names.has(name)) return unsafe(shown, `two files named ${name}`);
    names.add(name);
    entries.push(checked.value);
    end = ends(dataStart + compressedBytes, entry.generalPurposeBitFlag);
  }
  return end.includes(directoryStart) ? ok(entries) : overlapping(shown);
}

/** Whether it has other files than ours, and nothing that says it is one of ours. */
function isForeign(found: readonly Entry[]): boolean {
  const names = found.map(({ fileNameRaw }) => decodeName(fileNameRaw));
  const isOurs = (name: string | undefined) => name !== undefined && isEntryName(name);
  return !names.includes(MANIFEST_FILE) && !names.every(isOurs);
}

function foreign(shown: string): Result<never, 'archive-unsafe'> {
  const message = `“${shown}” is a ZIP archive, and none that Stalltrace wrote: unpack it, and open the trace that is in it.`;
  return fail('archive-unsafe', message);
}

/** Where yauzl reads next: its types take this number for a boolean. */
function cursorOf(zip: ZipFile): number {
  return (zip as unknown as { readonly readEntryCursor: number }).readEntryCursor;
}

/** Where what follows an entry may begin. */
function ends(dataEnd: number, flags: number): readonly number[] {
  if ((flags & DESCRIPTOR_BIT) === 0) return [dataEnd];
  return DESCRIPTOR_BYTES.map((bytes) => dataEnd + bytes);
}

function checkEntry(entry: Entry, header: LocalFileHeader, shown: string): Listed<ZipEntry> {
  const { compressionMethod: method, generalPurposeBitFlag: flags } = entry;
  const name = decodeName(entry.fileNameRaw);
  if (name === undefined || !isEntryName(name)) {
    const called = cleanText(entry.fileNameRaw.toString('utf8'), 60);
    return unsafe(shown, `something named “${called}”`);
  }
  if ((flags & ENCRYPTED_BITS) !== 0) return unsafe(shown, `an encrypted ${name}`);
  if (!isPlainFile(entry)) return unsafe(shown, `a link or folder named ${name}`);
  if (method !== STORED && method !== DEFLATED) {
    return unsafe(shown, `a ${name} that is compressed in another way`);
  }
  const { compressedSize: compressedBytes, uncompressedSize: sizeBytes, crc32 } = entry;
  if (method === STORED && compressedBytes !== sizeBytes) return damaged(shown, `sizes of ${name}`);
  const sameHeader =
    header.fileName.equals(entry.fileNameRaw) &&
    header.compressionMethod === method &&
    header.generalPurposeBitFlag === flags;
  if (!sameHeader) return damaged(shown, `two descriptions of ${name}`);
  const isDeflated = method === DEFLATED;
  const dataStart = header.fileDataStart;
  return ok({ name, isDeflated, crc32, compressedBytes, sizeBytes, dataStart });
}

function decodeName(raw: Buffer): string | undefined {
  const name = raw.toString('utf8');
  return Buffer.from(name).equals(raw) ? name : undefined;
}

/** The upper half holds a Unix mode, where the writer has one: a link would lead out of the folder. */
function isPlainFile({ externalFileAttributes: attributes }: Entry): boolean {
  const type = (attributes >>> 16) & FILE_TYPE;
  return (type === 0 || type === REGULAR_FILE) && (attributes & DOS_DIRECTORY) === 0;
}

function damaged(shown: string, detail: string): Result<never, 'archive-damaged'> {
  return fail(
    'archive-damaged',
    `“${shown}” is damaged: copy it again from where it came from.`,
    detail,
  );
}

function overlapping(shown: string): Result<never, 'archive-unsafe'> {
  return unsafe(shown, 'files that overlap or leave gaps');
}

function unsafe(shown: string, what: string): Result<never, 'archive-unsafe'> {
  const message = `“${shown}” holds ${what}, as no file written by Stalltrace does: nothing was unpacked. Ask its sender how it was made.`;
  return fail('archive-unsafe', message);
}
