import { lstatSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { hasEnded, processIdentityOf } from '../../system/process-identity.ts';
import { writtenAtMs } from '../store/catalogue-file.ts';
import { COMPANIONS } from '../store/own-files.ts';
import { forgetAside, type SetAside, setAside } from './set-aside.ts';

/**
 * A backup takes the place of the catalogue in two steps, so that a kill at any moment leaves the one or
 * the other: it is written whole beside it, under the name of its process, then the old log goes and the
 * name changes. Whoever opens the catalogue finishes what a process that ended had begun.
 */
const BEGUN = '.restoring-';
const OWNER = /^([0-9a-f]{16})-(\d+)-(\d+)(\.part)?$/;
/** The second step takes milliseconds. Of another machine, or from before a restart, only time tells. */
const ABANDONED_MS = 1_000;
const LOOK_AGAIN_MS = 5;
/** When this process saw those of other places first, by its own clock: theirs may be another. */
const firstSeenMs = new Map<string, number>();

interface Begun {
  readonly path: string;
  readonly place: string;
  readonly pid: number;
  readonly startTime: string;
  readonly isPart: boolean;
}

/** Where this process writes what is to take the place of `target`. */
export function begunPath(target: string): string {
  const { place, pid, startTime } = processIdentityOf();
  return `${target}${BEGUN}${place}-${pid}-${startTime}`;
}

/** The second step. Where it fails, all is as it was: nobody carries it out later. */
export function takePlace(target: string, dataFolder: string): SetAside | undefined {
  const begun = begunPath(target);
  let aside: SetAside | undefined;
  try {
    aside = setAside(target, dataFolder);
    for (const suffix of COMPANIONS) rmSync(target + suffix, { force: true });
    renameSync(begun, target);
    return aside;
  } catch (thrown) {
    if (aside !== undefined) forgetAside(aside, target);
    rmSync(begun, { force: true });
    throw thrown;
  }
}

/** Ends restores whose process was killed, and waits for those that run. Throws where the file system refuses. */
export function finishRestore(target: string, dataFolder: string, patienceMs: number): void {
  const giveUpAtMs = performance.now() + patienceMs;
  for (;;) {
    const found = begunBeside(target);
    if (found.length === 0) return;
    const left = found.filter(isAbandoned);
    for (const begun of left) finish(begun, target, dataFolder);
    if (left.length > 0) continue;
    if (performance.now() > giveUpAtMs) return;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_AGAIN_MS);
  }
}

function finish({ path, isPart }: Begun, target: string, dataFolder: string): void {
  const own = begunPath(target);
  // Of this process: it failed, and that was told.
  if (isPart || path === own) {
    rmSync(path, { force: true });
    return;
  }
  try {
    // Of several that find it one gets it: the log that it removes is never that of another.
    renameSync(path, own);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw thrown;
  }
  if (writtenAtMs(target) <= statSync(own).mtimeMs) {
    takePlace(target, dataFolder);
    return;
  }
  rmSync(own, { force: true });
  console.error(
    `A restore of the library ${target} was interrupted and is not resumed, because the library has changed since: restore the backup again if you still want it.`,
  );
}

function begunBeside(target: string): Begun[] {
  const prefix = basename(target) + BEGUN;
  const names = readdirSync(dirname(target)).filter((name) => name.startsWith(prefix));
  return names.flatMap((name) => {
    const [, place, pid, startTime, part] = OWNER.exec(name.slice(prefix.length)) ?? [];
    const path = join(dirname(target), name);
    if (place === undefined || startTime === undefined || !isOwnFile(path)) return [];
    const begun = { path, place, pid: Number(pid), startTime, isPart: part !== undefined };
    // Nothing was removed yet by whoever still writes one.
    return begun.isPart && !hasEnded(begun) ? [] : [begun];
  });
}

/** In a folder that others may write, only what this user wrote. */
function isOwnFile(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined || !found.isFile()) return false;
  return process.getuid === undefined || found.uid === process.getuid();
}

function isAbandoned(begun: Begun): boolean {
  const { place, pid, startTime } = processIdentityOf();
  if (begun.place === place) {
    const isOwn = begun.pid === pid && begun.startTime === startTime;
    return isOwn || hasEnded(begun);
  }
  const sinceMs = firstSeenMs.get(begun.path) ?? performance.now();
  firstSeenMs.set(begun.path, sinceMs);
  return performance.now() - sinceMs > ABANDONED_MS;
}
