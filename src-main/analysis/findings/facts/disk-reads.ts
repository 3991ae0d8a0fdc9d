import { NONE } from '../../../shared/model/schema.ts';
import { lowerBound } from '../../../shared/numbers/bisect.ts';
import { percentiles } from '../../../shared/numbers/percentile.ts';
import { cleanText } from '../../../shared/text/text.ts';
import { formatBytes, formatDuration, plural } from '../../../shared/text/units.ts';
import { onceFor } from '../../index/per-trace.ts';
import { traceIndex } from '../../index/trace-index.ts';
import type { RankFacts } from './facts.ts';
import { makersOf, production } from './loader-work.ts';

/** The reads of block devices that the threads which make batches asked for, within the window. */
export interface DiskReads {
  /** Rows of block_io, slowest first. */
  readonly rows: readonly number[];
  readonly bytes: number;
  readonly medianBytes: number;
  /** From issue to completion, with the time in the queue where that is known. */
  readonly medianNs: number;
  /** Of these in the queue, and at the device; undefined where the queue is not recorded. */
  readonly queuedNs: number | undefined;
  readonly servedNs: number;
  /** `nvme0n1`, most reads first. */
  readonly devices: readonly string[];
  /** Reads that did not go on where the thread's last one ended. */
  readonly scattered: number;
}

const READ = /read/i;
const SECTOR_BYTES = 512;

/** Counted once per rank. */
export const diskReads = onceFor((facts: RankFacts) => facts, countReads);

function countReads(facts: RankFacts): DiskReads {
  const { columns } = facts.trace.tables.block_io;
  const byThread = makersOf(facts).map((thread) => readsOf(facts, thread));
  const rows = byThread.flat();
  const scattered = byThread
    .map((own) => own.filter((row, at) => at === 0 || !goesOn(facts, own[at - 1], row)).length)
    .reduce((sum, count) => sum + count, 0);
  const took = (row: number) => columns.durationNs[row] + Math.max(0, columns.queueNs?.[row] ?? 0);
  const sizes = Float64Array.from(rows, (row) => Math.max(0, columns.bytes?.[row] ?? 0));
  const [medianBytes] = percentiles(sizes, [50]);
  const [medianNs] = percentiles(Float64Array.from(rows, took), [50]);
  const queued = rows.map((row) => columns.queueNs?.[row] ?? -1).filter((ns) => ns >= 0);
  const median = (values: readonly number[]) => percentiles(Float64Array.from(values), [50])[0];
  return {
    queuedNs: queued.length === 0 ? undefined : median(queued),
    servedNs: median(rows.map((row) => columns.durationNs[row])),
    devices: devicesOf(facts, rows),
    rows: rows.toSorted((a, b) => took(b) - took(a)),
    bytes: sizes.reduce((sum, size) => sum + size, 0),
    medianBytes,
    medianNs,
    scattered,
  };
}

function devicesOf({ trace }: RankFacts, rows: readonly number[]): string[] {
  const { device } = trace.tables.block_io.columns;
  const byDevice = Map.groupBy(rows, (row) => cleanText(trace.names[device?.[row] ?? NONE] ?? ''));
  return [...byDevice]
    .filter(([name]) => name !== '')
    .sort((a, b) => b[1].length - a[1].length)
    .map(([name]) => name);
}

/** `12 reads of 48 MiB in all from nvme0n1 took 215 µs each (median): 10 µs in its queue, 205 µs at the device`. */
export function diskReadsText({ rows, bytes, medianNs, ...reads }: DiskReads): string {
  const [first, ...rest] = reads.devices;
  const more = rest.length === 0 ? '' : ` and ${plural(rest.length, 'other device')}`;
  const from = first === undefined ? '' : ` from ${first}${more}`;
  const split =
    reads.queuedNs === undefined
      ? ''
      : `: ${formatDuration(reads.queuedNs)} in the queue, ${formatDuration(reads.servedNs)} at the device`;
  return `${plural(rows.length, 'read')} of ${formatBytes(bytes)} in all${from} took ${formatDuration(medianNs)} each (median)${split}`;
}

/** What one thread read of disks within the window. */
export function bytesReadBy(facts: RankFacts, thread: number): number {
  const { bytes } = facts.trace.tables.block_io.columns;
  return readsOf(facts, thread).reduce((sum, row) => sum + Math.max(0, bytes?.[row] ?? 0), 0);
}

function readsOf({ trace, window }: RankFacts, thread: number): number[] {
  const { rows, startsNs } = traceIndex(trace).rowsOf('block_io', thread);
  const { op } = trace.tables.block_io.columns;
  const within = rows.subarray(lowerBound(startsNs, window[0]), lowerBound(startsNs, window[1]));
  return [...within].filter((row) => READ.test(trace.names[op[row]] ?? ''));
}

function goesOn({ trace }: RankFacts, before: number, row: number): boolean {
  const { sector, bytes, device } = trace.tables.block_io.columns;
  if (sector === undefined || sector[before] < 0 || sector[row] < 0) return false;
  if (device?.[before] !== device?.[row]) return false;
  return sector[row] === sector[before] + Math.max(0, bytes?.[before] ?? 0) / SECTOR_BYTES;
}

/** What Linux reads ahead by itself (read_ahead_kb = 128): a longer file takes larger reads. */
const SMALL_READ_BYTES = 128 * 1024;
/** Of the reads. Our own choice, as are the next two. */
const SCATTERED_AT_LEAST = 0.5;
const READS_AT_LEAST = 50;
const READS_PER_BATCH_AT_LEAST = 2;

/** Whether the reads are small pieces from all over a disk, several for each batch, as one file a sample makes them. */
export function areSmallAndScattered(facts: RankFacts): boolean {
  const { rows, medianBytes, scattered } = diskReads(facts);
  const { batches } = production(facts);
  if (rows.length < READS_AT_LEAST || batches === 0) return false;
  if (rows.length < batches * READS_PER_BATCH_AT_LEAST) return false;
  return medianBytes <= SMALL_READ_BYTES && scattered >= rows.length * SCATTERED_AT_LEAST;
}
