import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import type { CDPSession } from 'playwright-core';
import { descendants, readProc } from '../../support/processes.ts';

/** What is in memory now, and was at most, bytes. */
interface Resident {
  readonly now: number;
  readonly most: number;
}

/** A stretch of a file that processes have mapped: how long it is, and how much of it is in memory. */
interface Mapped {
  readonly sizeBytes: number;
  residentBytes: number;
}

interface Process {
  /** What no other process can have: also pages of a file that were written to. */
  ownBytes: number;
  readonly mostBytes: number;
  /** By where it begins, and in which file. */
  readonly files: Map<string, Mapped>;
}

/** Addresses, rights, offset, device, inode: proc_pid_smaps(5). */
const MAPPING = /^([0-9a-f]+)-([0-9a-f]+) \S+ ([0-9a-f]+ \S+ (\d+))/;
const HELD = /^(Rss|Anonymous):\s*(\d+) kB/;

function processOf(pid: number): Process {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const mostBytes = Number(/^VmHWM:\s*(\d+) kB/m.exec(status)?.[1]) * 1024;
  const found: Process = { ownBytes: 0, mostBytes, files: new Map() };
  let file: Mapped | undefined;
  for (const line of readFileSync(`/proc/${pid}/smaps`, 'utf8').split('\n')) {
    const [, from, to, place = '', inode] = MAPPING.exec(line) ?? [];
    if (inode !== undefined) {
      const sizeBytes = Number.parseInt(to, 16) - Number.parseInt(from, 16);
      file = inode === '0' ? undefined : { sizeBytes, residentBytes: 0 };
      if (file !== undefined) found.files.set(`${place} ${sizeBytes}`, file);
    }
    const [, what, kib] = HELD.exec(line) ?? [];
    const bytes = Number(kib ?? 0) * 1024;
    if (what === 'Rss' && file !== undefined) file.residentBytes += bytes;
    if (what === 'Rss' ? file === undefined : file !== undefined) found.ownBytes += bytes;
    if (what === 'Anonymous' && file !== undefined) file.residentBytes -= bytes;
  }
  return found;
}

/**
 * Of several processes together. A page of a file is in memory once, however many have mapped it, such as the program that all
 * of them run: of such a stretch counts what all of them have of it, but no more than it is long. So it is at most so much.
 */
function togetherOf(processes: readonly Process[]): Resident {
  const files = new Map<string, Mapped>();
  for (const [place, { sizeBytes, residentBytes }] of processes.flatMap((each) => [...each.files]))
    files.set(place, {
      sizeBytes,
      residentBytes: residentBytes + (files.get(place)?.residentBytes ?? 0),
    });
  const again = sum(files.values(), (file) => Math.max(0, file.residentBytes - file.sizeBytes));
  const held = sum(files.values(), (file) => file.residentBytes) - again;
  return {
    now: held + sum(processes, ({ ownBytes }) => ownBytes),
    most: sum(processes, ({ mostBytes }) => mostBytes) - again,
  };
}

const sum = <Value>(all: Iterable<Value>, bytesOf: (value: Value) => number) =>
  [...all].reduce((bytes, value) => bytes + bytesOf(value), 0);

const isOfTrace = (pid: number) =>
  readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('trace-process');

/** The process of a trace gives back what it has freed once nobody has asked for four seconds: a few more than that. */
const REST_LOOKS = 7;
const LOOK_EVERY_MS = 1000;
/** CPU time of a host's processes between two looks, in ticks of 10 ms, that is no work. */
const NO_WORK_TICKS = 5;

/** Resolves once a host and what it started have had nothing to do for a while: then they hold what they keep. */
async function atRest(pid: number): Promise<void> {
  let last = ticksOf(pid);
  for (let still = 0; still < REST_LOOKS; ) {
    // What is waited for is that nothing happens.
    await setTimeout(LOOK_EVERY_MS);
    const now = ticksOf(pid);
    still = now - last <= NO_WORK_TICKS ? still + 1 : 0;
    last = now;
  }
}

/** CPU time of a host and all below it: utime and stime of proc_pid_stat(5). */
function ticksOf(pid: number): number {
  return sum([pid, ...descendants(pid)], (each) => {
    const fields = readProc(`${each}/stat`).split(') ')[1]?.split(' ') ?? [];
    return Number(fields[11] ?? 0) + Number(fields[12] ?? 0);
  });
}

/** Of the processes below a host, itself included: all together, and those of traces with their threads. At rest. */
export async function hostMemory(
  pid: number,
): Promise<{ readonly all: Resident; readonly trace: Resident }> {
  await atRest(pid);
  const pids = [pid, ...descendants(pid)];
  const traces = pids.filter(isOfTrace);
  if (traces.length === 0) throw new Error('no process of a trace runs');
  return { all: togetherOf(pids.map(processOf)), trace: togetherOf(traces.map(processOf)) };
}

/** Of a page's JavaScript once what nothing needs is gone: objects, and the bytes of typed arrays. */
export async function pageHeap(session: CDPSession): Promise<number> {
  await session.send('HeapProfiler.collectGarbage');
  const used = await session.send('Runtime.getHeapUsage');
  return used.usedSize + used.backingStorageSize;
}
