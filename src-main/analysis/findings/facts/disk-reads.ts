import { lowerBound } from '../../../shared/numbers/bisect.ts';
import { percentiles } from '../../../shared/numbers/percentile.ts';
import { traceIndex } from '../../index/trace-index.ts';
import type { RankFacts } from './facts.ts';
import { makersOf } from './loader-work.ts';

/** The reads of block devices that the threads which make batches asked for, within the window. */
export interface DiskReads {
  /** Rows of block_io, slowest first. */
  readonly rows: readonly number[];
  readonly bytes: number;
  readonly medianBytes: number;
  /** From issue to completion, with the time in the queue where that is known. */
  readonly medianNs: number;
  /** Reads that did not go on where the thread's last one ended. */
  readonly scattered: number;
}

const READ = /read/i;
const SECTOR_BYTES = 512;

export function diskReads(facts: RankFacts): DiskReads {
  const { columns } = facts.trace.tables.block_io;
  const rows: number[] = [];
  let scattered = 0;
  for (const thread of makersOf(facts)) {
    const own = readsOf(facts, thread);
    rows.push(...own);
    scattered += own.filter((row, at) => at === 0 || !goesOn(facts, own[at - 1], row)).length;
  }
  const took = (row: number) => columns.durationNs[row] + Math.max(0, columns.queueNs?.[row] ?? 0);
  const sizes = Float64Array.from(rows, (row) => Math.max(0, columns.bytes?.[row] ?? 0));
  const [medianBytes] = percentiles(sizes, [50]);
  const [medianNs] = percentiles(Float64Array.from(rows, took), [50]);
  return {
    rows: rows.toSorted((a, b) => took(b) - took(a)),
    bytes: sizes.reduce((sum, size) => sum + size, 0),
    medianBytes,
    medianNs,
    scattered,
  };
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
