import { readFileSync } from 'node:fs';
import type { CDPSession } from 'playwright-core';
import { descendants } from '../../support/processes.ts';

/** What is in memory now, and was at most, bytes. */
interface Resident {
  readonly now: number;
  readonly most: number;
}

function residentOf(pid: number): Resident {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const field = (name: string) =>
    Number(new RegExp(`^${name}:\\s*(\\d+) kB`, 'm').exec(status)?.[1]) * 1024;
  return { now: field('VmRSS'), most: field('VmHWM') };
}

const isOfTrace = (pid: number) =>
  readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('trace-process');

const sum = (all: readonly Resident[]): Resident => ({
  now: all.reduce((bytes, { now }) => bytes + now, 0),
  most: all.reduce((bytes, { most }) => bytes + most, 0),
});

/** Of the processes below a host, itself included: all together, and those of traces with their threads. */
export function hostMemory(pid: number): { readonly all: Resident; readonly trace: Resident } {
  const pids = [pid, ...descendants(pid)];
  const traces = pids.filter(isOfTrace);
  if (traces.length === 0) throw new Error('no process of a trace runs');
  return { all: sum(pids.map(residentOf)), trace: sum(traces.map(residentOf)) };
}

/** Of a page's JavaScript once what nothing needs is gone: objects, and the bytes of typed arrays. */
export async function pageHeap(session: CDPSession): Promise<number> {
  await session.send('HeapProfiler.collectGarbage');
  const used = await session.send('Runtime.getHeapUsage');
  return used.usedSize + used.backingStorageSize;
}
