import { upperBound } from '../../../shared/numbers/bisect.ts';
import { onceFor } from '../../index/per-trace.ts';
import { SpanList, type Spans, spansLength, spansWithout } from '../../index/spans.ts';
import type { RankFacts } from './facts.ts';
import { type FileWrites, fileWrites } from './file-writes.ts';
import { type IoLimit, ioLimits, isOf, USED_UP } from './io-limit.ts';
import { DOMINANT_SHARE } from './loader-work.ts';
import { sampledStretches } from './machine-samples.ts';

/** A limit of what the job’s control group may write to a device, that is used up while the job waits for its writes. */
export interface WriteLimit extends IoLimit {
  readonly writes: FileWrites;
  /** For how long at least one thread waited for its writes, ns, in the seconds that such waits fill. */
  readonly waitedNs: number;
  /** What the group wrote in these seconds: MiB, or requests. */
  readonly written: number;
  /** Of these waits, the share in which the device had nothing to do; undefined = not recorded. */
  readonly idleShare: number | undefined;
}

/** Of the waits: where the device is busy for longer, it may be all that it can do. Our own choice. */
const IDLE_AT_LEAST = 0.5;

/** So much of a second is such waits. What is written while nobody waits counts too: so at least half. Our own choice. */
const FILLED = [0.9, 0.5];

/**
 * The limit on writing that holds the job back; undefined where there is none. Files are written now and then: so the limit is
 * compared with what was written in the seconds that waits fill: those have to be most of all the waits. What is held back waits before it is
 * queued: meanwhile the device has nothing to do. Worked out once per rank.
 */
export const writesHeldBackBy = onceFor((facts: RankFacts) => facts, findHeldBack);

function findHeldBack(facts: RankFacts): WriteLimit | undefined {
  const limits = ioLimits(facts, 'writes to');
  if (limits.length === 0) return undefined;
  const writes = fileWrites(facts);
  const allNs = spansLength(writes.spans);
  if (allNs === 0) return undefined;
  for (const limit of limits) {
    const used = FILLED.map((share) => filledSeconds(facts, limit, writes.spans, share)).find(
      ({ written, lengthNs, waitedNs }) =>
        waitedNs >= allNs * DOMINANT_SHARE &&
        written >= (limit.limit.mean * lengthNs * USED_UP) / 1e9,
    );
    if (used === undefined) continue;
    const { written, waitedNs } = used;
    const idleShare = idleShareOf(facts, limit.device, writes.spans);
    if (idleShare !== undefined && idleShare < IDLE_AT_LEAST) continue;
    return { ...limit, writes, waitedNs, written, idleShare };
  }
  return undefined;
}

/** Of all seconds of which at least `share` is `waits`: their length, the waits in them, and what was written. */
function filledSeconds(facts: RankFacts, { done }: IoLimit, waits: Spans, share: number) {
  const sums = { lengthNs: 0, waitedNs: 0, written: 0 };
  for (const { startNs, endNs, amount } of sampledStretches(facts, done.metric)) {
    const ns = lengthWithin(waits, startNs, endNs);
    if (ns === 0 || ns < (endNs - startNs) * share) continue;
    sums.lengthNs += endNs - startNs;
    sums.waitedNs += ns;
    sums.written += amount;
  }
  return sums;
}

function lengthWithin({ startsNs, endsNs }: Spans, fromNs: number, toNs: number): number {
  let ns = 0;
  for (let at = upperBound(endsNs, fromNs); at < startsNs.length && startsNs[at] < toNs; at++)
    ns += Math.min(endsNs[at], toNs) - Math.max(startsNs[at], fromNs);
  return ns;
}

/** Any request of anybody keeps a device busy, from the moment in which it was queued. */
function idleShareOf(
  { trace, window }: RankFacts,
  device: string,
  waits: Spans,
): number | undefined {
  const { columns, rows } = trace.tables.block_io;
  const { startNs, durationNs, queueNs } = columns;
  const queuedAt = (row: number) => startNs[row] - Math.max(0, queueNs?.[row] ?? 0);
  const own: number[] = [];
  for (let row = 0; row < rows; row++) {
    const isWithin = startNs[row] + durationNs[row] > window[0] && queuedAt(row) < window[1];
    if (isWithin && isOf(trace, row, device)) own.push(row);
  }
  // It wrote something: a device that is made of others has its requests under their names.
  if (own.length === 0) return undefined;
  const busy = new SpanList(window);
  for (const row of own.sort((a, b) => queuedAt(a) - queuedAt(b)))
    busy.add(queuedAt(row), startNs[row] + durationNs[row]);
  return spansLength(spansWithout(waits, busy.spans())) / spansLength(waits);
}
