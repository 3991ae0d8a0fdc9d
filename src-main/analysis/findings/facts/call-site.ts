import { NONE } from '../../../shared/model/schema.ts';
import type { Trace } from '../../../shared/model/trace.ts';
import { loaderStacks } from '../../stacks/loader-stacks.ts';
import { placeText } from '../../stacks/place-text.ts';
import { CLEARLY, functionOf } from './culprit.ts';

/** A function of the job that made some of the calls. */
interface CallSite {
  /** `read_loss (train.py:41)`: its line with most of them. */
  readonly place: string;
  readonly count: number;
}

interface CallSites {
  /** Most calls first; those without Python on their stack are left out. */
  readonly sites: readonly CallSite[];
  /** The first of them, where clearly most of the calls are its; else undefined. */
  readonly main: CallSite | undefined;
}

/**
 * Which functions made `rows` of cuda_call, by their stacks: the innermost of the job's own, else of Python. A function that
 * several others call for it, as one that wraps a CUDA call, is looked through: its callers are where to look.
 */
export function callSites(trace: Trace, rows: readonly number[]): CallSites {
  const { stacks } = trace;
  const { stack: column } = trace.tables.cuda_call.columns;
  const { own, python } = loaderStacks(trace);
  const innermost = (stack: number) => {
    const at = own[stack] ?? NONE;
    return at === NONE ? (python[stack] ?? NONE) : at;
  };
  const nameAt = (stack: number) => functionOf(placeText(stacks, stacks.frame[stack]));
  const callerOf = (stack: number) => own[stacks.prefix[stack]] ?? NONE;
  // Many calls have few stacks: names are made once for each.
  const counts = new Map<number, number>();
  for (const row of rows) {
    const at = innermost(column?.[row] ?? NONE);
    if (at !== NONE) counts.set(at, (counts.get(at) ?? 0) + 1);
  }
  const callers = new Map<string, Set<string>>();
  for (const at of counts.keys()) {
    const caller = callerOf(at);
    if (caller === NONE) continue;
    const names = callers.get(nameAt(at)) ?? new Set<string>();
    callers.set(nameAt(at), names.add(nameAt(caller)));
  }
  const isWrapper = (at: number) =>
    callerOf(at) !== NONE && (callers.get(nameAt(at))?.size ?? 0) > 1;
  const byName = new Map<string, Map<string, number>>();
  for (const [at, count] of counts) {
    const site = placeText(stacks, stacks.frame[isWrapper(at) ? callerOf(at) : at]);
    const lines = byName.get(functionOf(site)) ?? new Map<string, number>();
    byName.set(functionOf(site), lines.set(site, (lines.get(site) ?? 0) + count));
  }
  const sites = [...byName.values()].map(siteOf).sort((a, b) => b.count - a.count);
  const isMain = sites.length > 0 && sites[0].count >= rows.length * CLEARLY;
  return { sites, main: isMain ? sites[0] : undefined };
}

function siteOf(lines: ReadonlyMap<string, number>): CallSite {
  const [[place]] = [...lines].sort((a, b) => b[1] - a[1]);
  return { place, count: [...lines.values()].reduce((sum, count) => sum + count, 0) };
}
