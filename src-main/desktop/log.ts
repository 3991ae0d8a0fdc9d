import { appendFile, rename, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { cleanText } from '../shared/text/text.ts';
import { makeFolder } from '../system/make-folder.ts';

const ROTATE_BYTES = 1 << 20;
const LINE_CHARACTERS = 4096;
/** A page that sends garbage in a loop must not fill the disk. */
const LINES_PER_START = 2000;

/** What happened and is worth a bug report. Lines hold text of pages and processes, so they are cleaned. */
export interface Log {
  write(text: string): void;
  /** Resolves when everything written so far is in the file. */
  flush(): Promise<void>;
}

/** A log at `path`; the previous one is kept beside it as `.old` once it has grown. */
export function createLog(path: string): Log {
  let lines = 0;
  // A log that can't be written is no reason to stop working.
  let queue: Promise<void> = prepare(path).catch(() => undefined);
  return {
    write(text) {
      if (++lines > LINES_PER_START) return;
      const line = `${new Date().toISOString()} ${cleanText(text, LINE_CHARACTERS)}\n`;
      queue = queue.then(() => appendFile(path, line, { mode: 0o600 })).catch(() => undefined);
    },
    flush: () => queue,
  };
}

async function prepare(path: string): Promise<void> {
  await makeFolder(dirname(path));
  const size = (await stat(path).catch(() => undefined))?.size ?? 0;
  if (size > ROTATE_BYTES) await rename(path, `${path}.old`);
}
