import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';

/**
 * Whose a private copy is: its folder's name says it. A scratch folder may lie in a home that several
 * machines or containers share, where the same process number means another process.
 */
export interface CopyOwner {
  /** The machine, its boot and the PID namespace: where `pid` means something. */
  readonly place: string;
  readonly pid: number;
  /** When the process was started, in the kernel's ticks since the boot; `0` where not known. */
  readonly startTime: string;
}

const FOLDER_NAME = /^stalltrace-copy-([\w]+)-(\d+)-(\d+)-/;
/** From then on a copy belongs to nobody, whoever made it. */
const STALE_AFTER_MS = 7 * 86_400_000;

/** The process `pid` of this machine as an owner. */
export function ownerOf(pid: number): CopyOwner {
  return { place: thisPlace(), pid, startTime: startTimeOf(pid) ?? '0' };
}

/** How the folder of a copy of `owner` begins. */
export function copyPrefix({ place, pid, startTime }: CopyOwner): string {
  return `stalltrace-copy-${place}-${pid}-${startTime}-`;
}

/** Removes copies in `scratchDir` whose process of this very machine has ended, and all old ones. */
export function removeStaleCopies(scratchDir: string): void {
  const place = thisPlace();
  for (const name of readdirSync(scratchDir)) {
    const [, of, pid, startTime] = FOLDER_NAME.exec(name) ?? [];
    const path = join(scratchDir, name);
    const ended = of === place && !isAlive(Number(pid), startTime ?? '0');
    if (ended || (name.startsWith('stalltrace-copy-') && isOld(path)))
      rmSync(path, { recursive: true, force: true });
  }
}

function isOld(path: string): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat !== undefined && Date.now() - stat.mtimeMs > STALE_AFTER_MS;
}

function isAlive(pid: number, startTime: string): boolean {
  try {
    process.kill(pid, 0);
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ESRCH') return false;
  }
  const now = startTimeOf(pid);
  return startTime === '0' || now === undefined || now === startTime;
}

/** Field 22 of /proc/PID/stat, behind the name in parentheses (proc_pid_stat(5)); Linux only. */
function startTimeOf(pid: number): string | undefined {
  const stat = readOr(() => readFileSync(`/proc/${pid}/stat`, 'latin1'));
  return stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .at(19);
}

function thisPlace(): string {
  const parts = [
    hostname(),
    readOr(() => readFileSync('/proc/sys/kernel/random/boot_id', 'latin1')),
    readOr(() => readlinkSync('/proc/self/ns/pid')),
  ];
  return createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 16);
}

/** Empty where the system has no such file. */
function readOr(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}
