import { mkdir, readdir, realpath, rename, rm, stat, utimes } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { ReceivedUpload } from './upload.ts';
import { type Library, removeUnlisted } from './upload-sweep.ts';

interface Use {
  users: number;
  /** Nobody had this file before its present users. */
  isNew: boolean;
  /** One of them was told that it can never open. */
  isRefused: boolean;
}

/**
 * The uploaded copies: `folder`/<first 16 digits of the SHA-256>/<name>, one file a folder. The same
 * bytes are kept once, under the name they were listed with. A copy is never replaced: whoever reads
 * it would see another inode.
 */
export class UploadStore {
  readonly #folder: string;
  readonly #library: Library;
  readonly #uses = new Map<string, Use>();
  #turn: Promise<unknown> = Promise.resolve();

  constructor(folder: string, library: Library) {
    this.#folder = folder;
    this.#library = library;
  }

  /** The folder, created where missing, links resolved: as the library writes its paths. */
  async folder(): Promise<string> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    return realpath(this.#folder);
  }

  /** Gives an upload its place and returns the path, which is the caller's until `release`. */
  keep(upload: ReceivedUpload): Promise<string> {
    return this.#inTurn(async () => {
      try {
        const { path, isNew } = await this.#place(upload);
        const use = this.#uses.get(path) ?? { users: 0, isNew, isRefused: false };
        use.users++;
        this.#uses.set(path, use);
        return path;
      } finally {
        await rm(upload.part, { recursive: true, force: true });
      }
    });
  }

  /** Ends a use. The last user's end deletes a new file that can't be opened. */
  release(path: string, isRefused: boolean): Promise<void> {
    return this.#inTurn(async () => {
      const use = this.#uses.get(path);
      if (use === undefined) return;
      use.users--;
      use.isRefused ||= isRefused;
      if (use.users > 0) return;
      this.#uses.delete(path);
      if (use.isNew && use.isRefused) await rm(dirname(path), { recursive: true, force: true });
    });
  }

  /** Deletes what crashes, lost imports and removed entries left behind. */
  sweep(): Promise<void> {
    return this.#inTurn(() =>
      removeUnlisted(this.#folder, this.#library, (path) => this.#uses.has(path)),
    );
  }

  async #place(upload: ReceivedUpload): Promise<{ path: string; isNew: boolean }> {
    const home = join(dirname(upload.part), upload.sha256.slice(0, 16));
    let kept = await keptFile(home, upload.sizeBytes);
    if (kept === undefined) {
      try {
        await rm(home, { recursive: true, force: true });
        await rename(upload.part, home);
        await touch(home);
        return { path: join(home, upload.fileName), isNew: true };
      } catch (thrown) {
        // Another host with the same data folder may have been faster.
        kept = await keptFile(home, upload.sizeBytes);
        if (kept === undefined) throw thrown;
      }
    }
    await touch(home);
    return this.#takeOver(kept, upload.fileName);
  }

  /** A kept file that nobody lists or reads may take the new name. */
  async #takeOver(kept: string, fileName: string): Promise<{ path: string; isNew: boolean }> {
    const listed = await this.#library();
    if (this.#uses.has(kept) || (listed?.some(({ path }) => path === kept) ?? true)) {
      return { path: kept, isNew: false };
    }
    const path = join(dirname(kept), fileName);
    if (basename(kept) !== fileName) await rename(kept, path);
    return { path, isNew: true };
  }

  #inTurn<T>(action: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(action);
    this.#turn = result.catch(() => undefined);
    return result;
  }
}

/** The file in `home`, if it is whole. */
async function keptFile(home: string, sizeBytes: number): Promise<string | undefined> {
  const [name] = await readdir(home).catch(() => []);
  if (name === undefined) return undefined;
  const path = join(home, name);
  const status = await stat(path).catch(() => undefined);
  return status?.isFile() && status.size === sizeBytes ? path : undefined;
}

/** The folder's time is when its copy was last asked for: the sweep spares it for a while. */
async function touch(folder: string): Promise<void> {
  const now = new Date();
  await utimes(folder, now, now);
}
