import { createHash } from 'node:crypto';
import { prepareExplanations } from '../../analysis/call/prepare-explanations.ts';
import { diagnose } from '../../analysis/findings/diagnose.ts';
import { rowsOfIndex } from '../../analysis/index/sorted-rows.ts';
import { type IndexKey, tablesOfThreads, traceIndex } from '../../analysis/index/trace-index.ts';
import type { Asked } from '../../questions/question.ts';
import { timelineSvg } from '../../report/picture/timeline-svg.ts';
import type { TraceSummary } from '../../shared/answers/summary.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { stepsOfRanks } from '../../timeline/build/step-tracks.ts';
import { eventColumns, takeRowsFrom } from '../../timeline/model/event-source.ts';
import type { LoadedTables, TraceData } from '../../timeline/model/trace-data.ts';
import { prepareTimeline, timelineAnswers } from '../../timeline/tiles/timeline-answers.ts';
import { viewer } from './viewer.ts';

/** The trace as its timeline is built from: lanes are remembered with these objects, and go with them. */
function recordedData(trace: Trace, summary: TraceSummary): TraceData {
  const tables = Object.fromEntries(
    Object.entries(trace.tables)
      .filter(([, table]) => table.rows > 0)
      .map(([name, table]) => [name, { ...table.columns }]),
  ) as LoadedTables;
  for (const table of ['off_cpu', ...tablesOfThreads] as const) {
    const columns = eventColumns(tables, table);
    if (columns !== undefined) takeRowsFrom(columns, 'thread', () => sortedRows(trace, table));
  }
  const slices = eventColumns(tables, 'on_cpu');
  if (slices !== undefined) takeRowsFrom(slices, 'cpu', () => sortedRows(trace, 'slices'));
  return { traceId: '', summary, tables };
}

/** What the analysis keeps of a table anyway: undefined where it leaves rows out, which a timeline shows. */
function sortedRows(trace: Trace, key: IndexKey): ReadonlyMap<number, Uint32Array> | undefined {
  const { offsets, order } = traceIndex(trace).rowsBy(key);
  if (order.length < trace.tables[key === 'slices' ? 'on_cpu' : key].rows) return undefined;
  const rows = new Map<number, Uint32Array>();
  for (let value = 0; value + 1 < offsets.length; value++)
    if (offsets[value + 1] > offsets[value])
      rows.set(value, rowsOfIndex({ offsets, order }, value));
  return rows;
}

/** A trace that can be asked about, and its timeline with the steps that a diagnosis found. */
export interface AskedAbout extends Asked {
  judged(): TraceData;
  /** Works out ahead, piece by piece, what will be asked of it. */
  prepare(): Generator<undefined, void>;
}

/** How long the lanes made for a picture are kept for the next one, such as another preview. */
const KEEP_MS = 60_000;

/**
 * What is worked out for a question of the screen is there for the next, as long as this is kept. `firstTrack`: the number
 * of the first track.
 */
export function askedAbout(trace: Trace, summary: TraceSummary, firstTrack = 0): AskedAbout {
  const recorded = recordedData(trace, summary);
  // Lanes of its own, which go with it: an export needs all of them once.
  const judged = () => ({
    ...recordedData(trace, summary),
    steps: stepsOfRanks(diagnose(trace).diagnosis),
  });
  let painted: TraceData | undefined;
  let forgetting: NodeJS.Timeout | undefined;
  return {
    trace,
    summary,
    judged,
    paint(options) {
      clearTimeout(forgetting);
      painted ??= judged();
      forgetting = setTimeout(() => {
        painted = undefined;
      }, KEEP_MS).unref();
      return timelineSvg(painted, options, viewer());
    },
    timeline: () => timelineAnswers(recorded, firstTrack),
    *prepare() {
      // Who ran is looked up by CPU; by thread only for the figures of all processes, which take longer than that.
      for (const table of ['off_cpu', 'slices', ...tablesOfThreads] as const)
        if (table !== 'on_cpu') yield* traceIndex(trace).rowsAhead(table);
      yield* prepareTimeline(recorded);
      const timeline = timelineAnswers(recorded, firstTrack);
      yield;
      yield* prepareExplanations(trace);
      // For the first search.
      yield* timeline.kinds();
    },
  };
}

/** Of so many tracks each grouping has numbers of its own. */
const TRACKS_OF_A_GROUPING = 2 ** 20;

/** The number of the first track where these roles were set: the same in another process of the same trace. */
export function firstTrackOf(roles: readonly unknown[]): number {
  if (roles.length === 0) return 0;
  const digest = createHash('sha256').update(JSON.stringify(roles)).digest();
  return (1 + Math.floor(digest.readUInt32LE() / 4)) * TRACKS_OF_A_GROUPING;
}
