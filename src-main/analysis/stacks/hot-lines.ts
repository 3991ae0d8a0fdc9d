import type { HotLine } from '../../shared/answers/diagnosis.ts';
import type { TimeSpan } from '../../shared/answers/summary.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { cleanText } from '../../shared/text/text.ts';
import { firstAbove } from '../index/thread-switches.ts';
import { traceIndex } from '../index/trace-index.ts';
import { namedFrame } from './frame-names.ts';
import { isOwnCode, loaderStack } from './loader-stacks.ts';

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
  const lines = new Map<string, Line>();
  const { stack: stacks } = trace.tables.cpu_sample.columns;
  let samples = 0;
  for (const rows of threads.map((thread) => samplesWithin(trace, thread, span))) {
    samples += rows.length;
    for (const row of rows) addStack(trace, lines, stacks?.[row] ?? -1, 1);
  }
  return listed(lines, samples, false);
}

/** The CPU samples of `thread` in `span`, in order of time: rows of cpu_sample. */
export function samplesWithin(trace: Trace, thread: number, [startNs, endNs]: TimeSpan) {
  const { rows, startsNs } = traceIndex(trace).rowsOf('cpu_sample', thread);
  return rows.subarray(firstAbove(startsNs, startNs, true), firstAbove(startsNs, endNs, true));
}

function offCpuLines(trace: Trace, threads: readonly number[], span: TimeSpan): HotLine[] {
  const { startNs, durationNs, stack: stacks } = trace.tables.off_cpu.columns;
  if (stacks === undefined) return [];
  const lines = new Map<string, Line>();
  let totalNs = 0;
  for (const thread of threads) {
    const { rows, startsNs, latestEndsNs } = traceIndex(trace).switchesOf(thread);
    const last = firstAbove(startsNs, span[1], true);
    for (let at = firstAbove(latestEndsNs, span[0]); at < last; at++) {
      const row = rows[at];
      const endNs = Math.min(startNs[row] + durationNs[row], span[1]);
      const ns = endNs - Math.max(startNs[row], span[0]);
      if (ns <= 0 || loaderStack(trace, stacks[row]).entry === undefined) continue;
      totalNs += ns;
      addStack(trace, lines, stacks[row], ns);
    }
  }
  return listed(lines, totalNs, true);
}

function addStack(trace: Trace, lines: Map<string, Line>, stack: number, weight: number): void {
  const { frames, entry = -1 } = loaderStack(trace, stack);
  const own = frames.findIndex(isOwnCode);
  const python = frames.findIndex(({ language }) => language === 'python');
  const innermost = own >= 0 ? own : Math.max(0, python);
  for (const at of new Set([entry, innermost])) {
    const frame = frames[at];
    if (frame === undefined) continue;
    const { file = '', line = 0, language } = frame;
    const key = `${frame.symbol}\n${file}\n${line}`;
    const found = lines.get(key) ?? newLine(trace, stack, at, rankOf(at, entry, own, language));
    found.weight += weight;
    found.count++;
    lines.set(key, found);
  }
}

function rankOf(at: number, entry: number, own: number, language: 'python' | 'native'): number {
  const rank =
    at === entry ? 'entry' : at === own ? 'own' : language === 'python' ? 'library' : 'native';
  return ranks.indexOf(rank);
}

function newLine(trace: Trace, stack: number, at: number, rank: number): Line {
  const frame = namedFrame(loaderStack(trace, stack).frames[at]);
  const line = {
    function: cleanText(frame.demangled ?? frame.symbol),
    file: cleanText(frame.file ?? ''),
    line: frame.line ?? 0,
    language: frame.language,
  };
  return { line, rank, weight: 0, count: 0 };
}

function listed(lines: ReadonlyMap<string, Line>, total: number, isOffCpu: boolean): HotLine[] {
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
