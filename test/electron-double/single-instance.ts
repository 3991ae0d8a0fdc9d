import { readdirSync, readFileSync, renameSync, rmSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const LOCK = 'double-instance.lock';
const MESSAGE = /^double-second-\d+\.json$/;

type OnSecond = (argv: readonly string[], workingFolder: string) => void;

/**
 * The lock of the profile `folder`, or `undefined` where another process holds it; that one is
 * then told this one's command line. Synchronous, like requestSingleInstanceLock.
 */
export function claimInstance(folder: string, onSecond: OnSecond): { release(): void } | undefined {
  const lock = join(folder, LOCK);
  if (!takeLock(lock)) {
    const message = join(folder, `double-second-${process.pid}.json`);
    writeFileSync(`${message}.tmp`, JSON.stringify({ argv: argvOfSecond(), cwd: process.cwd() }));
    renameSync(`${message}.tmp`, message);
    return undefined;
  }
  const watcher = watch(folder, () => readMessages(folder, onSecond));
  return {
    release() {
      watcher.close();
      rmSync(lock, { force: true });
    },
  };
}

/** Chromium puts switches of its own between the executable and the rest. */
function argvOfSecond(): string[] {
  const [executable = '', ...rest] = process.argv;
  return [executable, '--allow-file-access-from-files', ...rest];
}

function takeLock(lock: string): boolean {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch {
    if (isRunning(Number(readFileSync(lock, 'utf8')))) return false;
    writeFileSync(lock, String(process.pid));
    return true;
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function readMessages(folder: string, onSecond: OnSecond): void {
  for (const name of readdirSync(folder).filter((entry) => MESSAGE.test(entry))) {
    const path = join(folder, name);
    const { argv, cwd } = JSON.parse(readFileSync(path, 'utf8')) as { argv: string[]; cwd: string };
    rmSync(path, { force: true });
    onSecond(argv, cwd);
  }
}
