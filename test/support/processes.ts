import { readdirSync, readFileSync } from 'node:fs';

/** The processes that `pid` started; none where it is gone. */
export function childrenOf(pid: number): number[] {
  const text = readProc(`${pid}/task/${pid}/children`).trim();
  return text === '' ? [] : text.split(' ').map(Number);
}

/** All below `pid`, children before their parents. */
export function descendants(pid: number): number[] {
  return childrenOf(pid).flatMap((child) => [...descendants(child), child]);
}

/** For how long the threads of `pid` have waited for a CPU since they began, added up, ns. */
export function waitedForCpus(pid: number): bigint {
  return threadsOf(pid)
    .map((tid) => readProc(`${pid}/task/${tid}/schedstat`).split(' ')[1])
    .reduce((sum, waited) => sum + BigInt(waited ?? 0), 0n);
}

function threadsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

/** A file below /proc; empty where the process has ended meanwhile. */
export function readProc(file: string): string {
  try {
    return readFileSync(`/proc/${file}`, 'utf8');
  } catch {
    return '';
  }
}
