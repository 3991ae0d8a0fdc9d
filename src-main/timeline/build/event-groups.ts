import { processEventKinds } from '../../shared/model/codes.ts';
import type { SourceFinding, SourceFindingOccurrence } from '../../shared/model/trace.ts';
import { NEUTRAL_COLOUR, nameColour } from '../model/colours.ts';
import {
  type EventColumns,
  eventColumns,
  gatherEvents,
  lanesOf,
  rowsByKey,
} from '../model/event-source.ts';
import type { LaneEvents } from '../model/pyramid.ts';
import type { TraceData } from '../model/trace-data.ts';
import type { TraceNames } from '../model/trace-names.ts';
import type { EventTrack, TrackGroup } from '../model/track-model.ts';
import { tableProvenance } from './provenance.ts';

/** Palette indexes: red, amber, grey. */
const SEVERITY_COLOURS = { HIGH: 0, MEDIUM: 1, LOW: NEUTRAL_COLOUR } as const;

interface Mark {
  readonly finding: SourceFinding;
  readonly occurrence: SourceFindingOccurrence;
}

function markEvents(marks: readonly Mark[]): LaneEvents {
  return {
    startNs: Float64Array.from(marks, (mark) => mark.occurrence.detectedNs),
    durationNs: new Float64Array(marks.length),
    rows: Uint32Array.from(marks.keys()),
    colours: Uint8Array.from(marks, (mark) => SEVERITY_COLOURS[mark.occurrence.severity]),
  };
}

/** For few events, every row with a name of its own. */
function eachItsOwnKind(
  rows: number,
  nameOfRow: (row: number) => string,
): Pick<EventTrack, 'nameOf' | 'kinds' | 'kindOf' | 'kindName'> {
  const kindOf: EventTrack['kindOf'] = (lane, index) => lane.rows[index];
  return {
    kindOf,
    kindName: nameOfRow,
    nameOf: (lane, index) => nameOfRow(kindOf(lane, index)),
    kinds: () => new Map(Array.from({ length: rows }, (_, row) => [row, 0])),
  };
}

/** What the recording tool found by itself, a track per tool. */
function findingTracks(data: TraceData): EventTrack[] {
  const { sourceFindings } = data.summary;
  const tools = [...new Set(sourceFindings.map((finding) => finding.foundBy))];
  return tools.map((tool) => {
    const marks = sourceFindings
      .filter((finding) => finding.foundBy === tool)
      .flatMap((finding) => finding.occurrences.map((occurrence) => ({ finding, occurrence })))
      .sort((a, b) => a.occurrence.detectedNs - b.occurrence.detectedNs);
    return {
      id: `finding:${tool}`,
      kind: 'marks',
      label: `Found by ${tool}`,
      detail: '',
      badge: '',
      provenance: `What ${tool} reported while recording; shown, not adopted.`,
      expandable: false,
      ...eachItsOwnKind(marks.length, (row) => {
        const mark = marks[row];
        return mark === undefined
          ? tool
          : `${mark.occurrence.severity}: ${mark.occurrence.detail || mark.finding.summary}`;
      }),
      ...lanesOf(sourceFindings, `found by ${tool}`, () => markEvents(marks)),
    } satisfies EventTrack;
  });
}

function processEventTracks(data: TraceData, names: TraceNames): EventTrack[] {
  const columns = eventColumns(data.tables, 'process_event') as
    | (EventColumns & { kind?: Uint8Array })
    | undefined;
  const rows = columns && rowsByKey(columns, 'table', undefined).get(-1);
  if (columns === undefined || rows === undefined) return [];
  const { op, kind, thread } = columns;
  const kindOf = (row: number) => processEventKinds[kind?.[row] ?? 0] ?? 'other';
  const track: EventTrack = {
    id: 'process_event',
    kind: 'marks',
    label: 'Process events',
    detail: '',
    table: 'process_event',
    expandable: false,
    ...eachItsOwnKind(columns.startNs.length, (row) => {
      const what = kindOf(row) === 'other' ? names.name(op?.[row] ?? -1) : kindOf(row);
      return `${what} by ${names.threadLabel(thread?.[row] ?? -1)}`;
    }),
    ...lanesOf(columns, 'all', () => gatherEvents(columns, rows, (row) => nameColour(kindOf(row)))),
    ...tableProvenance(data, 'process_event'),
  };
  return [track];
}

/** What happened to processes, and what the recorder itself found. */
export function eventGroup(data: TraceData, names: TraceNames): TrackGroup {
  const tracks = [...processEventTracks(data, names), ...findingTracks(data)];
  return { id: 'events', label: 'Events and findings', detail: '', tracks };
}
