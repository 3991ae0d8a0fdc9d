import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeThrown, fail, ok, type Result } from '../shared/rpc/result.ts';
import { removeLeftFolders, signFolder } from './left-folders.ts';

/**
 * Longest path of a Unix socket without its ending zero: `sun_path` of unix(7) has 108 bytes on
 * Linux, 104 on macOS. A longer one fails as EINVAL in the process that listens.
 */
const SOCKET_PATH_BYTES = process.platform === 'linux' ? 107 : 103;
const PREFIX = 'stalltrace-';
/** What mkdtemp appends to PREFIX. */
const RANDOM = 'XXXXXX';

type Unusable = 'no-temporary-folder';

/** The folder only this user can enter, in which the trace processes listen; made when first needed. */
export class SocketFolder {
  readonly #bases: () => readonly string[];
  #folder: Promise<Result<string, Unusable> | undefined> = Promise.resolve(undefined);

  constructor(bases: () => readonly string[] = temporaryFolders) {
    this.#bases = bases;
  }

  /** The path of a socket that does not exist yet. */
  async socketPath(id: string): Promise<Result<string, Unusable>> {
    if (process.platform === 'win32') return ok(`\\\\.\\pipe\\stalltrace-${id}`);
    const name = socketName(id);
    // One after the other: the folder is made once, and again after a cleaner of old files took it.
    const usable = this.#folder.then(async (made) =>
      made?.ok && (await exists(made.value)) ? made : makeFolder(this.#bases(), name),
    );
    this.#folder = usable;
    const folder = await usable;
    return folder.ok ? ok(join(folder.value, name)) : folder;
  }

  async remove(): Promise<void> {
    const folder = await this.#folder;
    this.#folder = Promise.resolve(undefined);
    if (folder?.ok) await rm(folder.value, { recursive: true, force: true });
  }
}

/** Whether a process may still be reached at `socketPath`. */
export async function isSocketThere(socketPath: string): Promise<boolean> {
  return process.platform === 'win32' || exists(socketPath);
}

function socketName(id: string): string {
  return `${id.slice(0, 13)}.sock`;
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}

/** Where temporary folders may be made: as the user wishes, else where the system has short paths. */
function temporaryFolders(): readonly string[] {
  const { XDG_RUNTIME_DIR: runtime } = process.env;
  return [...new Set([tmpdir(), ...(runtime?.startsWith('/') ? [runtime] : []), '/tmp'])];
}

async function makeFolder(
  bases: readonly string[],
  name: string,
): Promise<Result<string, Unusable>> {
  const problems: string[] = [];
  for (const base of bases) {
    const prefix = join(base, PREFIX);
    if (Buffer.byteLength(join(prefix + RANDOM, name)) > SOCKET_PATH_BYTES) {
      problems.push(`${base}: too long for a socket (${SOCKET_PATH_BYTES} bytes)`);
      continue;
    }
    try {
      await removeLeftFolders(base, PREFIX);
      const folder = await mkdtemp(prefix);
      await signFolder(folder);
      return ok(folder);
    } catch (thrown) {
      problems.push(describeThrown(thrown));
    }
  }
  return fail(
    'no-temporary-folder',
    `No folder for temporary files can be used (${bases.join(', ')}): set TMPDIR to a folder of yours with a short path.`,
    problems.join('; '),
  );
}
