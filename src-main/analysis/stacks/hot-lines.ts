import type { HotLine } from '../../shared/answers/diagnosis.ts';
import type { TimeSpan } from '../../shared/answers/summary.ts';
import { NONE } from '../../shared/model/schema.ts';
import { frameAt } from '../../shared/model/stacks.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { cleanText } from '../../shared/text/text.ts';
import { traceIndex } from '../index/trace-index.ts';
import { namedFrame } from './frame-names.ts';
import { loaderStacks } from './loader-stacks.ts';

/** As many as a finding shows. */
const MOST_LINES = 8;

/** A line seen less often is left out: one sample in a hundred says nothing. */
const LEAST_SHARE = 0.02;

/** In the order in which they are listed. */
const ranks = ['entry', 'own', 'library', 'native'] as const;

interface Line {
  readonly line: Omit<HotLine, 'samples' | 'share'>;
  readonly rank: number;
  weight: number;
  count: number;
}

/** By frame. */
type Lines = Map<number, Line>;

/**
 * The lines in which `threads` were met over `span`: first those of the dataset's `__getitem__` and
 * of the collate_fn, then of the job's own code, then of libraries; most samples first. A sample
 * counts for the function that the loader called and for the innermost line of the job's own, else
 * for the innermost line there is. Where off-CPU stacks are recorded, the same for the time that
 * DataLoader workers were off the CPU while making a batch, with shares of that time.
 */
export function hotLines(trace: Trace, threads: readonly number[], span: TimeSpan): HotLine[] {
  return [...onCpuLines(trace, threads, span), ...offCpuLines(trace, threads, span)];
}

function onCpuLines(trace: Trace, threads: readonly number[], span: TimeSpan): HotLine[] {
  const lines: Lines = new Map();
  const { stack: stacks } = trace.tables.cpu_sample.columns;
  let samples = 0;
  for (const rows of threads.map((thread) => samplesWithin(trace, thread, span))) {
    samples += rows.length;
    for (const row of rows) addStack(trace, lines, stacks?.[row] ?? NONE, 1);
  }
  return listed(lines, samples, false);
}

/** The CPU samples of `thread` in `span`, in order of time: rows of cpu_sample. */
export function samplesWithin(trace: Trace, thread: number, [startNs, endNs]: TimeSpan) {
  const { rows, startsNs } = traceIndex(trace).rowsOf('cpu_sample', thread);
  return rows.subarray(startsNs.lowerBound(startNs), startsNs.lowerBound(endNs));
}

function offCpuLines(trace: Trace, threads: readonly number[], span: TimeSpan): HotLine[] {
  const { startNs, durationNs, stack: stacks } = trace.tables.off_cpu.columns;
  if (stacks === undefined) return [];
  const { entry } = loaderStacks(trace);
  const lines: Lines = new Map();
  let totalNs = 0;
  for (const thread of threads) {
    const { rows, startsNs, latestEndsNs } = traceIndex(trace).switchesOf(thread);
    const last = startsNs.lowerBound(span[1]);
    for (let at = latestEndsNs.upperBound(span[0]); at < last; at++) {
      const row = rows[at];
      const endNs = Math.min(startNs[row] + durationNs[row], span[1]);
      const ns = endNs - Math.max(startNs[row], span[0]);
      if (ns <= 0 || (entry[stacks[row]] ?? NONE) === NONE) continue;
      totalNs += ns;
      addStack(trace, lines, stacks[row], ns);
    }
  }
  return listed(lines, totalNs, true);
}

function addStack(trace: Trace, lines: Lines, stack: number, weight: number): void {
  if (stack === NONE) return;
  const { entry, own, python } = loaderStacks(trace);
  const innermost = own[stack] !== NONE ? own[stack] : python[stack];
  addLine(trace, lines, entry[stack], 'entry', weight);
  if (innermost === NONE) addLine(trace, lines, stack, 'native', weight);
  else if (innermost !== entry[stack])
    addLine(trace, lines, innermost, own[stack] === NONE ? 'library' : 'own', weight);
}

/** Adds to the line of the frame in row `at` of the stacks; -1 = there is none. */
function addLine(
  trace: Trace,
  lines: Lines,
  at: number,
  rank: (typeof ranks)[number],
  weight: number,
): void {
  if (at === NONE) return;
  const frame = trace.stacks.frame[at];
  const found = lines.get(frame) ?? newLine(trace, frame, rank);
  found.weight += weight;
  found.count++;
  lines.set(frame, found);
}

function newLine({ stacks }: Trace, frame: number, rank: (typeof ranks)[number]): Line {
  const { symbol, demangled, file, line, language } = namedFrame(frameAt(stacks, frame));
  return {
    line: {
      function: cleanText(demangled ?? symbol),
      file: cleanText(file ?? ''),
      line: line ?? 0,
      language,
    },
    rank: ranks.indexOf(rank),
    weight: 0,
    count: 0,
  };
}

function listed(lines: Lines, total: number, isOffCpu: boolean): HotLine[] {
  return [...lines.values()]
    .filter(({ weight }) => weight >= total * LEAST_SHARE)
    .sort((a, b) => a.rank - b.rank || b.weight - a.weight)
    .slice(0, MOST_LINES)
    .map(({ line, weight, count }) => ({
      ...line,
      samples: count,
      share: weight / total,
      ...(isOffCpu && { offCpuNs: weight }),
    }));
}
