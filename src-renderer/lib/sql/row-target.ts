import type { StatementCell, StatementStart } from '../../../src-main/shared/answers/statement.ts';
import type { EventRef } from '../../../src-main/shared/model/event-ref.ts';
import type { TimeWindow } from '../../../src-main/timeline/model/time-window.ts';

/** Where a row of a result leads to on the timeline: one event, or a stretch of time, which may be a moment. */
export interface RowTarget {
  readonly event?: EventRef;
  readonly window?: TimeWindow;
}

type Row = readonly StatementCell[];

const UNIT_NS: Readonly<Record<string, number>> = { ns: 1, us: 1e3, ms: 1e6, s: 1e9 };
/** `start_ns`, `first_begin_ms`; what stands before the word tells one time of a row from another. */
const TIME = /^(?:(\w+)_)?(start|begin|time|moment|at|end|duration)_(ns|us|ms|s)$/i;
const BEGINS = ['start', 'begin', 'moment', 'at', 'time'];
/** `total_time_ms` is how long something took, not when. */
const ALONE = ['at', 'time'];

interface TimeColumn {
  readonly at: number;
  readonly about: string;
  readonly word: string;
  readonly unitNs: number;
}

/** The columns by which rows of a result lead to the timeline. */
export interface TargetColumns {
  /** Of a CUDA call or a range itself: the number of its row. */
  readonly event?: { readonly at: number; readonly table: EventRef['table'] };
  readonly start?: TimeColumn;
  readonly end?: TimeColumn;
  readonly duration?: TimeColumn;
}

function timeColumns({ columns, origins }: Pick<StatementStart, 'columns' | 'origins'>) {
  return columns.flatMap((name, at): TimeColumn[] => {
    // Under another name it is still a start.
    const origin = origins[at]?.split('.')[1];
    const known = origin === 'start_ns' || origin === 'duration_ns' ? origin : name;
    const [, about = '', word = '', unit = ''] = TIME.exec(known) ?? [];
    const unitNs = UNIT_NS[unit.toLowerCase()];
    const isMoment = about === '' || !ALONE.includes(word.toLowerCase());
    return unitNs === undefined || !isMoment
      ? []
      : [{ at, about, word: word.toLowerCase(), unitNs }];
  });
}

/** Which columns tell where a row is; undefined where none does. */
export function targetColumns(
  start: Pick<StatementStart, 'columns' | 'origins'>,
): TargetColumns | undefined {
  const times = timeColumns(start);
  const begin = times.find(({ word }) => BEGINS.includes(word));
  const beside = (word: string) =>
    times.find((time) => time.word === word && time.about === begin?.about);
  const calls = start.origins.indexOf('cuda_call.call_id');
  const ranges = start.origins.indexOf('range.range_id');
  const event =
    calls >= 0
      ? ({ at: calls, table: 'cuda_call' } as const)
      : ranges >= 0
        ? ({ at: ranges, table: 'range' } as const)
        : undefined;
  if (event === undefined && begin === undefined) return undefined;
  const [end, duration] = [beside('end'), beside('duration')];
  return {
    ...(event !== undefined && { event }),
    ...(begin !== undefined && { start: begin }),
    ...(end !== undefined && { end }),
    ...(duration !== undefined && { duration }),
  };
}

/** Where a row leads to in a trace of that length; undefined where it has no time in it. */
export function targetOf(
  columns: TargetColumns,
  row: Row,
  lengthNs: number,
): RowTarget | undefined {
  const event = columns.event && row[columns.event.at];
  if (columns.event !== undefined && Number.isSafeInteger(event) && (event as number) >= 0)
    return { event: { table: columns.event.table, row: event as number } };
  const startNs = nsOf(columns.start, row);
  if (startNs === undefined || startNs < 0 || startNs > lengthNs) return undefined;
  const endNs = nsOf(columns.end, row) ?? startNs + (nsOf(columns.duration, row) ?? 0);
  return { window: { startNs, endNs: Math.min(Math.max(endNs, startNs), lengthNs) } };
}

function nsOf(column: TimeColumn | undefined, row: Row): number | undefined {
  const value = column && row[column.at];
  return column !== undefined && typeof value === 'number'
    ? Math.round(value * column.unitNs)
    : undefined;
}
