import { upperBound } from '../../../shared/numbers/bisect.ts';
import { onceFor } from '../../index/per-trace.ts';
import { SpanList, type Spans, spansLength, spansWithout } from '../../index/spans.ts';
import type { RankFacts } from './facts.ts';
import { type FileWrites, fileWrites } from './file-writes.ts';
import { type IoLimit, ioLimits, isOf, USED_UP } from './io-limit.ts';
import { sampledStretches } from './machine-samples.ts';

/** A limit of what the job’s control group may write to a device, that is used up while the job waits for its writes. */
export interface WriteLimit extends IoLimit {
  readonly writes: FileWrites;
  /** For how long at least one thread waited for its writes, ns. */
  readonly waitedNs: number;
  /** What the group wrote in the seconds with these waits: MiB, or requests. */
  readonly written: number;
  /** Of these waits, the share in which the device had nothing to do; undefined = not recorded. */
  readonly idleShare: number | undefined;
}

/** Of the waits: where the device is busy for longer, it may be all that it can do. Our own choice. */
const IDLE_AT_LEAST = 0.5;

/**
 * The limit on writing that holds the job back; undefined where there is none. Files are written now and then: so the limit is
 * compared with what was written in the seconds in which the job waited for it. What is held back waits before it is
 * queued: meanwhile the device has nothing to do. Worked out once per rank.
 */
export const writesHeldBackBy = onceFor((facts: RankFacts) => facts, findHeldBack);

function findHeldBack(facts: RankFacts): WriteLimit | undefined {
  const limits = ioLimits(facts, 'writes to');
  if (limits.length === 0) return undefined;
  const writes = fileWrites(facts);
  const waitedNs = spansLength(writes.spans);
  if (waitedNs === 0) return undefined;
  for (const limit of limits) {
    const written = writtenWithin(facts, limit, writes.spans);
    if (written < (limit.limit.mean * waitedNs * USED_UP) / 1e9) continue;
    const idleShare = idleShareOf(facts, limit.device, writes.spans);
    if (idleShare !== undefined && idleShare < IDLE_AT_LEAST) continue;
    return { ...limit, writes, waitedNs, written, idleShare };
  }
  return undefined;
}

/** In all seconds of which some was in `waits`. */
function writtenWithin(facts: RankFacts, { done }: IoLimit, { startsNs, endsNs }: Spans): number {
  return sampledStretches(facts, done.metric)
    .filter(({ startNs, endNs }) => startsNs[upperBound(endsNs, startNs)] < endNs)
    .reduce((sum, { amount }) => sum + amount, 0);
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
