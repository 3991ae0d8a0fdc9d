import { NONE } from '../../../shared/model/schema.ts';
import { percentiles } from '../../../shared/numbers/percentile.ts';
import { cleanText } from '../../../shared/text/text.ts';
import { formatBytes, formatDuration, plural } from '../../../shared/text/units.ts';
import { traceIndex } from '../../index/trace-index.ts';
import type { RankFacts } from './facts.ts';

/** Requests to block devices, of one kind. */
export interface DiskRequests {
  /** Rows of block_io, slowest first. */
  readonly rows: readonly number[];
  readonly bytes: number;
  readonly medianBytes: number;
  /** From issue to completion, with the time in the queue where that is known. */
  readonly medianNs: number;
  /** Of these in the queue, and at the device; undefined where the queue is not recorded. */
  readonly queuedNs: number | undefined;
  readonly servedNs: number;
  /** `nvme0n1`, most requests first. */
  readonly devices: readonly string[];
}

/** What `thread` asked block devices for within the window, of the kind that `op` names: rows of block_io, in order of time. */
export function requestsOf(
  { trace, window }: Pick<RankFacts, 'trace' | 'window'>,
  thread: number,
  op: RegExp,
): number[] {
  const { rows, startsNs } = traceIndex(trace).rowsOf('block_io', thread);
  const { op: ops } = trace.tables.block_io.columns;
  const within = rows.subarray(startsNs.lowerBound(window[0]), startsNs.lowerBound(window[1]));
  return [...within].filter((row) => op.test(trace.names[ops[row]] ?? ''));
}

/** The figures of `rows` of block_io. */
export function diskRequests(
  facts: Pick<RankFacts, 'trace'>,
  rows: readonly number[],
): DiskRequests {
  const { columns } = facts.trace.tables.block_io;
  const took = (row: number) => columns.durationNs[row] + Math.max(0, columns.queueNs?.[row] ?? 0);
  const median = (values: readonly number[]) => percentiles(Float64Array.from(values), [50])[0];
  const sizes = rows.map((row) => Math.max(0, columns.bytes?.[row] ?? 0));
  const queued = rows.map((row) => columns.queueNs?.[row] ?? -1).filter((ns) => ns >= 0);
  return {
    queuedNs: queued.length === 0 ? undefined : median(queued),
    servedNs: median(rows.map((row) => columns.durationNs[row])),
    devices: devicesOf(facts, rows),
    rows: rows.toSorted((a, b) => took(b) - took(a)),
    bytes: sizes.reduce((sum, size) => sum + size, 0),
    medianBytes: median(sizes),
    medianNs: median(rows.map(took)),
  };
}

function devicesOf({ trace }: Pick<RankFacts, 'trace'>, rows: readonly number[]): string[] {
  const { device } = trace.tables.block_io.columns;
  const byDevice = Map.groupBy(rows, (row) => cleanText(trace.names[device?.[row] ?? NONE] ?? ''));
  return [...byDevice]
    .filter(([name]) => name !== '')
    .sort((a, b) => b[1].length - a[1].length)
    .map(([name]) => name);
}

const placed = { read: 'from', write: 'to', discard: 'on' } as const;
/** `discard`: blocks that a file system no longer needs. */
type DiskRequestKind = keyof typeof placed;

/** `12 reads of 48 MiB in all from nvme0n1 took 215 µs each (median): 10 µs in its queue, 205 µs at the device`. */
export function diskRequestsText(requests: DiskRequests, kind: DiskRequestKind): string {
  const { rows, bytes, medianNs, queuedNs, servedNs, devices } = requests;
  const [first, ...rest] = devices;
  const more = rest.length === 0 ? '' : ` and ${plural(rest.length, 'other device')}`;
  const where = first === undefined ? '' : ` ${placed[kind]} ${first}${more}`;
  const split =
    queuedNs === undefined
      ? ''
      : `: ${formatDuration(queuedNs)} in the queue, ${formatDuration(servedNs)} at the device`;
  return `${plural(rows.length, kind)} of ${formatBytes(bytes)} in all${where} took ${formatDuration(medianNs)} each (median)${split}`;
}
