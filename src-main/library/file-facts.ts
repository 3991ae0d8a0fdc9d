import { statSync } from 'node:fs';
import { stat } from 'node:fs/promises';

/** What tells whether a file is still the one that was hashed. */
export interface FileFacts {
  readonly sizeBytes: number;
  /** µs since 1970. */
  readonly modifiedUs: number;
}

/** How long files may take to answer: a network drive that is gone never does. */
const PATIENCE_MS = 3_000;

/** Of each path, `undefined` where there is no file, or none that answers in time. */
export async function factsOfFiles(
  paths: readonly string[],
  patienceMs = PATIENCE_MS,
  look = factsOfFile,
): Promise<readonly (FileFacts | undefined)[]> {
  const found = new Array<FileFacts | undefined>(paths.length).fill(undefined);
  const all = Promise.all(
    paths.map(async (path, index) => {
      found[index] = await look(path);
    }),
  );
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise((resolve) => {
    timer = setTimeout(resolve, patienceMs);
  });
  await Promise.race([all, patience]);
  clearTimeout(timer);
  return [...found];
}

async function factsOfFile(path: string): Promise<FileFacts | undefined> {
  try {
    return toFacts(await stat(path));
  } catch {
    return undefined;
  }
}

/** Waits for the disk: for one file, inside a transaction. */
export function factsNow(path: string): FileFacts | undefined {
  try {
    return toFacts(statSync(path));
  } catch {
    return undefined;
  }
}

export function toFacts(stats: { size: number; mtimeMs: number }): FileFacts {
  return { sizeBytes: stats.size, modifiedUs: Math.round(stats.mtimeMs * 1000) };
}
