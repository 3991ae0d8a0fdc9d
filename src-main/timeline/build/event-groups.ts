import { processEventKinds } from '../../shared/model/codes.ts';
import { hostIndexOf, hostLabel } from '../../shared/model/hosts.ts';
import { NONE } from '../../shared/model/schema.ts';
import type { SourceFinding, SourceFindingOccurrence } from '../../shared/model/trace.ts';
import { cleanText } from '../../shared/text/text.ts';
import { type SeverityLevel, severityLevel } from '../../shared/words/severities.ts';
import { NEUTRAL_COLOUR, nameColour } from '../model/colours.ts';
import {
  type EventColumns,
  eventColumns,
  gatherEvents,
  lanesOf,
  rowsByKey,
} from '../model/event-source.ts';
import { type LaneEvents, ownEvents } from '../model/pyramid.ts';
import type { TraceData } from '../model/trace-data.ts';
import type { TraceNames } from '../model/trace-names.ts';
import { type EventTrack, NO_ROW, type TrackGroup } from '../model/track-model.ts';
import { tableProvenance } from './provenance.ts';

/** Palette indexes: red, amber, grey. */
const SEVERITY_COLOURS: Readonly<Record<SeverityLevel, number>> = {
  high: 0,
  unknown: 1,
  medium: 1,
  low: NEUTRAL_COLOUR,
};

interface Mark {
  readonly finding: SourceFinding;
  readonly occurrence: SourceFindingOccurrence;
}

function markEvents(marks: readonly Mark[]): LaneEvents {
  return ownEvents({
    startNs: Float64Array.from(marks, (mark) => mark.occurrence.detectedNs),
    durationNs: new Float64Array(marks.length),
    rows: Uint32Array.from(marks.keys()),
    colours: Uint8Array.from(
      marks,
      (mark) => SEVERITY_COLOURS[severityLevel(mark.occurrence.severity)],
    ),
  });
}

/** For few events, every row with a name of its own. */
function eachItsOwnKind(
  rows: number,
  nameOfRow: (row: number) => string,
): Pick<EventTrack, 'nameOf' | 'kinds' | 'kindOf' | 'kindName'> {
  const kindOf: EventTrack['kindOf'] = (lane, index) => lane.rows.at(index) ?? NO_ROW;
  return {
    kindOf,
    kindName: nameOfRow,
    nameOf: (lane, index) => nameOfRow(kindOf(lane, index)),
    kinds: () => new Map(Array.from({ length: rows }, (_, row) => [row, 0])),
  };
}

/** What the recording tool found by itself, a track per tool and the machine it names. */
function findingTracks(data: TraceData): EventTrack[] {
  const { sourceFindings } = data.summary;
  const byTrack = Map.groupBy(sourceFindings, ({ foundBy, node }) =>
    node === undefined ? foundBy : `${foundBy}@${node}`,
  );
  return [...byTrack].map(([key, findings]) => {
    const { foundBy: tool, node } = findings[0] as SourceFinding;
    const marks = findings
      .flatMap((finding) => finding.occurrences.map((occurrence) => ({ finding, occurrence })))
      .sort((a, b) => a.occurrence.detectedNs - b.occurrence.detectedNs);
    return {
      id: `finding:${key}`,
      kind: 'marks',
      label: `Found by ${tool}`,
      detail: cleanText(node ?? ''),
      badge: '',
      provenance: `What ${tool} reported while recording; shown as its own claim.`,
      expandable: false,
      ...eachItsOwnKind(marks.length, (row) => {
        const mark = marks[row];
        return mark === undefined
          ? tool
          : `${mark.occurrence.severity}: ${mark.occurrence.detail || mark.finding.summary}`;
      }),
      ...lanesOf(sourceFindings, `found by ${key}`, () => markEvents(marks)),
    } satisfies EventTrack;
  });
}

interface ProcessEventColumns extends EventColumns {
  readonly kind?: Uint8Array;
}

/** A track of all, of several hosts one for each. */
function processEventTracks(data: TraceData, names: TraceNames): EventTrack[] {
  const columns = eventColumns(data.tables, 'process_event') as ProcessEventColumns | undefined;
  const rows = columns && rowsByKey(columns, 'table', undefined).get(-1);
  if (columns === undefined || rows === undefined) return [];
  const { summary } = data;
  if (summary.hosts.length <= 1) return [processEventTrack(data, names, columns, rows)];
  return summary.hosts.flatMap((_, host) => {
    const own = rows.filter((row) => hostIndexOf(summary, columns.thread?.[row] ?? NONE) === host);
    return own.length === 0 ? [] : [processEventTrack(data, names, columns, own, host)];
  });
}

function processEventTrack(
  data: TraceData,
  names: TraceNames,
  columns: ProcessEventColumns,
  rows: Uint32Array,
  host?: number,
): EventTrack {
  const { op, kind, thread } = columns;
  const kindOf = (row: number) => processEventKinds[kind?.[row] ?? 0] ?? 'other';
  const isFirst = host === undefined || host === 0;
  return {
    id: isFirst ? 'process_event' : `process_event:${host}`,
    kind: 'marks',
    label: 'Process events',
    detail: host === undefined ? '' : cleanText(hostLabel(data.summary, host)),
    ...(host !== undefined && { host }),
    table: 'process_event',
    expandable: false,
    ...eachItsOwnKind(columns.startNs.length, (row) => {
      const what = kindOf(row) === 'other' ? names.name(op?.[row] ?? -1) : kindOf(row);
      return `${what} by ${names.threadLabel(thread?.[row] ?? -1)}`;
    }),
    ...lanesOf(columns, host === undefined ? 'all' : `host ${host}`, () =>
      gatherEvents(columns, rows, (row) => nameColour(kindOf(row))),
    ),
    ...tableProvenance(data, 'process_event'),
  };
}

/** What happened to processes, and what the recorder itself found. */
export function eventGroup(data: TraceData, names: TraceNames): TrackGroup {
  const tracks = [...processEventTracks(data, names), ...findingTracks(data)];
  return { id: 'events', label: 'Events and findings', detail: '', tracks };
}
