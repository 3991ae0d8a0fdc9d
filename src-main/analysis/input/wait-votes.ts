import { isReady } from '../../shared/model/task-state.ts';
import type { Trace } from '../../shared/model/trace.ts';
import type { LoopCalls } from '../loop/loop-calls.ts';
import { SIGN_NONE, stackSigns } from '../loop/stack-signs.ts';
import { gapKind } from './gap-kind.ts';

/** So many waits of one kind with a stack must say what such waits are, and nine of ten agree. */
const MIN_STACKS = 5;
const AGREEING_SHARE = 0.9;

interface Kind {
  readonly signs: Map<number, number>;
  count: number;
  /** Of those with a stack. */
  shortestNs: number;
}

/**
 * What the waits of a thread without a stack were, told by those with one: in gaps between the same two
 * operations, in the same system call, and no shorter than one that was seen. A recorder that looks now and
 * then sees the long ones first: of shorter ones nothing is said.
 */
export function waitVotes(
  trace: Trace,
  calls: LoopCalls,
  rows: ArrayLike<number> & Iterable<number>,
): (row: number) => number {
  const { startNs, durationNs, state, stack, syscall } = trace.tables.off_cpu.columns;
  if (stack === undefined || syscall === undefined) return () => SIGN_NONE;
  const { signs } = stackSigns(trace);
  const keyOf = (row: number) =>
    `${syscall[row]} ${gapKind(trace, calls, calls.startsNs.lowerBound(startNs[row]))}`;
  const kinds = new Map<string, Kind>();
  for (const row of rows) {
    const sign = signs[stack[row]] ?? SIGN_NONE;
    if (sign === SIGN_NONE || syscall[row] < 0 || isReady(state?.[row] ?? -1)) continue;
    const key = keyOf(row);
    const kind = kinds.get(key) ?? { signs: new Map(), count: 0, shortestNs: Infinity };
    kind.signs.set(sign, (kind.signs.get(sign) ?? 0) + 1);
    kind.count++;
    kind.shortestNs = Math.min(kind.shortestNs, durationNs[row]);
    kinds.set(key, kind);
  }
  return (row) => {
    const kind = kinds.size === 0 || syscall[row] < 0 ? undefined : kinds.get(keyOf(row));
    if (kind === undefined || durationNs[row] < kind.shortestNs) return SIGN_NONE;
    for (const [sign, count] of kind.signs)
      if (count >= MIN_STACKS && count >= kind.count * AGREEING_SHARE) return sign;
    return SIGN_NONE;
  };
}
