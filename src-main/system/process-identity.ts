import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { z } from 'zod';

/**
 * A process of this or another machine that shares the data folder: a number alone comes again, and
 * means another process in a container.
 */
export const processIdentity = z.strictObject({
  /** The machine, its boot and the PID namespace: where `pid` means something. */
  place: z.string(),
  pid: z.number().int().positive(),
  /** The kernel's ticks since the boot; `0` where not known. */
  startTime: z.string(),
});
export type ProcessIdentity = z.infer<typeof processIdentity>;

/** The process `pid` of this machine; without one, this process. */
export function processIdentityOf(pid = process.pid): ProcessIdentity {
  return { place: thisPlace(), pid, startTime: startTimeOf(pid) ?? '0' };
}

/** Whether `identity` has certainly ended; false where that can't be known. */
export function hasEnded(identity: ProcessIdentity): boolean {
  if (identity.place !== thisPlace()) return false;
  try {
    process.kill(identity.pid, 0);
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ESRCH') return true;
  }
  const [state] = statOf(identity.pid);
  // Of an orphan, where nobody asks how it ended, as in a container without an init.
  if (state === 'Z' || state === 'X') return true;
  const now = startTimeOf(identity.pid);
  return identity.startTime !== '0' && now !== undefined && now !== identity.startTime;
}

/** Field 22. */
function startTimeOf(pid: number): string | undefined {
  return statOf(pid).at(19);
}

/** /proc/PID/stat from its third field on, behind the name in parentheses (proc_pid_stat(5)); Linux only. */
function statOf(pid: number): readonly string[] {
  const stat = readOr(() => readFileSync(`/proc/${pid}/stat`, 'latin1'));
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

let knownPlace: string | undefined;

function thisPlace(): string {
  knownPlace ??= findPlace();
  return knownPlace;
}

function findPlace(): string {
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
