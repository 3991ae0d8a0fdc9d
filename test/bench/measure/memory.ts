import { execFileSync } from 'node:child_process';
import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import type { CDPSession } from 'playwright-core';
import { descendants, readProc } from '../../support/processes.ts';

/** What is in memory now, and was at most, bytes. */
interface Resident {
  readonly now: number;
  readonly most: number;
}

interface Process {
  /** What no other process can have: also pages of a file that were written to. */
  ownBytes: number;
  readonly mostBytes: number;
  /** Of files that it has mapped, by device and inode: the numbers of the pages that it has in memory. */
  readonly files: Map<string, number[]>;
}

/** Addresses, rights, offset, device, inode: proc_pid_smaps(5). */
const MAPPING = /^([0-9a-f]+)-([0-9a-f]+) \S+ ([0-9a-f]+) (\S+ (\d+))/;
const PAGE_BYTES = Number(execFileSync('getconf', ['PAGESIZE'], { encoding: 'utf8' }));
const HELD = /^(Rss|Anonymous):\s*(\d+) kB/;

function processOf(pid: number): Process {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const mostBytes = Number(/^VmHWM:\s*(\d+) kB/m.exec(status)?.[1]) * 1024;
  const found: Process = { ownBytes: 0, mostBytes, files: new Map() };
  const pagemap = openSync(`/proc/${pid}/pagemap`, 'r');
  let isFile = false;
  for (const line of readFileSync(`/proc/${pid}/smaps`, 'utf8').split('\n')) {
    const [, from, to, offset = '', file = '', inode] = MAPPING.exec(line) ?? [];
    if (inode !== undefined) {
      isFile = inode !== '0';
      const [begin, end, first] = [from, to, offset].map((text) => pageOf(text));
      if (isFile)
        found.files.set(file, [
          ...(found.files.get(file) ?? []),
          ...filePages(pagemap, begin, end).map((page) => page - begin + first),
        ]);
    }
    const [, what, kib] = HELD.exec(line) ?? [];
    if (what === (isFile ? 'Anonymous' : 'Rss')) found.ownBytes += Number(kib) * 1024;
  }
  closeSync(pagemap);
  return found;
}

const pageOf = (hexadecimal: string) => Number.parseInt(hexadecimal, 16) / PAGE_BYTES;

/** Bytes of a page's entry in proc_pid_pagemap(5); of its upper half, whether it is in memory, and as the file has it. */
const ENTRY_BYTES = 8;
const IS_PRESENT = 2 ** 31;
const IS_OF_FILE = 2 ** 29;

/** Those of the pages [begin, end) of a process that are in memory as their file has them. */
function filePages(pagemap: number, begin: number, end: number): number[] {
  const entries = Buffer.alloc((end - begin) * ENTRY_BYTES);
  readSync(pagemap, entries, 0, entries.length, begin * ENTRY_BYTES);
  const pages: number[] = [];
  for (let page = begin; page < end; page++) {
    const upper = entries.readUInt32LE((page - begin) * ENTRY_BYTES + ENTRY_BYTES / 2);
    if (upper >= IS_PRESENT && upper % (2 * IS_OF_FILE) >= IS_OF_FILE) pages.push(page);
  }
  return pages;
}

/**
 * Of several processes together. A page of a file is in memory once, however many have mapped it, such as those of the program that
 * all of them run: it counts once.
 */
function togetherOf(processes: readonly Process[]): Resident {
  const pages = new Map<string, Set<number>>();
  for (const [file, own] of processes.flatMap((each) => [...each.files])) {
    const known = pages.get(file) ?? new Set();
    pages.set(file, known);
    for (const page of own) known.add(page);
  }
  const held = PAGE_BYTES * sum(pages.values(), ({ size }) => size);
  const mapped = sum(processes, ({ files }) => sum(files.values(), ({ length }) => length));
  return {
    now: held + sum(processes, ({ ownBytes }) => ownBytes),
    most: sum(processes, ({ mostBytes }) => mostBytes) - (PAGE_BYTES * mapped - held),
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
