import { directions } from '../../../src-main/shared/model/codes.ts';
import { formatBytes, formatDuration, formatMoment } from '../../../src-main/shared/units.ts';
import { eventColumns, remember } from '../../../src-main/timeline/event-source.ts';
import type { EventHit } from '../../../src-main/timeline/locate-event.ts';
import type { TraceData } from '../../../src-main/timeline/trace-data.ts';
import { traceNames } from '../../../src-main/timeline/trace-names.ts';
import { type EventTrack, NO_ROW } from '../../../src-main/timeline/track-model.ts';

interface EventDetails {
  readonly name: string;
  readonly startNs: number;
  readonly durationNs: number;
  /** Label and value, as a tooltip lists them. */
  readonly facts: readonly (readonly [label: string, value: string])[];
}

interface FactColumns {
  readonly bytes?: Float64Array;
  readonly direction?: Uint8Array;
  readonly returnCode?: Int32Array;
  readonly thread?: Int32Array;
}

function rowFacts(data: TraceData, track: EventTrack, row: number): [string, string][] {
  if (track.table === undefined) return [];
  const columns =
    row === NO_ROW
      ? undefined
      : (eventColumns(data.tables, track.table) as FactColumns | undefined);
  const facts: [string, string][] = [];
  const thread = columns?.thread?.[row] ?? track.thread;
  if (thread !== undefined) {
    const names = remember(data.summary, 'names', () => traceNames(data.summary));
    facts.push(['Thread', names.threadLabel(thread)]);
  }
  const bytes = columns?.bytes?.[row] ?? -1;
  if (bytes >= 0) facts.push(['Size', formatBytes(bytes)]);
  const direction = columns?.direction?.[row] ?? 0;
  if (direction > 0) facts.push(['Direction', directions[direction] ?? 'unknown']);
  const returnCode = columns?.returnCode?.[row] ?? 0;
  if (returnCode !== 0) facts.push(['Return code', String(returnCode)]);
  return facts;
}

/** What a tooltip or a screen reader says about an event. */
export function eventDetails(data: TraceData, { track, lane, index }: EventHit): EventDetails {
  const startNs = lane.startNs[index];
  const durationNs = lane.durationNs[index];
  const facts: [string, string][] = [['Start', formatMoment(startNs)]];
  if (track.kind !== 'marks') facts.unshift(['Duration', formatDuration(durationNs)]);
  facts.push(...rowFacts(data, track, lane.rows[index]));
  return { name: track.nameOf(lane, index), startNs, durationNs, facts };
}

/** One sentence for aria-live. */
export function spokenDetails(data: TraceData, hit: EventHit): string {
  const { name, facts } = eventDetails(data, hit);
  return [name, ...facts.map(([label, value]) => `${label} ${value}`)].join(', ');
}
