import type { Trace } from '../../shared/model/trace.ts';
import { lowerBound, upperBound } from '../../shared/numbers/bisect.ts';
import { perTrace } from '../index/per-trace.ts';

/** As the agent names it: agent/src/record/throttling.c. */
const THROTTLED = 'throttled by CPU quota';

/** Looks at the control group between which its quota kept threads from running, in order of time. */
interface Looks {
  readonly startsNs: Float64Array;
  readonly endsNs: Float64Array;
  /** Over all CPUs. */
  readonly throttledNs: Float64Array;
}

const looks = perTrace((trace): Looks => {
  const { columns, rows } = trace.tables.aggregate;
  const isThrottled = trace.names.map((name) => name === THROTTLED);
  const found: number[] = [];
  for (let row = 0; row < rows; row++) if (isThrottled[columns.op[row]]) found.push(row);
  found.sort((a, b) => columns.startNs[a] - columns.startNs[b]);
  return {
    startsNs: Float64Array.from(found, (row) => columns.startNs[row]),
    endsNs: Float64Array.from(found, (row) => columns.startNs[row] + columns.durationNs[row]),
    throttledNs: Float64Array.from(found, (row) => Math.max(0, columns.totalNs?.[row] ?? 0)),
  };
});

/** Whether a quota was looked at, and not measured wait by wait. */
export function hasQuotaSamples(trace: Trace): boolean {
  const { aggregate, off_cpu: switches } = trace.tables;
  return switches.columns.throttledNs === undefined && aggregate.provenance.kind === 'sampled';
}

/**
 * Until when a CPU quota may have kept a thread from running that was ready from `fromNs` to `toNs`, while
 * nobody is known to have had its CPU: as long as its control group was held back between the looks.
 * Where in between is not known: from the begin on.
 */
export function quotaUntilNs(trace: Trace, fromNs: number, toNs: number): number {
  if (trace.hosts.length > 1 || !hasQuotaSamples(trace)) return fromNs;
  const { startsNs, endsNs, throttledNs } = looks(trace);
  let heldNs = 0;
  for (let at = upperBound(endsNs, fromNs); at < lowerBound(startsNs, toNs); at++) {
    const withinNs = Math.min(endsNs[at], toNs) - Math.max(startsNs[at], fromNs);
    heldNs += Math.min(withinNs, throttledNs[at]);
  }
  return Math.min(toNs, fromNs + heldNs);
}
