import { storedOperations } from '../../analysis/operations/operations.ts';
import type { FirstFigures } from '../../shared/answers/first-figures.ts';
import type { OperationStats } from '../../shared/answers/operations.ts';
import type { Trace } from '../../shared/model/trace.ts';
import type { ReadSoFar } from '../../trace/source/importer.ts';
import { firstTimeline } from './first-timeline.ts';

/** Who waits for so long gets a first look. */
const FIRST_AFTER_MS = 400;
/** Reading goes on for so many times as long as the last look took before there is another one. */
const READ_BETWEEN = 8;
/** What leads to the verdict, and is read first. */
const firstTables = ['cuda_call', 'gpu_work'] as const;
/**
 * Characters of JSON. A process that reads does not turn to its messages: what does not fit into the system's buffer
 * of a socket, 208 KiB on Linux, would be sent when it is too late.
 */
const MOST_OPERATIONS_LENGTH = 40_000;
const MOST_NAME_LENGTH = 200;

/** Hears how far a file is read, and tells the first figures of it now and then until its first tables are whole. */
export function watchForFirstFigures(
  tell: (figures: FirstFigures) => void,
  now = () => performance.now(),
): (read: ReadSoFar) => void {
  let nextMs = now() + FIRST_AFTER_MS;
  let isDone = false;
  return (read) => {
    const begunMs = now();
    if (isDone || begunMs < nextMs) return;
    const first = read.tables().filter(({ table }) => isFirst(table));
    if (first.every(({ rows }) => rows === 0)) return;
    isDone = first.every(({ isWhole }) => isWhole);
    tell({ tables: first, ...figuresOf(read.trace()) });
    nextMs = now() + READ_BETWEEN * (now() - begunMs);
  };
}

const isFirst = (table: string) => (firstTables as readonly string[]).includes(table);

function figuresOf(trace: Trace): Omit<FirstFigures, 'tables'> {
  const all = storedOperations(trace, { bySize: true }, firstTables);
  const operations = fittingRows(all.map(untilItIsRead));
  return {
    operations,
    operationsLeftOut: all.length - operations.length,
    timeline: firstTimeline(trace),
  };
}

/**
 * Without what the rest of the file may say otherwise: the place of a row, and the direction of a copy whose call
 * does not tell it, as the GPU's record of it may.
 */
function untilItIsRead({ slowestCall: _, recorded: __, ...stats }: OperationStats): OperationStats {
  return { ...stats, direction: stats.direction === 'unknown' ? null : stats.direction };
}

/** As many of the first rows as are sent at once. */
function fittingRows(rows: readonly OperationStats[]): OperationStats[] {
  const fitting: OperationStats[] = [];
  let length = 0;
  for (const { recordedName: _, ...row } of rows) {
    const short = { ...row, name: row.name.slice(0, MOST_NAME_LENGTH) };
    length += JSON.stringify(short).length;
    if (length > MOST_OPERATIONS_LENGTH) break;
    fitting.push(short);
  }
  return fitting;
}
