import type { NamedFunction, RanWithin } from '../../shared/answers/stretch.ts';
import type { WaitChain } from '../../shared/answers/wait-chain.ts';
import { isPython } from '../../shared/model/stacks.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { samplesWithin } from '../stacks/hot-lines.ts';
import { namedFunction } from '../stacks/place-text.ts';

/** A stack that is deeper has its outermost functions left out. */
const MOST_FUNCTIONS = 100;

/** For each thread that ran in a wait chain, the functions that most of what it ran there was in. */
export function functionsRun(trace: Trace, { segments }: Pick<WaitChain, 'segments'>): RanWithin[] {
  const { stack } = trace.tables.cpu_sample.columns;
  if (stack === undefined) return [];
  const ran = Map.groupBy(
    segments.filter(({ state }) => state === 'running'),
    ({ thread }) => thread.thread,
  );
  return [...ran].flatMap(([thread, own]) => {
    const samples = own.flatMap(({ startNs, endNs }) => [
      ...samplesWithin(trace, thread, [startNs, endNs]),
    ]);
    const functions = mostOf(
      trace,
      samples.map((row) => stack[row]),
    );
    return functions.length === 0 ? [] : [{ thread, functions }];
  });
}

/** The Python functions that at least half of these stacks, one for each sample, go through. */
function mostOf({ stacks }: Trace, sampled: readonly number[]): NamedFunction[] {
  const counts = new Map<number, number>();
  for (const stack of sampled) counts.set(stack, (counts.get(stack) ?? 0) + 1);
  const found = new Map<string, { readonly told: NamedFunction; count: number }>();
  for (const [stack, count] of counts) {
    // One that calls itself is met once.
    const met = new Set<string>();
    for (let at = stack; at >= 0; at = stacks.prefix[at]) {
      const frame = stacks.frame[at];
      if (!isPython(stacks, frame)) continue;
      const told = namedFunction(stacks, frame);
      const key = `${told.name} ${told.file}`;
      if (met.has(key)) continue;
      met.add(key);
      const known = found.get(key) ?? { told, count: 0 };
      known.count += count;
      found.set(key, known);
    }
  }
  return [...found.values()]
    .filter(({ count }) => count * 2 >= sampled.length)
    .slice(0, MOST_FUNCTIONS)
    .map(({ told }) => told);
}
