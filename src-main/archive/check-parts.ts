import { fail, ok, type Result } from '../shared/rpc/result.ts';
import { formatBytes } from '../shared/text/units.ts';
import type { ArchiveLimits } from './limits.ts';
import { MANIFEST_FILE, type Manifest, NOTES_FILE, TRACE_FOLDER, VIEW_FILE } from './manifest.ts';
import type { ZipEntry } from './zip-directory.ts';

/** An entry and the SHA-256 that the manifest gives for it. */
export interface ArchivePart {
  readonly entry: ZipEntry;
  readonly sha256: string;
}

export interface ArchiveParts {
  readonly trace: ArchivePart;
  readonly notes: ArchivePart;
  readonly view?: ArchivePart;
}

type Checked<T> = Result<T, 'archive-incomplete' | 'archive-unsafe'>;

/** Finds each file of the manifest among the entries, which must be those and no others. */
export function checkParts(
  manifest: Manifest,
  entries: readonly ZipEntry[],
  limits: ArchiveLimits,
  shown: string,
): Checked<ArchiveParts> {
  const parts = new Map<string, ArchivePart>();
  for (const { name, sizeBytes, sha256 } of manifest.files) {
    const entry = entries.find((candidate) => candidate.name === name);
    if (entry === undefined || name === MANIFEST_FILE) return missing(shown, name);
    if (entry.sizeBytes !== sizeBytes || parts.has(name)) {
      return unsafe(shown, `another ${name} than its list of contents says`);
    }
    parts.set(name, { entry, sha256 });
  }
  if (entries.length !== parts.size + 1) {
    return unsafe(shown, 'files that its list of contents does not name');
  }
  const traces = [...parts.values()].filter(({ entry }) => entry.name.startsWith(TRACE_FOLDER));
  const [trace, ...more] = traces;
  const notes = parts.get(NOTES_FILE);
  const view = parts.get(VIEW_FILE);
  if (trace === undefined) return missing(shown, 'the trace');
  if (notes === undefined) return missing(shown, NOTES_FILE);
  if (more.length > 0) return unsafe(shown, 'more than one trace');
  const found = { trace, notes, ...(view !== undefined && { view }) };
  return checkSizes(found, limits, shown);
}

function checkSizes(
  parts: ArchiveParts,
  limits: ArchiveLimits,
  shown: string,
): Checked<ArchiveParts> {
  const { trace, notes, view } = parts;
  const { sizeBytes, compressedBytes } = trace.entry;
  const ratio = sizeBytes / Math.max(compressedBytes, 1);
  if (sizeBytes > limits.ratioFromBytes && ratio > limits.ratio) {
    return unsafe(
      shown,
      `a trace that would grow from ${formatBytes(compressedBytes)} to ${formatBytes(sizeBytes)}`,
    );
  }
  const sizes = [
    [trace, limits.traceBytes],
    [notes, limits.notesBytes],
    [view, limits.viewBytes],
  ] as const;
  for (const [part, limit] of sizes) {
    if (part === undefined || part.entry.sizeBytes <= limit) continue;
    const { name, sizeBytes: bytes } = part.entry;
    return unsafe(
      shown,
      `${formatBytes(bytes)} as ${name}, of which ${formatBytes(limit)} is the most`,
    );
  }
  return ok(parts);
}

function missing(shown: string, what: string): Result<never, 'archive-incomplete'> {
  return fail('archive-incomplete', `“${shown}” lacks ${what}: ask its sender for the file again.`);
}

function unsafe(shown: string, what: string): Result<never, 'archive-unsafe'> {
  const message = `“${shown}” holds ${what}: nothing was unpacked. Ask its sender how it was made.`;
  return fail('archive-unsafe', message);
}
