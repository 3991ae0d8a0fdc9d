import type { IntegerArray, NameArray, NumberArray } from '../../shared/model/columns.ts';
import { cpuLabel, gpuLabel, hostLabel, knownModel } from '../../shared/model/hosts.ts';
import { OWN_SWITCHES } from '../../shared/model/own-switches.ts';
import { cleanText } from '../../shared/text/text.ts';
import { plural } from '../../shared/text/units.ts';
import { clockText } from '../../shared/words/clock-words.ts';
import { NEUTRAL_COLOUR } from '../model/colours.ts';
import {
  type EventColumns,
  eventColumns,
  gatherEvents,
  kindsByRow,
  lanesOf,
  rowsByKey,
} from '../model/event-source.ts';
import type { TraceData } from '../model/trace-data.ts';
import type { TraceNames } from '../model/trace-names.ts';
import type { EventTrack, LineTrack, Track, TrackGroup } from '../model/track-model.ts';
import { missingKernels, missingRecord } from './gpu-missing.ts';
import { busyTracks, streamTracks } from './gpu-tracks.ts';
import { tableProvenance } from './provenance.ts';
import { gapsNote, sampleGaps } from './sample-gaps.ts';

interface SampleColumns extends EventColumns {
  readonly metric?: NameArray;
  readonly gpu?: IntegerArray;
  readonly host?: IntegerArray;
  readonly value?: NumberArray;
}

/** Lowest and highest value a line's axis shows: percentages are of 100, others from 0. */
function axisOf(values: Float64Array, unit: string): readonly [number, number] {
  let highest = 0;
  let lowest = 0;
  for (const value of values) {
    highest = Math.max(highest, value);
    lowest = Math.min(lowest, value);
  }
  if (unit === '%') return [0, Math.max(100, highest)];
  return highest === lowest ? [lowest, lowest + 1] : [lowest, highest * 1.1];
}

/** `CPU (%)` → name and unit. */
function splitMetric(metric: string): { label: string; unit: string } {
  const [, label, unit] = /^(.*?)\s*\(([^)]*)\)$/.exec(metric) ?? [];
  return { label: label ?? metric, unit: unit ?? '' };
}

/** The sampled metrics of one GPU, or with `gpu` = -1 of a host. */
function lineTracks(data: TraceData, names: TraceNames, gpu: number, host = 0): LineTrack[] {
  const columns = eventColumns(data.tables, 'sample') as SampleColumns | undefined;
  if (columns?.metric === undefined || columns.value === undefined) return [];
  const { metric, value, gpu: gpus, host: hosts } = columns;
  const isOwn = (row: number) =>
    (gpus?.[row] ?? -1) === gpu && (gpu >= 0 || Math.max(0, hosts?.[row] ?? 0) === host);
  const owner = host === 0 ? `${gpu}` : `host ${host}`;
  const tracks: LineTrack[] = [];
  const texts = new Set<string>();
  for (const [key, rows] of rowsByKey(columns, 'metric', metric)) {
    const own = rows.filter(isOwn);
    if (own.length === 0) continue;
    const values = Float64Array.from(own, (row) => value[row]);
    const text = names.name(key);
    const { label, unit } = splitMetric(text);
    const timesNs = Float64Array.from(own, (row) => columns.startNs[row]);
    const gaps = sampleGaps(timesNs);
    const known = tableProvenance(data, 'sample');
    // Two sources may have given the same name.
    const id = `sample:${owner}:${text}${texts.has(text) ? `:${key}` : ''}`;
    texts.add(text);
    tracks.push({
      id,
      kind: 'line',
      label,
      detail: unit,
      table: 'sample',
      samples: () => ({ timesNs, values }),
      gaps,
      domain: axisOf(values, unit),
      unit,
      ...known,
      provenance: [known.provenance, gapsNote(gaps)].filter(Boolean).join('\n'),
    });
  }
  return tracks;
}

/** Samples of how busy a GPU was: shown beside what its own record says. */
const isUtilisation = ({ kind, label }: Track) =>
  kind === 'line' && /^gpu utili[sz]ation$/i.test(label);

/** A counter that never left 0, as of swap that was never used, is no row. */
function movedOf(tracks: readonly LineTrack[]): LineTrack[] {
  return tracks.filter(
    (track) => isUtilisation(track) || track.samples().values.some((value) => value !== 0),
  );
}

/** Whether a track says when a GPU was busy. */
export const saysBusy = (track: Track): boolean =>
  track.id.startsWith('gpu_busy:') || isUtilisation(track);

