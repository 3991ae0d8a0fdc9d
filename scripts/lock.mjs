// A lock that processes of one machine share: a folder that names its holder. Any Node can run it.
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const POLL_MS = 200;
/** A holder names itself right after it made the folder; one that did not by now never will. */
const UNNAMED_MS = 5000;

/**
 * Runs `action` while no other process holds the lock `folder`; `onWait` is told once who does.
 * Throws what mkdir does where the folder can't be made.
 */
export function withLock(folder, onWait, action) {
  let told = false;
  while (!tryLock(folder)) {
    if (isStale(folder)) breakLock(folder);
    else {
      if (!told) onWait(holderOf(folder));
      told = true;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, POLL_MS);
    }
  }
  // process.exit() inside the action skips `finally`.
  const release = () => rmSync(folder, { recursive: true, force: true });
  process.once('exit', release);
  try {
    return action();
  } finally {
    process.removeListener('exit', release);
    release();
  }
}

function tryLock(folder) {
  try {
    mkdirSync(folder);
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
  // Under its name once it is whole: nobody reads half of it.
  const part = join(folder, 'part');
  writeFileSync(part, String(process.pid));
  renameSync(part, join(folder, 'pid'));
  return true;
}

function holderOf(folder) {
  try {
    return Number(readFileSync(join(folder, 'pid'), 'utf8')) || undefined;
  } catch {
    return undefined;
  }
}

function isStale(folder) {
  const pid = holderOf(folder);
  if (pid !== undefined) return !isAlive(pid);
  const made = statSync(folder, { throwIfNoEntry: false });
  return made !== undefined && Date.now() - made.mtimeMs > UNNAMED_MS;
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code !== 'ESRCH';
  }
}

/** Moved before it is removed: of several that wait, one gets to do it. */
function breakLock(folder) {
  const grave = `${folder}-${process.pid}`;
  try {
    renameSync(folder, grave);
  } catch {
    return;
  }
  rmSync(grave, { recursive: true, force: true });
}
