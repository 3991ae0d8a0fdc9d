import type { Cell } from '../../sqlite/row-query.ts';

/** A century: more than that is no time of a recording. */
const MOST_NS = 3.2e18;

export interface Span {
  readonly startNs: number;
  readonly durationNs: number;
}

/** When something was, in ns from the session's start, which may lie behind it; undefined where that is no time. */
export function momentOf(cell: Cell | undefined): number | undefined {
  return typeof cell === 'number' && Number.isSafeInteger(cell) && Math.abs(cell) < MOST_NS
    ? cell
    : undefined;
}

export function spanOf(start: Cell | undefined, end: Cell | undefined): Span | undefined {
  const [startNs, endNs] = [momentOf(start), momentOf(end)];
  if (startNs === undefined || endNs === undefined || endNs < startNs) return undefined;
  return { startNs, durationNs: endNs - startNs };
}
