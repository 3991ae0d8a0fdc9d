import type { Trace } from '../../../shared/model/trace.ts';
import { median } from '../../../shared/numbers/percentile.ts';
import { cleanText } from '../../../shared/text/text.ts';
import { onceFor } from '../../index/per-trace.ts';
import { diskWaitsOf } from './awaited-files.ts';
import type { RankFacts } from './facts.ts';
import { makersOf } from './loader-work.ts';
import { type MetricSamples, samplesOf } from './machine-samples.ts';

/** A limit of what the job’s control group may read of a device, or write to it, and what it did of that. */
export interface IoLimit {
  /** `nvme0n1`; its number, `8:16`, where its name is not known. Safe in a line for a shell. */
  readonly device: string;
  readonly unit: 'MiB/s' | 'requests/s';
  readonly limit: MetricSamples;
  readonly done: MetricSamples;
}

/**
 * As the agent names them: agent/src/host/cgroup/cgroup_metrics.c. The fix has the device (`sda`, `cciss/c0d0`, `8:16`) in a command
 * that people paste: so only of characters that mean nothing to a shell.
 */
const LIMITS = {
  'reads of': /^I\/O limit, reads of ([\w/:.-]+) \((MiB\/s|requests\/s)\)$/,
  'writes to': /^I\/O limit, writes to ([\w/:.-]+) \((MiB\/s|requests\/s)\)$/,
};

/** One that holds reads back, and the medians that show it. */
export interface HeldBack extends IoLimit {
  /** How long a thread that makes batches waited for a disk. */
  readonly waitNs: number;
  /** How long the device took for a read, queue and all; undefined = not recorded. */
  readonly deviceNs: number | undefined;
}

/** Of the limit, on average: the kernel lets through in slices, and samples are of whole seconds. Our own choice. */
export const USED_UP = 0.9;
/** Waits are so many times as long as the device takes for a read: else it may be all that it can do. Our own choice. */
const LONGER = 3;

/**
 * The limit on reading that is used up while the device could do more; undefined where there is none. A request that is
 * held back waits before it is queued: its queue does not show it. Worked out once per rank.
 */
export const heldBackBy = onceFor((facts: RankFacts) => facts, findHeldBack);

function findHeldBack(facts: RankFacts): HeldBack | undefined {
  const [limit] = ioLimits(facts, 'reads of');
  if (limit === undefined || usedUp(limit) < USED_UP) return undefined;
  const times = readTimes(facts, limit.device);
  const isLonger = times.deviceNs === undefined || times.waitNs >= times.deviceNs * LONGER;
  return isLonger ? { ...limit, ...times } : undefined;
}

/** Limits of one kind within the window, the most used up first. */
export function ioLimits(facts: RankFacts, what: keyof typeof LIMITS): IoLimit[] {
  const limits = facts.trace.names.flatMap((name): IoLimit[] => {
    const [, device, unit] = LIMITS[what].exec(name) ?? [];
    if (device === undefined || (unit !== 'MiB/s' && unit !== 'requests/s')) return [];
    const limit = samplesOf(facts, name, facts.window);
    const done = samplesOf(facts, name.replace('limit', 'under a limit'), facts.window);
    if (limit === undefined || done === undefined || limit.mean <= 0) return [];
    return [{ device, unit, limit, done }];
  });
  return limits.toSorted((a, b) => usedUp(b) - usedUp(a));
}

/** How much of the limit was used on average; 1 = all. */
function usedUp({ limit, done }: IoLimit): number {
  return done.mean / limit.mean;
}

/**
 * Medians of how long a thread that makes batches waited for a disk, and of how long the device took for a read,
 * queue and all; `deviceNs` is undefined where its reads are not recorded. A request that is held back waits before
 * it is queued, and is handed on by the kernel’s own threads: those of other programs are left out.
 */
function readTimes(
  facts: RankFacts,
  device: string,
): { readonly waitNs: number; readonly deviceNs: number | undefined } {
  const { trace } = facts;
  const { columns } = trace.tables.block_io;
  const took = readsFor(facts, device).map(
    (row) => columns.durationNs[row] + Math.max(0, columns.queueNs?.[row] ?? 0),
  );
  const waits = makersOf(facts).flatMap((thread) => diskWaitsNs(facts, thread));
  return {
    waitNs: median(waits) ?? 0,
    deviceNs: median(took),
  };
}

function readsFor({ trace, rank, window }: RankFacts, device: string): number[] {
  const { columns, rows } = trace.tables.block_io;
  const own = new Set(rank.processes);
  const found: number[] = [];
  for (let row = 0; row < rows; row++) {
    if (columns.startNs[row] < window[0] || columns.startNs[row] >= window[1]) continue;
    const process = trace.threads[columns.thread[row]]?.process ?? -1;
    const isHandedOn = trace.processes[process]?.role === 'kernel';
    const isRead = trace.names[columns.op[row]] === 'read';
    if (isRead && isOf(trace, row, device) && (own.has(process) || isHandedOn)) found.push(row);
  }
  return found;
}

/** Whether a row of block_io is of `vda` or its parts `vda1`; of `nvme0n1` or `nvme0n1p2`, and not of `nvme0n10`. */
export function isOf({ names, tables }: Trace, row: number, device: string): boolean {
  const name = cleanText(names[tables.block_io.columns.device?.[row] ?? -1] ?? '');
  const part = /\d$/.test(device) ? /^(p\d+)?$/ : /^\d*$/;
  return name.startsWith(device) && part.test(name.slice(device.length));
}

function diskWaitsNs(facts: RankFacts, thread: number): number[] {
  const { durationNs } = facts.trace.tables.off_cpu.columns;
  return diskWaitsOf(facts, thread).map((row) => durationNs[row]);
}
