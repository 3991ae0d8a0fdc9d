import { randomUUID } from 'node:crypto';
import { mkdir, readdir, realpath, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { flushFolder } from '../../system/flush-folder.ts';
import { makeFolder } from '../../system/make-folder.ts';
import { processIdentityOf } from '../../system/process-identity.ts';
import { realPath } from '../../system/real-path.ts';
import type { TraceCopy } from '../../trace/content/trace-copy.ts';
import { copyPrefix } from '../../trace/sqlite/copy-owner.ts';
import { safeName, UNLISTED } from './safe-name.ts';

/** A folder that a copy is written in: `folder`/`fileName`. Only the store may keep it. */
export interface Part {
  readonly folder: string;
  readonly fileName: string;
  readonly path: string;
}

interface Use {
  users: number;
  /** When its folder was touched for the last of them, ms since 1970. */
  touchedMs: number;
}

/** Whether the library has an entry with this path, also a removed one; `undefined` = it can't tell. */
export type IsKnown = (path: string, sizeBytes: number) => Promise<boolean | undefined>;

/** The folders inside the data folder that hold copies. */
export function ownFolders(dataFolder: string): readonly [files: string, uploads: string] {
  return [join(dataFolder, 'files'), join(dataFolder, 'uploads')];
}

/** The library's own copies; see README.md. */
export class FileStore {
  readonly #roots: readonly [files: string, uploads: string];
  readonly #isKnown: IsKnown;
  readonly #uses = new Map<string, Use>();
  #turn: Promise<unknown> = Promise.resolve();

  constructor(dataFolder: string, isKnown: IsKnown) {
    this.#roots = ownFolders(dataFolder);
    this.#isKnown = isKnown;
  }

  /** Whether `path`, links resolved, is a copy of the library's own. */
  async owns(path: string): Promise<boolean> {
    const roots = await this.roots();
    return roots.some((root) => dirname(dirname(path)) === root || path.startsWith(root + sep));
  }

  /** The folders that exist, links resolved: as the library writes its paths. */
  async roots(): Promise<string[]> {
    const real = this.#roots.map((root) => realpath(root).catch(() => undefined));
    return (await Promise.all(real)).filter((root) => root !== undefined);
  }

  /** The path of a listed file as the folders have it now: one of them may be a link by now. */
  async resolved(path: string): Promise<string> {
    return this.#roots.some((root) => path.startsWith(root + sep)) ? realPath(path) : path;
  }

  /** A new part for a file the user calls `name`. Throws where the folder can't be written. */
  async newPart(name: string): Promise<Part> {
    await makeFolder(this.#roots[0]);
    const root = await realpath(this.#roots[0]);
    // Named as this process's: what a killed one leaves is known for that.
    const folder = join(root, `${copyPrefix(processIdentityOf(process.pid))}${randomUUID()}`);
    await mkdir(folder, { mode: 0o700 });
    const fileName = safeName(name);
    return { folder, fileName, path: join(folder, fileName) };
  }

  async discard(part: Part): Promise<void> {
    await rm(part.folder, { recursive: true, force: true });
  }

  /** Gives a whole copy its place and returns the path, which is the caller's until `release`. */
  keep(part: Part, copy: TraceCopy): Promise<string> {
    return this.#inTurn(async () => {
      try {
        const path = await this.#place(part, copy);
        const touchedMs = await touchedAt(dirname(path));
        const use = this.#uses.get(path) ?? { users: 0, touchedMs };
        use.users++;
        use.touchedMs = touchedMs;
        this.#uses.set(path, use);
        return path;
      } finally {
        await this.discard(part);
      }
    });
  }

  /**
   * Ends a use. The last user's end deletes a copy that was never listed, unless another host has
   * taken it up: it touched the folder, or listed the file.
   */
  release(path: string, isListed: boolean): Promise<void> {
    return this.#inTurn(async () => {
      const use = this.#uses.get(path);
      if (use === undefined) return;
      use.users--;
      const home = dirname(path);
      if (isListed) await rm(join(home, UNLISTED), { force: true });
      if (use.users > 0) return;
      this.#uses.delete(path);
      if (!(await wasNeverListed(home))) return;
      const size = (await stat(path).catch(() => undefined))?.size ?? 0;
      if ((await touchedAt(home)) !== use.touchedMs) return;
      if ((await this.#isKnown(path, size)) !== false) return;
      await rm(home, { recursive: true, force: true });
    });
  }

  isInUse(path: string): boolean {
    return this.#uses.has(path);
  }

  /**
   * The sweep spares a copy for a while after this. The time, within the last second, is no one
   * else's: two hosts that touch a folder at once must see that they were two.
   */
  async spare(path: string): Promise<void> {
    const seconds = Date.now() / 1000 - Math.random();
    await utimes(dirname(path), seconds, seconds).catch(() => undefined);
  }

  /** Runs `action` while no copy is placed or released. */
  exclusively<T>(action: () => Promise<T>): Promise<T> {
    return this.#inTurn(action);
  }

  async #place(part: Part, copy: TraceCopy): Promise<string> {
    const root = dirname(part.folder);
    const home = join(root, copy.sha256.slice(0, 16));
    let kept = await keptFile(home, copy.sizeBytes);
    if (kept === undefined) {
      // What stands there is not whole: only a disk that lost what was flushed leaves that.
      await rm(home, { recursive: true, force: true });
      try {
        await writeFile(join(part.folder, UNLISTED), '', { mode: 0o600 });
        await rename(part.folder, home);
        await flushFolder(root);
        kept = join(home, part.fileName);
      } catch (thrown) {
        // Another host with the same data folder may have been faster.
        kept = await keptFile(home, copy.sizeBytes);
        if (kept === undefined) throw thrown;
      }
    }
    await this.spare(kept);
    return kept;
  }

  #inTurn<T>(action: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(action);
    this.#turn = result.catch(() => undefined);
    return result;
  }
}

/** The file in `home` that is whole. What other programs leave beside it is not looked at. */
async function keptFile(home: string, sizeBytes: number): Promise<string | undefined> {
  for (const name of await readdir(home).catch(() => [])) {
    if (name === UNLISTED) continue;
    const path = join(home, name);
    const status = await stat(path).catch(() => undefined);
    if (status?.isFile() && status.size === sizeBytes) return path;
  }
  return undefined;
}

/** Whether what is in `home` is nobody's loss: an entry that names a copy takes the mark away. */
export async function wasNeverListed(home: string): Promise<boolean> {
  return (await stat(join(home, UNLISTED)).catch(() => undefined)) !== undefined;
}

async function touchedAt(folder: string): Promise<number> {
  return (await stat(folder).catch(() => undefined))?.mtimeMs ?? 0;
}
