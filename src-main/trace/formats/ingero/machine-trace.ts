import type { DatabaseSync } from 'node:sqlite';
import type { Stacks } from '../../../shared/model/stacks.ts';
import type { Notice, Trace } from '../../../shared/model/trace.ts';
import { formatCount, plural } from '../../../shared/text/units.ts';
import { linkDriverCalls } from '../../build/link-driver-calls.ts';
import { TraceBuilder } from '../../build/trace-builder.ts';
import type { Recording } from './add-events.ts';
import { addAggregates, summariesOf } from './aggregate-table.ts';
import type { RawAggregate } from './aggregates.ts';
import { rowsByTable } from './classify.ts';
import { type Completeness, measureCompleteness } from './completeness.ts';
import { addCudaCalls } from './cuda-calls.ts';
import { addTasks } from './entities.ts';
import { addHostEvents } from './host-events.ts';
import { readOpNames } from './op-names.ts';
import { addRanges } from './ranges.ts';
import type { Rank } from './ranks.ts';
import { readSchemaVersion, type Session } from './session.ts';
import { addSamples, snapshotIntervals } from './snapshots.ts';
import { tableFacts } from './tables.ts';
import { moveToBegin, type Timed } from './time-range.ts';

/** What a file says of one machine. */
interface Recorded extends RecordedEvents {
  readonly nameOf: (task: number) => string | undefined;
  readonly rankOf: (pid: number) => Rank | undefined;
}

export interface RecordedEvents {
  readonly timed: Timed;
  /** Oldest first. */
  readonly sessions: readonly Session[];
  readonly stacks: Stacks;
  /** Rows that make no sense, of all tables and of the sums. */
  readonly skipped: { readonly rows: number; readonly sums: number };
  /** Sums that may be of this machine or of others. */
  readonly unclear?: readonly RawAggregate[];
}

/** The trace of one machine, all but the chains. Moves the times of `timed` to where it begins. */
export function buildMachineTrace(database: DatabaseSync, recorded: Recorded): Trace {
  const { timed, sessions, stacks, skipped, unclear = [] } = recorded;
  const trace = new TraceBuilder();
  const ops = readOpNames(database, trace.names);
  const range = moveToBegin(timed, timed.events.baseUnixNs, sessions);
  const { events, aggregates, snapshots } = timed;
  const session = sessions.at(-1);
  trace.hosts.add(session?.host ?? {});
  for (const gpu of session?.gpus ?? []) trace.gpus.add(gpu);
  addTasks(trace, events, aggregates, recorded);
  addTables({ trace, ops, events }, timed, stacks.length > 0);
  const rows = trace.finishRows();
  linkDriverCalls(rows.columns('cuda_call'));
  const sums = { rows: aggregates, skipped: skipped.sums, unclear };
  const completeness = measureCompleteness(events, sums, ops);
  const recorder = session?.recorder;
  return trace.build({
    meta: {
      format: 'Ingero',
      version: readSchemaVersion(database),
      ...(recorder === undefined ? {} : { recorder: `Ingero ${recorder}` }),
      ...range,
    },
    tables: tableFacts(rows, ops, completeness, snapshotIntervals(snapshots)),
    stacks,
    notices: noticesOf(skipped.rows, sessions, completeness),
  });
}

function addTables(recording: Recording, timed: Timed, hasStacks: boolean): void {
  const { ops, events } = recording;
  const rows = rowsByTable(events, ops);
  addCudaCalls(recording, rows.cuda_call, hasStacks);
  addHostEvents(recording, rows);
  addRanges(recording, rows.range, timed.labels);
  addSamples(recording, timed.snapshots);
  addAggregates(recording, [...timed.aggregates, ...summariesOf(events, rows.aggregate)]);
}

function noticesOf(
  skipped: number,
  sessions: readonly Session[],
  completeness: Completeness,
): Notice[] {
  const notices = skippedNotices(skipped);
  if (sessions.length > 1)
    notices.push({
      level: 'info',
      text: `The file holds ${formatCount(sessions.length)} recordings; the machine shown is that of the last one.`,
    });
  const parts = [
    partText(completeness.of('cuda_call'), 'CUDA calls'),
    partText(completeness.of('off_cpu'), 'switches'),
  ].filter((text) => text !== undefined);
  if (parts.length > 0)
    notices.push({
      level: 'info',
      text: `Ingero stored ${parts.join(' and ')}; the rest is known as sums only.`,
    });
  return notices;
}

/** `12 of 70 CUDA calls`; undefined where all of them are stored. */
function partText(
  { stored, happened }: ReturnType<Completeness['of']>,
  what: string,
): string | undefined {
  if (happened <= stored) return undefined;
  return `${formatCount(stored)} of ${formatCount(happened)} ${what}`;
}

/** What is said of rows that make no sense. */
export function skippedNotices(skipped: number): Notice[] {
  if (skipped === 0) return [];
  const text = `${plural(skipped, 'row was', 'rows were')} left out: their times, numbers or types make no sense.`;
  return [{ level: 'warning', text }];
}
