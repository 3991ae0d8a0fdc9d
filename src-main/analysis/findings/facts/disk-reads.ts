import { onceFor } from '../../index/per-trace.ts';
import { type DiskRequests, diskRequests, diskRequestsText, requestsOf } from './disk-requests.ts';
import type { RankFacts } from './facts.ts';
import { makersOf, production } from './loader-work.ts';

/** The reads of block devices that the threads which make batches asked for, within the window. */
export interface DiskReads extends DiskRequests {
  /** Reads that did not go on where the thread's last one ended. */
  readonly scattered: number;
}

const READ = /read/i;
const SECTOR_BYTES = 512;

/** Counted once per rank. */
export const diskReads = onceFor((facts: RankFacts) => facts, countReads);

function countReads(facts: RankFacts): DiskReads {
  const byThread = makersOf(facts).map((thread) => requestsOf(facts, thread, READ));
  const scattered = byThread
    .map((own) => own.filter((row, at) => at === 0 || !goesOn(facts, own[at - 1], row)).length)
    .reduce((sum, count) => sum + count, 0);
  return { ...diskRequests(facts, byThread.flat()), scattered };
}

/** `12 reads of 48 MiB in all from nvme0n1 took 215 µs each (median)`. */
export const diskReadsText = (reads: DiskReads): string => diskRequestsText(reads, 'read');

/** What one thread read of disks within the window. */
export function bytesReadBy(facts: RankFacts, thread: number): number {
  const { bytes } = facts.trace.tables.block_io.columns;
  const rows = requestsOf(facts, thread, READ);
  return rows.reduce((sum, row) => sum + Math.max(0, bytes?.[row] ?? 0), 0);
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
