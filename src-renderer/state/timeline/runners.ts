import { cpuLabel } from '../../../src-main/shared/model/hosts.ts';
import type { Role } from '../../../src-main/shared/model/trace.ts';
import { formatDuration } from '../../../src-main/shared/text/units.ts';
import { roleLabels } from '../../../src-main/shared/words/terms.ts';
import { type RunnableStretch, ranInstead } from '../../../src-main/timeline/build/ran-instead.ts';
import { stateColour } from '../../../src-main/timeline/model/colours.ts';
import { eventColumns, remember } from '../../../src-main/timeline/model/event-source.ts';
import type { TraceData } from '../../../src-main/timeline/model/trace-data.ts';
import { traceNames } from '../../../src-main/timeline/model/trace-names.ts';
import { NO_ROW, type Track } from '../../../src-main/timeline/model/track-model.ts';
import type { EventHit } from '../../../src-main/timeline/view/locate-event.ts';

/** Who held the CPU a thread waited for, in words. */
export interface Runners {
  /** `on CPU 1, while it waited 12.4 ms for it`. */
  readonly where: string;
  readonly ran: readonly {
    readonly name: string;
    readonly ns: number;
    /** Row of on_cpu. */
    readonly row: number;
  }[];
  /** What nobody is named for, ns: the CPU was idle, or who ran is not recorded. */
  readonly restNs: number;
}

/** `DataLoader worker 2 · python3 · pid 71`: what is called `label` with its role; without one, the label alone. */
export function withRole(label: string, role: Role, worker: number | undefined): string {
  if (role === 'other') return label;
  const number = role === 'dataloader-worker' && worker !== undefined ? ` ${worker}` : '';
  return `${roleLabels[role]}${number} · ${label}`;
}

/** `DataLoader worker 2 · pt_data_worker · tid 71`. */
export function threadWithRole({ summary }: TraceData, thread: number): string {
  const names = remember(summary, 'names', () => traceNames(summary));
  const info = summary.threads[thread];
  const { worker } = summary.processes[info?.process ?? -1] ?? {};
  return withRole(names.threadLabel(thread), info?.role ?? 'other', worker);
}

function inWords(data: TraceData, { startNs, endNs, cpu, ran }: RunnableStretch): Runners {
  const known = ran.reduce((sum, { ns }) => sum + ns, 0);
  return {
    where: `on ${cpuLabel(data.summary, cpu)}, in the ${formatDuration(endNs - startNs)} it waited for it`,
    ran: ran.map(({ thread, ns, row }) => ({ name: threadWithRole(data, thread), ns, row })),
    restNs: Math.max(0, endNs - startNs - known),
  };
}

/** Who ran while a thread waited for a CPU, if the event is a row of off_cpu in which it did. */
export function runnersOf(
  data: TraceData,
  tracks: readonly Track[],
  { track, lane, index }: EventHit,
): Runners | undefined {
  const row = lane.rows[index];
  if (track.table !== 'off_cpu' || row === NO_ROW) return undefined;
  if (eventColumns(data.tables, 'on_cpu') === undefined) return undefined;
  const stretch = ranInstead(data, tracks, row);
  return stretch && inWords(data, stretch);
}

/** The fact a tooltip of a runnable stretch adds. */
export function runnersFact(
  data: TraceData,
  tracks: readonly Track[],
  hit: EventHit,
): (readonly [label: string, value: string])[] {
  if (hit.lane.colours[hit.index] !== stateColour.runnable) return [];
  const runners = runnersOf(data, tracks, hit);
  if (runners === undefined) return [];
  const shown = runners.ran.slice(0, 3).map(({ name, ns }) => `${name} ${formatDuration(ns)}`);
  const left = runners.ran.length - shown.length;
  const text = [...shown, ...(left > 0 ? [`${left} more`] : [])].join(', ');
  return [['Ran instead', text === '' ? 'nobody that was recorded' : text]];
}
