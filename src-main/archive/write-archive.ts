import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { type PassThrough, Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import type { Verdict } from '../shared/library/investigation.ts';
import type { Note } from '../shared/library/note.ts';
import type { SetRole } from '../shared/library/set-role.ts';
import type { SavedView } from '../shared/library/view.ts';
import { fail, ok, type Result } from '../shared/rpc/result.ts';
import type { Progress } from '../shared/rpc/rpc.ts';
import { formatBytes } from '../shared/text/units.ts';
import { plainName } from './entry-name.ts';
import { archiveLimits } from './limits.ts';
import {
  ARCHIVE_FORMAT,
  ARCHIVE_VERSION,
  type ArchivedFile,
  MANIFEST_FILE,
  type Manifest,
  NOTES_FILE,
  TRACE_FOLDER,
  VIEW_FILE,
} from './manifest.ts';
import { measureTrace } from './measure-trace.ts';

/** Measured in docs/archive.md. */
const COMPRESSION_LEVEL = 6;

/** What goes into a .stalltrace file. */
export interface ArchiveContents {
  /** What writes it: `Stalltrace 0.1.0`. */
  readonly creator: string;
  readonly name: string;
  readonly tags: readonly string[];
  readonly verdict?: Verdict;
  readonly roles?: readonly SetRole[];
  readonly notes: readonly Note[];
  readonly view?: SavedView;
  /** The name of the trace's file. */
  readonly traceName: string;
  readonly traceBytes: number;
  /** The trace, open for reading and whole in its one file. Closing it is the caller's. */
  readonly trace: FileHandle;
}

interface Part {
  readonly name: string;
  readonly bytes: Buffer;
}

/**
 * The bytes of a .stalltrace file, made as they are read: memory does not grow with the trace, and
 * it is zip64 where sizes need that. The stream fails with TraceChanged or an error of the file
 * system; destroying it ends the work.
 */
export function writeArchive(
  contents: ArchiveContents,
  progress: (progress: Progress) => void = () => undefined,
): Result<Readable, 'file-unwritable'> {
  const { notes, view } = contents;
  const parts = [jsonPart(NOTES_FILE, notes)];
  if (view !== undefined) parts.push(jsonPart(VIEW_FILE, view));
  const tooLarge = checkSizes(parts);
  if (!tooLarge.ok) return tooLarge;
  const zip = new ZipFile();
  const output = zip.outputStream as PassThrough;
  zip.on('error', (error: Error) => output.destroy(error));
  addTrace(zip, output, contents, progress, (trace) => {
    for (const { name, bytes } of parts) zip.addBuffer(bytes, name);
    const files = [trace, ...parts.map(archivedFileOf)];
    const manifest = jsonPart(MANIFEST_FILE, manifestOf(contents, files));
    zip.addBuffer(manifest.bytes, manifest.name);
    zip.end();
  });
  return ok(output);
}

/** The manifest, with the hash of the trace, comes last: so the trace is read only once. */
function addTrace(
  zip: ZipFile,
  output: PassThrough,
  { trace, traceName, traceBytes: sizeBytes }: ArchiveContents,
  progress: (progress: Progress) => void,
  done: (file: ArchivedFile) => void,
): void {
  const name = TRACE_FOLDER + plainName(traceName);
  const measured = measureTrace(trace, sizeBytes, progress, (sha256) =>
    done({ name, sizeBytes, sha256 }),
  );
  const source = Readable.from(measured, { objectMode: false });
  source.on('error', (error) => output.destroy(error));
  output.once('close', () => source.destroy());
  zip.addReadStream(source, name, { size: sizeBytes, compressionLevel: COMPRESSION_LEVEL });
}

function jsonPart(name: string, value: unknown): Part {
  return { name, bytes: Buffer.from(`${JSON.stringify(value, null, 1)}\n`) };
}

function archivedFileOf({ name, bytes }: Part): ArchivedFile {
  return {
    name,
    sizeBytes: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
  };
}

/** What could not be read again must not be written. */
function checkSizes(parts: readonly Part[]): Result<null, 'file-unwritable'> {
  const { notesBytes, viewBytes } = archiveLimits;
  for (const { name, bytes } of parts) {
    const limit = name === NOTES_FILE ? notesBytes : viewBytes;
    if (bytes.length <= limit) continue;
    const what = name === NOTES_FILE ? 'The notes' : 'The saved view';
    const message = `${what} of this investigation take ${formatBytes(bytes.length)}, a .stalltrace file holds up to ${formatBytes(limit)}: shorten some first.`;
    return fail('file-unwritable', message);
  }
  return ok(null);
}

function manifestOf(contents: ArchiveContents, files: readonly ArchivedFile[]): Manifest {
  const { creator, name, tags, verdict, roles = [] } = contents;
  return {
    format: ARCHIVE_FORMAT,
    version: ARCHIVE_VERSION,
    creator,
    createdAt: new Date().toISOString(),
    investigation: {
      name,
      tags: [...tags],
      ...(verdict !== undefined && { verdict }),
      ...(roles.length > 0 && { roles: [...roles] }),
    },
    files: [...files],
  };
}
