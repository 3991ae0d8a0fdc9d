import type { TimeSpan } from '../../shared/answers/summary.ts';
import { NONE } from '../../shared/model/schema.ts';
import { codesOfFrames, type Frame, frameAt, type Stacks } from '../../shared/model/stacks.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { loopCalls } from '../loop/loop-calls.ts';
import { loaderStacks } from '../stacks/loader-stacks.ts';

/** With fewer calls nothing is said of what is around them. */
const CALLS_AT_LEAST = 10;
/** A loop may do as much elsewhere, now and then. What trains between two evaluations does more. Both are our own choice. */
const NEARLY_ALL = 0.99;

/** All lines of a function have this in common. */
export function functionKey({ symbol, file = '' }: Frame): string {
  return `${symbol} ${file}`;
}

/**
 * The functions among those that pass `isAsked` in which nearly all CUDA calls of `window` were made, as far as these
 * have Python on their stack: copies of batches alone would be those of whoever brings them.
 */
export function functionsAround(
  trace: Trace,
  mainThread: number,
  window: TimeSpan,
  isAsked: (frame: Frame) => boolean,
): ReadonlySet<string> {
  const { stacks } = trace;
  const asked = codesOfFrames(stacks, (frame) => (isAsked(frame) ? 1 : 0));
  if (!asked.includes(1)) return new Set();
  const calls = callsByStack(trace, mainThread, window);
  const counts = new Map<string, number>();
  let all = 0;
  for (const [stack, count] of calls) {
    all += count;
    for (const name of namesOn(stacks, stack, asked))
      counts.set(name, (counts.get(name) ?? 0) + count);
  }
  if (all < CALLS_AT_LEAST) return new Set();
  return new Set([...counts].flatMap(([name, count]) => (count >= all * NEARLY_ALL ? [name] : [])));
}

function callsByStack(
  trace: Trace,
  mainThread: number,
  [fromNs, toNs]: TimeSpan,
): ReadonlyMap<number, number> {
  const { stack } = trace.tables.cuda_call.columns;
  const { python } = loaderStacks(trace);
  const { rows, startsNs } = loopCalls(trace, mainThread);
  const calls = new Map<number, number>();
  for (let at = startsNs.lowerBound(fromNs); at < rows.length && startsNs.nsAt(at) < toNs; at++) {
    const own = stack?.[rows[at]] ?? NONE;
    if ((python[own] ?? NONE) !== NONE) calls.set(own, (calls.get(own) ?? 0) + 1);
  }
  return calls;
}

function namesOn(stacks: Stacks, stack: number, asked: Uint8Array): ReadonlySet<string> {
  const names = new Set<string>();
  for (let at = stack; at >= 0; at = stacks.prefix[at]) {
    const frame = stacks.frame[at];
    if (asked[frame] === 1) names.add(functionKey(frameAt(stacks, frame)));
  }
  return names;
}
