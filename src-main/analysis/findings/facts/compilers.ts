import { plural } from '../../../shared/text/units.ts';
import { SpanList, type Spans, spansLength } from '../../index/spans.ts';
import { isCompileWorker } from '../../jobs/compile-worker.ts';
import { descendsFrom, processTree } from '../../jobs/process-tree.ts';
import type { RankFacts } from './facts.ts';

/** The programs that compiled for a rank in its window. */
export interface Compilers {
  readonly count: number;
  /** `cc1plus, as and 3 others`: those that lived longest first. */
  readonly names: string;
  /** When at least one of them was there: those side by side, and one within the other, count once. */
  readonly spans: Spans;
  readonly ns: number;
}

/** So many kinds of programs are named. */
const NAMED = 3;

/** Undefined where there is none whose begin and end were recorded, and that compiled all the time between them. */
export function compilersOf({ trace, rank, window }: RankFacts): Compilers | undefined {
  const tree = processTree(trace.processes);
  const found = trace.processes
    .flatMap(({ role, name, startNs, endNs, commandLine = '' }, process) => {
      if (role !== 'compiler' || startNs === undefined || endNs === undefined) return [];
      if (isCompileWorker(commandLine)) return [];
      const isOwn = descendsFrom(tree, process, rank.process);
      return isOwn && startNs < window[1] && endNs > window[0] ? [{ name, startNs, endNs }] : [];
    })
    .sort((a, b) => a.startNs - b.startNs);
  if (found.length === 0) return undefined;
  const list = new SpanList(window);
  const lived = new Map<string, number>();
  for (const { name, startNs, endNs } of found) {
    list.add(startNs, endNs);
    lived.set(name, (lived.get(name) ?? 0) + endNs - startNs);
  }
  const names = [...lived].sort((a, b) => b[1] - a[1]).map(([name]) => name);
  const spans = list.spans();
  return { count: found.length, names: namesText(names), spans, ns: spansLength(spans) };
}

function namesText(names: readonly string[]): string {
  const named = names.slice(0, NAMED).join(', ');
  const others = names.length - NAMED;
  return others > 0 ? `${named} and ${plural(others, 'other')}` : named;
}
