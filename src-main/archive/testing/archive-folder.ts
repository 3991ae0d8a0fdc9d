import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ArchiveLimits } from '../limits.ts';
import { readArchive } from '../read-archive.ts';

/** A folder with an archive and a folder to unpack it into. */
export function archiveFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'archive-'));
  const path = join(folder, 'a.stalltrace');
  const into = join(folder, 'into');
  mkdirSync(into);
  return {
    path,
    into,
    write: (bytes: Buffer) => writeFileSync(path, bytes),
    read(limits?: ArchiveLimits, signal = new AbortController().signal) {
      return readArchive(path, into, {
        signal,
        progress: () => undefined,
        ...(limits !== undefined && { limits }),
      });
    },
    /** Every file below the folder, by its path in it. */
    files: () =>
      readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => !entry.isDirectory())
        .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
        .sort(),
    sha256: (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex'),
    empty: () => rmSync(join(into, 'trace.db'), { force: true }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
