import type { Trace } from '../../shared/model/trace.ts';
import { traceIndex } from '../index/trace-index.ts';
import type { GapSplit } from '../input/gap-split.ts';
import { PHASE } from '../loop/phase-list.ts';
import { isRequestWait, requestCameNs } from '../threads/request-waits.ts';

/**
 * Splits the time between two CUDA calls of a server's thread: idle while it waits for a request, all
 * else as `splitRest` says. Only waits that are stored count, so idle is a lower bound.
 */
export function idleSplitter(trace: Trace, thread: number, splitRest: GapSplit): GapSplit {
  const { rows, startsNs, latestEndsNs } = traceIndex(trace).switchesOf(thread);
  return (gap, fromNs, toNs, put) => {
    const end = startsNs.lowerBound(toNs);
    let reachedNs = fromNs;
    for (let at = latestEndsNs.upperBound(fromNs); at < end; at++) {
      const cameNs = Math.min(toNs, requestCameNs(trace, rows[at]));
      if (cameNs <= reachedNs || !isRequestWait(trace, rows[at])) continue;
      if (startsNs.nsAt(at) > reachedNs) splitRest(gap, reachedNs, startsNs.nsAt(at), put);
      put(cameNs, PHASE.idle);
      reachedNs = cameNs;
    }
    if (toNs > reachedNs) splitRest(gap, reachedNs, toNs, put);
  };
}
