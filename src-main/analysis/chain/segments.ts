import type { Rank, ThreadLabel } from '../../shared/answers/jobs.ts';
import type { ChainSegment, Proof } from '../../shared/answers/wait-chain.ts';
import { type ThreadState, threadStates } from '../../shared/model/thread-state.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { traceIndex } from '../index/trace-index.ts';
import { labelThread } from '../jobs/thread-label.ts';
import { stateWhileAsleep } from '../threads/visit-states.ts';
import { measuredReason, measuredStretch } from './measured-stretch.ts';
import { activityOf, lineOfWait } from './own-activity.ts';
import type { Stretch } from './walk.ts';
import { whoRan } from './who-ran.ts';
import { runnableReason, waitReason } from './words.ts';

/** More than this no one reads, and a timeline cannot show. */
const MAX_SEGMENTS = 500;

/** Stretches that follow each other, as one segment; most have one. */
type Group = readonly Stretch[];

/** The segments of a walk in order of time, at most `limit`: what is short is shown as one with its neighbours. */
export function segmentsOf(
  trace: Trace,
  rank: Rank | undefined,
  stretches: readonly Stretch[],
  limit = MAX_SEGMENTS,
): ChainSegment[] {
  const labelOf = labeller(trace, rank);
  return grouped(stretches.toReversed(), limit).map((group) => segmentOf(trace, group, labelOf));
}

export function labeller(trace: Trace, rank: Rank | undefined): LabelOf {
  const labels = new Map<number, ThreadLabel>();
  return (thread) => {
    const label = labels.get(thread) ?? labelThread(trace, thread, rank);
    labels.set(thread, label);
    return label;
  };
}

/** At most `limit` groups: the longest stretches each alone, all between two of them together. */
function grouped(stretches: readonly Stretch[], limit: number): Group[] {
  if (stretches.length <= limit) return stretches.map((stretch) => [stretch]);
  const alone = new Set(
    stretches.toSorted((a, b) => lengthOf(b) - lengthOf(a)).slice(0, Math.floor((limit - 1) / 2)),
  );
  const groups: Stretch[][] = [];
  let isOpen = false;
  for (const stretch of stretches) {
    if (!alone.has(stretch) && isOpen) groups[groups.length - 1].push(stretch);
    else groups.push([stretch]);
    isOpen = !alone.has(stretch);
  }
  return groups;
}

export function lengthOf({ startNs, endNs }: Stretch): number {
  return endNs - startNs;
}

export type LabelOf = (thread: number) => ThreadLabel;

function segmentOf(trace: Trace, group: Group, labelOf: LabelOf): ChainSegment {
  const longest = group.reduce((most, next) => (lengthOf(next) > lengthOf(most) ? next : most));
  const segment = describe(trace, longest, labelOf);
  if (group.length === 1) return segment;
  return {
    ...segment,
    count: group.length,
    startNs: group[0].startNs,
    endNs: group[group.length - 1].endNs,
    reason: `${group.length} short stretches; the longest: ${segment.reason}`,
    proof: group.map((stretch) => proofOf(trace, stretch)).reduce(joinedProof),
  };
}

/** One stretch, told. */
export function describe(trace: Trace, stretch: Stretch, labelOf: LabelOf): ChainSegment {
  const { startNs, endNs, thread } = stretch;
  const core = { startNs, endNs, thread: labelOf(thread), state: stateOf(trace, stretch) };
  const proof = proofOf(trace, stretch);
  switch (stretch.kind) {
    case 'running': {
      const { reason, event } = activityOf(trace, thread, startNs, endNs);
      const cpu = cpuWhileRunning(trace, stretch);
      const said =
        proof === 'bound' && stretch.holder === undefined ? `${reason}, at most` : reason;
      return { ...core, reason: said, proof, ...cpu, ...(event === undefined ? {} : { event }) };
    }
    case 'runnable': {
      const who = whoRan(trace, stretch, labelOf);
      const reason = runnableReason(trace, who);
      const event = { table: 'off_cpu' as const, row: stretch.row };
      return { ...core, reason, proof, event, ...who.cpu, ran: who.ran };
    }
    default: {
      const measured = measuredStretch(trace, stretch);
      if (measured !== undefined) {
        const event = { table: 'cuda_call' as const, row: measured.call };
        return { ...core, reason: measuredReason(measured), proof, event };
      }
      const line = stretch.kind === 'blocked' ? lineOfWait(trace, stretch.row) : undefined;
      const where = line === undefined || stretch.stop === 'index' ? '' : `, in ${line}`;
      const reason = `${waitReason(trace, stretch, labelOf)}${where}`;
      if (stretch.row < 0) return { ...core, reason, proof };
      return { ...core, reason, proof, event: { table: 'off_cpu', row: stretch.row } };
    }
  }
}

function stateOf(trace: Trace, { kind, row }: Stretch): ThreadState {
  if (kind === 'blocked') return threadStates[stateWhileAsleep(trace, row)];
  return kind === 'off-cpu' ? 'unknown' : kind;
}

/** How far one stretch is known. */
export function proofOf(trace: Trace, stretch: Stretch): Proof {
  const { kind, holder } = stretch;
  if (kind === 'unknown' && measuredStretch(trace, stretch) !== undefined) return 'bound';
  if (kind === 'unknown' || kind === 'off-cpu') return 'unknown';
  if (kind === 'running' && trace.tables.off_cpu.provenance.kind !== 'exact') return 'bound';
  // Between the waits for a lock it looked again: it was blocked for at most this long.
  return holder === undefined ? 'proven' : 'bound';
}

/** How far two are known that are told as one. */
export function joinedProof(one: Proof, other: Proof): Proof {
  if (one === other) return one;
  const isKnown = (proof: Proof) => proof === 'proven' || proof === 'bound';
  return isKnown(one) && isKnown(other) ? 'bound' : 'partly';
}

/** The CPU that the thread left when the stretch ended. */
function cpuWhileRunning(trace: Trace, { thread, startNs }: Stretch): { cpu?: number } {
  const { rows, startsNs } = traceIndex(trace).switchesOf(thread);
  const next = startsNs.lowerBound(startNs);
  const cpu = next < rows.length ? (trace.tables.off_cpu.columns.cpuOut?.[rows[next]] ?? -1) : -1;
  return cpu < 0 ? {} : { cpu };
}
