import type { FileHandle } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Verdict } from '../shared/library/investigation.ts';
import type { Note } from '../shared/library/note.ts';
import type { SetRole } from '../shared/library/set-role.ts';
import type { SavedView } from '../shared/library/view.ts';
import { fail, ok, type Result } from '../shared/rpc/result.ts';
import { cleanText } from '../shared/text/text.ts';
import { headOf, openForReading } from '../system/read-head.ts';
import { type ArchivePart, checkParts } from './check-parts.ts';
import { isArchive } from './is-archive.ts';
import { type ArchiveLimits, archiveLimits } from './limits.ts';
import { MANIFEST_FILE, type Manifest, parseManifest, TRACE_FOLDER } from './manifest.ts';
import { parseNotes, parseView } from './parse-parts.ts';
import { readWhole, WrongContent } from './read-entry.ts';
import type { ReadArchiveError } from './read-failure.ts';
import { readFailure } from './read-failure.ts';
import { checkRoom, type UnpackOptions, unpackTrace } from './unpack-trace.ts';
import { listEntries, type ZipEntry } from './zip-directory.ts';

/** What a .stalltrace file held. All texts are its sender's. */
export interface UnpackedArchive {
  /** `trace.db` in the folder that was given. */
  readonly tracePath: string;
  /** What the trace was called: no path, but no more is known of it. */
  readonly traceName: string;
  readonly sizeBytes: number;
  readonly sha256: string;
  readonly name: string;
  readonly tags: readonly string[];
  readonly verdict?: Verdict;
  readonly roles: readonly SetRole[];
  readonly notes: readonly Note[];
  readonly view?: SavedView;
}

export interface ReadArchiveOptions extends UnpackOptions {
  readonly limits?: ArchiveLimits;
}

type Read<T> = Result<T, ReadArchiveError>;

interface OpenArchive extends UnpackOptions {
  readonly handle: FileHandle;
  readonly limits: ArchiveLimits;
  /** The file's name, for messages. */
  readonly shown: string;
}

/**
 * Reads the .stalltrace file at `path`, which may be hostile, and unpacks its trace to
 * `folder`/trace.db; `folder` exists and is the caller's own. On failure nothing is left in it.
 */
export async function readArchive(
  path: string,
  folder: string,
  { limits = archiveLimits, signal, progress }: ReadArchiveOptions,
): Promise<Read<UnpackedArchive>> {
  const shown = cleanText(basename(path), 120);
  let handle: FileHandle | undefined;
  try {
    handle = await openForReading(path);
    return await readOpen({ handle, limits, shown, signal, progress }, folder);
  } catch (thrown) {
    return readFailure(thrown, shown, signal);
  } finally {
    await handle?.close();
  }
}

async function readOpen(archive: OpenArchive, folder: string): Promise<Read<UnpackedArchive>> {
  const { handle, limits, shown } = archive;
  const head = await headOf(handle, 4);
  if (head === undefined || !isArchive(head.bytes)) {
    return fail('archive-damaged', `“${shown}” is no .stalltrace file: choose another one.`);
  }
  const listed = await listEntries(handle, head.sizeBytes, shown);
  if (!listed.ok) return listed;
  const manifest = await readManifest(archive, listed.value);
  if (!manifest.ok) return manifest;
  const parts = checkParts(manifest.value, listed.value, limits, shown);
  if (!parts.ok) return parts;
  const { trace, notes: notesPart, view: viewPart } = parts.value;
  const notes = parseNotes(await readPart(archive, notesPart), shown);
  if (!notes.ok) return notes;
  const view = viewPart && parseView(await readPart(archive, viewPart), shown);
  if (view?.ok === false) return view;
  const room = await checkRoom(folder, trace.entry.sizeBytes, limits.spareBytes, shown);
  if (!room.ok) return room;
  const tracePath = await unpackTrace(handle, trace, folder, archive);
  return ok({
    ...describeTrace(trace, tracePath),
    ...describeInvestigation(manifest.value),
    notes: notes.value,
    ...(view !== undefined && { view: view.value }),
  });
}

async function readManifest(
  { handle, limits, shown, signal }: OpenArchive,
  entries: readonly ZipEntry[],
): Promise<Read<Manifest>> {
  const entry = entries.find(({ name }) => name === MANIFEST_FILE);
  if (entry === undefined) {
    const message = `“${shown}” has no ${MANIFEST_FILE}, so it is no .stalltrace file: if a trace was zipped, unzip it and open that.`;
    return fail('archive-incomplete', message);
  }
  if (entry.sizeBytes > limits.manifestBytes) {
    const message = `“${shown}” has a ${MANIFEST_FILE} larger than any that Stalltrace writes: nothing was unpacked. Ask its sender how it was made.`;
    return fail('archive-unsafe', message);
  }
  return parseManifest((await readWhole(handle, entry, signal)).bytes, shown);
}

async function readPart(
  { handle, signal }: OpenArchive,
  { entry, sha256 }: ArchivePart,
): Promise<Buffer> {
  const { bytes, sha256: found } = await readWhole(handle, entry, signal);
  if (found !== sha256) throw new WrongContent(`${entry.name} has another SHA-256`);
  return bytes;
}

function describeTrace({ entry, sha256 }: ArchivePart, tracePath: string) {
  const traceName = entry.name.slice(TRACE_FOLDER.length);
  return { tracePath, traceName, sizeBytes: entry.sizeBytes, sha256 };
}

function describeInvestigation({ investigation: { name, tags, verdict, roles = [] } }: Manifest) {
  return { name, tags, roles, ...(verdict !== undefined && { verdict }) };
}
