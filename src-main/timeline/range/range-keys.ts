import { pivotKey, type RangeKey } from '../../shared/answers/range-figures.ts';
import type { IntegerArray } from '../../shared/model/columns.ts';
import { cleanText } from '../../shared/text/text.ts';
import { eventColumns } from '../model/event-source.ts';
import type { EventLane } from '../model/pyramid.ts';
import { remember } from '../model/remember.ts';
import type { TraceData, TraceView } from '../model/trace-data.ts';
import { traceNames, withRole } from '../model/trace-names.ts';
import { type EventTrack, NO_ROW, threadAt } from '../model/track-model.ts';

/** What an event is counted under. */
export type KeyOfEvent = (track: EventTrack, lane: EventLane, index: number) => string;

/** The GPU's work is of a process, and of no thread of it. What is worked out, as steps, is called as its track. */
const NO_THREAD = 'of no thread';
const NO_PROCESS = 'of no known process';

/** What a screen has of a trace will do for tracks of no table. */
type Known = TraceView & Partial<Pick<TraceData, 'tables'>>;

/** One, or two. */
type RangeKeys = readonly [RangeKey, RangeKey?];

/** What events are counted under by one key, or by two. */
export function keyOfEvent(data: Known, [key, second]: RangeKeys): KeyOfEvent {
  const first = keyOfOne(data, key);
  if (second === undefined) return first;
  const other = keyOfOne(data, second);
  return (...event) => pivotKey(first(...event), other(...event));
}

/** Of an event of a track a number: those of one number are counted under one name. Undefined where no such is known. */
export type KindsOfTrack = (
  track: EventTrack,
) => ((lane: EventLane, index: number) => number) | undefined;

/** The kinds of events that are told apart by one key, or by two. */
export function kindsOfKeys([key, second]: RangeKeys): KindsOfTrack {
  const keys = second === undefined ? [key] : [key, second];
  return (track) => {
    const differing = keys.filter((each) => !isOneOf(each, track));
    if (differing.length === 0) return () => 0;
    return differing.every((each) => each === 'name') ? track.kindOf : undefined;
  };
}

/** Whether all events of a track are counted under one name by that key. */
function isOneOf(key: RangeKey, { thread, process, parts }: EventTrack): boolean {
  const isOneThread = thread !== undefined && parts === undefined;
  return (
    key === 'track' ||
    (key === 'thread' && isOneThread) ||
    (key === 'process' && isOneThread && process !== undefined)
  );
}

function keyOfOne(data: Known, key: RangeKey): KeyOfEvent {
  switch (key) {
    case 'name':
      return (track, lane, index) => track.nameOf(lane, index);
    case 'track':
      return ({ label, detail }) => `${label} ${detail}`.trim();
    case 'thread': {
      const labels = memoised((thread) => threadWithRole(data, thread));
      return (track, lane, index) =>
        labels(threadOf(data, track, lane, index)) ?? nobody(track, NO_THREAD);
    }
    case 'process': {
      const labels = memoised((process) => processWithRole(data, process));
      return (track, lane, index) =>
        labels(processOf(data, track, lane, index)) ?? nobody(track, NO_PROCESS);
    }
  }
}

const nobody = ({ table, label }: EventTrack, text: string) => (table === undefined ? label : text);

function memoised(labelOf: (index: number) => string): (index: number) => string | undefined {
  const labels = new Map<number, string>();
  return (index) => {
    if (index < 0) return undefined;
    const label = labels.get(index) ?? labelOf(index);
    labels.set(index, label);
    return label;
  };
}

/** Index into threads, -1 = of none. */
function threadOf(data: Known, track: EventTrack, lane: EventLane, index: number): number {
  const row = lane.rows.at(index) ?? NO_ROW;
  if (track.thread !== undefined || track.table === undefined || row === NO_ROW)
    return threadAt(track, lane.times.startNs(index)) ?? -1;
  return eventColumns(data.tables ?? {}, track.table)?.thread?.[row] ?? -1;
}

/** Index into processes, -1 = of none that is known. */
function processOf(data: Known, track: EventTrack, lane: EventLane, index: number): number {
  const thread = data.summary.threads[threadOf(data, track, lane, index)];
  const row = lane.rows.at(index) ?? NO_ROW;
  if (thread !== undefined || track.table === undefined || row === NO_ROW)
    return thread?.process ?? -1;
  const columns = data.tables?.[track.table] as { readonly process?: IntegerArray } | undefined;
  return columns?.process?.[row] ?? -1;
}

/** `DataLoader worker 2 · python3 · pid 71`. */
function processWithRole({ summary }: Known, process: number): string {
  const info = summary.processes[process];
  if (info === undefined) return NO_PROCESS;
  const label = `${cleanText(info.name) || 'unnamed'} · pid ${info.pid}`;
  return withRole(label, info.role, info.worker);
}

/** `DataLoader worker 2 · pt_data_worker · tid 71`. */
function threadWithRole({ summary }: Known, thread: number): string {
  return remember(summary, 'names', () => traceNames(summary)).threadLabel(thread);
}