/** A group per GPU that has work or samples; the first has what is not recorded of any, and is there even when empty. */
export function gpuGroups(data: TraceData, names: TraceNames): TrackGroup[] {
  const { gpus } = data.summary;
  const indexes = [...gpus.keys(), -1];
  const missing = missingRecord(data);
  const first = indexes[0];
  return indexes.flatMap((gpu) => {
    const samples = gpu < 0 ? [] : movedOf(lineTracks(data, names, gpu));
    const tracks: Track[] = [
      ...busyTracks(data, gpu),
      ...samples.filter(isUtilisation),
      ...(gpu === first ? missing : []),
      ...missingKernels(data, gpu),
      ...streamTracks(data, names, gpu),
      ...samples.filter((track) => !isUtilisation(track)),
    ];
    if (tracks.length === 0 && gpu !== first) return [];
    const number = gpuLabel(data.summary, gpu).replace(/^GPU /, '');
    const model = knownModel(gpus[gpu]);
    const name = model === `GPU ${number}` ? '' : model;
    const detail = gpu < 0 ? '' : [cleanText(number), name].filter(Boolean).join(' · ');
    return [{ id: `gpu:${gpu}`, label: 'GPU', detail, tracks }];
  });
}

/** The rows of who ran, by CPU; none where that is not recorded. */
export function rowsByCpu(tables: TraceData['tables']): ReadonlyMap<number, Uint32Array> {
  const columns = eventColumns(tables, 'on_cpu') as
    | (EventColumns & { cpu?: IntegerArray })
    | undefined;
  return columns === undefined ? new Map() : rowsByKey(columns, 'cpu', columns.cpu);
}

/** What an empty stretch of a CPU says: the agent records who had a CPU only while somebody waited for it, or only the job’s own threads. */
function whereNobodyRan({ summary }: TraceData): string | undefined {
  const isPartial = summary.tables.on_cpu?.provenance.kind === 'partial';
  if (summary.format !== 'Stalltrace' || !isPartial) return undefined;
  const isOwn = summary.capabilities.some(
    ({ name, available }) => name === OWN_SWITCHES && available,
  );
  return isOwn ? 'no thread of this job' : 'not recorded here';
}

/** Who ran on each CPU, coloured by role. */
export function cpuGroup(data: TraceData, names: TraceNames): TrackGroup {
  const columns = eventColumns(data.tables, 'on_cpu');
  if (columns === undefined) return { id: 'cpus', label: 'CPUs', detail: '', tracks: [] };
  const { thread } = columns;
  const between = whereNobodyRan(data);
  const byCpu = [...rowsByCpu(data.tables)].sort(([a], [b]) => a - b);
  const tracks = byCpu.map(
    ([cpu, rows]): EventTrack => ({
      id: `on_cpu:${cpu}`,
      kind: 'events',
      label: cpu < 0 ? 'CPU not known' : cleanText(cpuLabel(data.summary, cpu)),
      detail: '',
      table: 'on_cpu',
      expandable: false,
      ...kindsByRow(columns, rows, `cpu ${cpu}`, {
        kindOf: (row) => thread?.[row] ?? -1,
        nameOf: (kind) => names.threadLabel(kind),
      }),
      ...lanesOf(columns, `cpu ${cpu}`, () =>
        gatherEvents(columns, rows, (row) =>
          thread === undefined ? NEUTRAL_COLOUR : names.threadColour(thread[row]),
        ),
      ),
      ...tableProvenance(data, 'on_cpu'),
      ...(between !== undefined && { between }),
    }),
  );
  return { id: 'cpus', label: 'CPUs', detail: 'who ran', tracks };
}

/** `node2 · clock ± 3.000 ms`, where there are several machines. */
function hostDetail({ summary }: TraceData, host: number): string[] {
  if (summary.hosts.length <= 1) return [];
  const clock = summary.clocks?.[host];
  const known = clock === undefined ? [] : [`clock ${clockText(clock)}`];
  return [cleanText(hostLabel(summary, host)), ...known];
}

/** What was sampled of each whole machine. */
export function systemGroups(data: TraceData, names: TraceNames): TrackGroup[] {
  const { hosts } = data.summary;
  return hosts.map((_, host) => {
    const sampled = lineTracks(data, names, -1, host);
    const tracks = movedOf(sampled);
    const still = sampled.length - tracks.length;
    const detail = hostDetail(data, host);
    if (still > 0) detail.push(`${plural(still, 'counter')} stayed at 0`);
    const id = host === 0 ? 'system' : `system:${host}`;
    return { id, label: 'System', detail: detail.join(' · '), tracks };
  });
}
