import {
  constants,
  copyFile,
  lstat,
  open,
  realpath,
  rename,
  rm,
  stat,
  unlink,
} from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import type { HostPlatform } from '../shared/platform.ts';
import { makeFolder } from './make-folder.ts';

/**
 * The trash of Linux desktops, by the FreeDesktop.org Trash specification 1.0
 * (https://specifications.freedesktop.org/trash-spec/1.0/), for hosts without a desktop of their own.
 */

export interface TrashOptions {
  readonly environment?: NodeJS.ProcessEnv;
  readonly home?: string;
  readonly now?: Date;
}

interface Trash {
  readonly folder: string;
  /** Paths in it are told relative to this; absolute in the home trash. */
  readonly topFolder?: string;
}

/** Longest name of a file; `.trashinfo` and a number are appended to it. */
const MAX_NAME_BYTES = 230;
const STICKY = 0o1000;

/** For hosts without a desktop of their own; elsewhere than on Linux there is no such place for all. */
export const trashOfHost: Pick<HostPlatform, 'trash'> =
  process.platform === 'linux' ? { trash: (path) => moveToTrash(path) } : {};

/** Moves the file at `path` to the trash of its disk, else to the user's own. Throws where neither takes it. */
export async function moveToTrash(path: string, options: TrashOptions = {}): Promise<void> {
  // A link is thrown away, not what it leads to.
  const absolute = join(await realpath(dirname(resolve(path))), basename(path));
  const { dev } = await lstat(absolute);
  const home = await homeTrash(options);
  const isNear = home !== undefined && (await stat(home.folder)).dev === dev;
  const trash = isNear ? home : ((await trashOfDisk(absolute, dev)) ?? home);
  if (trash === undefined) throw new Error(`no trash can be written for ${absolute}`);
  await put(absolute, trash, options.now ?? new Date());
}

async function homeTrash({
  environment = process.env,
  home,
}: TrashOptions): Promise<Trash | undefined> {
  const { XDG_DATA_HOME: data } = environment;
  const base = data?.startsWith('/') ? data : join(home ?? homedir(), '.local', 'share');
  const folder = join(base, 'Trash');
  try {
    await makeTrash(folder);
    return { folder };
  } catch {
    return undefined;
  }
}

/** `$topdir/.Trash/$uid` where the administrator made that, else `$topdir/.Trash-$uid`. */
async function trashOfDisk(path: string, dev: number): Promise<Trash | undefined> {
  const uid = process.getuid?.();
  if (uid === undefined) return undefined;
  const topFolder = await topOf(dirname(path), dev);
  const shared = join(topFolder, '.Trash');
  const candidates = [join(topFolder, `.Trash-${uid}`)];
  if (await isSharedTrash(shared)) candidates.unshift(join(shared, String(uid)));
  for (const folder of candidates) {
    try {
      await makeTrash(folder);
      // Prepared by somebody else, a link would send the file wherever they like.
      const made = await lstat(folder);
      if (made.isDirectory() && made.uid === uid && made.dev === dev) return { folder, topFolder };
    } catch {
      // Read-only to this user: the next one.
    }
  }
  return undefined;
}

async function isSharedTrash(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined);
  return found?.isDirectory() === true && (found.mode & STICKY) !== 0;
}

/** The highest folder above `folder` on the same device: where its disk is mounted. */
async function topOf(folder: string, dev: number): Promise<string> {
  const parent = dirname(folder);
  if (parent === folder) return folder;
  const above = await stat(parent).catch(() => undefined);
  return above?.dev === dev ? topOf(parent, dev) : folder;
}

async function makeTrash(folder: string): Promise<void> {
  for (const name of ['files', 'info']) {
    await makeFolder(join(folder, name));
  }
}

async function put(path: string, trash: Trash, now: Date): Promise<void> {
  const { name, info } = await reserve(path, trash, now);
  try {
    await move(path, join(trash.folder, 'files', name));
  } catch (thrown) {
    await unlink(info);
    throw thrown;
  }
}

/** Writes the `.trashinfo` first, exclusively: that is what makes the name this file's. */
async function reserve(path: string, { folder, topFolder }: Trash, now: Date) {
  const told = topFolder === undefined ? path : relative(topFolder, path);
  const text = `[Trash Info]\nPath=${percentEncoded(told)}\nDeletionDate=${localTime(now)}\n`;
  for (let number = 1; ; number++) {
    const name = numbered(basename(path), number);
    const info = join(folder, 'info', `${name}.trashinfo`);
    const file = await open(info, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => error);
    if (file instanceof Error) {
      if (file.code === 'EEXIST') continue;
      throw file;
    }
    try {
      await file.writeFile(text);
    } finally {
      await file.close();
    }
    // A file without its info, left by another program.
    if ((await lstat(join(folder, 'files', name)).catch(() => undefined)) === undefined) {
      return { name, info };
    }
    await unlink(info);
  }
}

async function move(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'EXDEV') throw thrown;
    try {
      await copyFile(from, to, constants.COPYFILE_EXCL);
      await unlink(from);
    } catch (failed) {
      await rm(to, { force: true });
      throw failed;
    }
  }
}

/** `run.db`, `run 2.db`, …: short enough for what is appended. */
function numbered(name: string, number: number): string {
  const dot = name.lastIndexOf('.');
  const extension = dot > 0 && name.length - dot <= 16 ? name.slice(dot) : '';
  let stem = name.slice(0, name.length - extension.length);
  while (Buffer.byteLength(stem + extension) > MAX_NAME_BYTES) {
    stem = [...stem].slice(0, -1).join('');
  }
  return number === 1 ? stem + extension : `${stem} ${number}${extension}`;
}

/** As in a URL, the slashes kept: the specification wants the escapes of RFC 2396 §2. */
function percentEncoded(path: string): string {
  return path.split(sep).map(encodeURIComponent).join('/');
}

/** `YYYY-MM-DDThh:mm:ss` in the user's time zone. */
function localTime(now: Date): string {
  const shifted = new Date(now.getTime() - now.getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 19);
}
