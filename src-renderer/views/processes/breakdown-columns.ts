import type {
  Activity,
  ActivityFigure,
  FigureBases,
  ProcessBreakdown,
} from '../../../src-main/shared/answers/process-breakdown.ts';
import { formatBytes, formatCount, formatDuration } from '../../../src-main/shared/text/units.ts';

export interface BreakdownColumn {
  readonly figure: ActivityFigure;
  readonly label: string;
  readonly title: string;
  readonly text: (value: number) => string;
}

/** The figures of a process or thread, in the order of the table. */
const columns: readonly BreakdownColumn[] = [
  {
    figure: 'cpuNs',
    label: 'CPU time',
    title: 'Time on a CPU, as far as every switch is stored',
    text: formatDuration,
  },
  {
    figure: 'runnableNs',
    label: 'Waiting for a CPU',
    title: 'Time in which it could have run, but had no CPU',
    text: formatDuration,
  },
  {
    figure: 'throttledNs',
    label: 'Throttled',
    title: 'Part of the waiting in which a CPU quota kept it from running',
    text: formatDuration,
  },
  {
    figure: 'offCpuNs',
    label: 'Off-CPU',
    title: 'Time off the CPU for whatever reason',
    text: formatDuration,
  },
  {
    figure: 'switches',
    label: 'Switches',
    title: 'Times it left a CPU',
    text: formatCount,
  },
  {
    figure: 'preemptions',
    label: 'Preemptions',
    title: 'Times it lost the CPU while it could have gone on',
    text: formatCount,
  },
  {
    figure: 'longestStallNs',
    label: 'Longest stall',
    title:
      'Longest time off the CPU. For a process: among the threads that do its work. A longer time of a helper thread is shown below, as helpers mostly sleep until they are needed',
    text: formatDuration,
  },
  {
    figure: 'minorFaults',
    label: 'Minor faults',
    title: 'Page faults that needed no disk',
    text: formatCount,
  },
  {
    figure: 'majorFaults',
    label: 'Major faults',
    title: 'Page faults that needed a disk',
    text: formatCount,
  },
  {
    figure: 'pageAllocations',
    label: 'Allocations',
    title: 'Pages that the kernel allocated for it',
    text: formatCount,
  },
  {
    figure: 'pageAllocationBytes',
    label: 'Allocated',
    title: 'Bytes of the pages that the kernel allocated for it',
    text: formatBytes,
  },
  { figure: 'cudaCalls', label: 'CUDA calls', title: 'Outermost CUDA calls', text: formatCount },
  {
    figure: 'cudaNs',
    label: 'In CUDA',
    title: 'Time in CUDA calls',
    text: formatDuration,
  },
];

/** Figures that tell nothing where they are 0 everywhere. */
const rare: ReadonlySet<ActivityFigure> = new Set(['throttledNs', 'majorFaults']);

/** The columns for which there is a figure. */
export function columnsOf(activities: readonly Activity[]): readonly BreakdownColumn[] {
  return columns.filter(({ figure }) =>
    activities.some((activity) =>
      rare.has(figure) ? (activity[figure] ?? 0) > 0 : activity[figure] !== undefined,
    ),
  );
}

/** Of a row of the table without its figures: name, pid, role, CSS px. */
const NAMES_PX = 490;
const FIGURE_PX = 90;
/** Figures that go first where there is no room. */
const LEAST_TELLING: readonly ActivityFigure[] = [
  ...(['pageAllocations', 'pageAllocationBytes', 'minorFaults', 'majorFaults'] as const),
  ...(['cudaCalls', 'switches', 'preemptions', 'offCpuNs', 'throttledNs'] as const),
  ...(['cudaNs', 'longestStallNs', 'runnableNs'] as const),
];

/** The columns that a table of that width, CSS px, has room for, the most telling ones; 0 = not known yet: all. */
export function fittingColumns(
  all: readonly BreakdownColumn[],
  widthPx: number,
): readonly BreakdownColumn[] {
  if (widthPx === 0) return all;
  const room = Math.max(1, Math.floor((widthPx - NAMES_PX) / FIGURE_PX));
  const leaving = LEAST_TELLING.filter((figure) => all.some((column) => column.figure === figure));
  const gone = new Set(leaving.slice(0, Math.max(0, all.length - room)));
  return all.filter(({ figure }) => !gone.has(figure));
}

/** The longest time off the CPU of a process's helper threads, where it is longer than that of the others. */
export function longerHelperStallNs({
  role,
  threads,
  longestStallNs = 0,
}: Pick<ProcessBreakdown, 'role' | 'threads' | 'longestStallNs'>): number | undefined {
  const helpers = threads.filter((thread) => thread.role !== role);
  const longestNs = Math.max(0, ...helpers.map((thread) => thread.longestStallNs ?? 0));
  return longestNs > longestStallNs ? longestNs : undefined;
}

/** How the figures of a column are known, behind its name where that is so on all hosts; empty = exact. */
export function columnMark(bases: readonly FigureBases[], figure: ActivityFigure): string {
  const marks = new Set(bases.map((each) => basisMark(each, figure)));
  return marks.size === 1 ? ([...marks][0] ?? '') : '';
}

/** The same of one host's figures, where it is not so on all. */
export function cellMark(
  bases: readonly FigureBases[],
  host: number,
  figure: ActivityFigure,
): string {
  const own = bases[host];
  if (own === undefined || columnMark(bases, figure) !== '') return '';
  return basisMark(own, figure);
}

function basisMark({ aggregated, atLeast }: FigureBases, figure: ActivityFigure): string {
  const isLeast = atLeast.includes(figure);
  if (aggregated.includes(figure)) return isLeast ? 'from sums, at least' : 'from sums';
  return isLeast ? 'at least' : '';
}

const basisSentences: Readonly<Record<string, string>> = {
  'from sums': ' The recorder’s own sums are in it.',
  'from sums, at least':
    ' The recorder’s own sums are in it. At least so much: not every event is stored.',
  'at least': ' At least so much: not every event is stored.',
  '': '',
};

/** What a column says, with how it is known. */
export function columnTitle(
  bases: readonly FigureBases[],
  { figure, title }: BreakdownColumn,
): string {
  return `${title}.${basisSentences[columnMark(bases, figure)]}`;
}
