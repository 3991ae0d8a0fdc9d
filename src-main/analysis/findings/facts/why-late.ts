import type { Trace } from '../../../shared/model/trace.ts';
import { upperBound } from '../../../shared/numbers/bisect.ts';
import { midpoint } from '../../../shared/numbers/percentile.ts';
import { kindWords } from '../../../shared/words/host-time-words.ts';
import { hostWorks } from '../../host/host-parts.ts';
import { SpanList, type Spans } from '../../index/spans.ts';
import type { PhaseIntervals } from '../../loop/phase-list.ts';
import type { KnownMeeting, Lateness, RankTime } from '../../ranks/lateness.ts';
import { costsOf } from './costs.ts';
import type { CostCell, LateKind, LateReason } from './facts.ts';

/** What a rank does before a collective that the others do not: why it comes last. */

/** Less than this of its lateness explains nothing. */
const TELLING_SHARE = 0.3;

const words: Readonly<Record<Exclude<LateKind, keyof typeof kindWords>, string>> = {
  input: 'waiting for input',
  cpu: 'ready to run, waiting for a CPU',
  h2d: 'copying to the GPU',
  cuda: 'in CUDA calls, and waiting for the GPU',
  work: 'busy on a CPU outside of CUDA calls',
  wait: 'waiting outside of CUDA calls, for what is not known',
};

/** Why rank `late` came last to `meetings`, all of them its own; undefined where nothing stands out. */
export function whyLate(
  trace: Trace,
  ranks: readonly RankTime[],
  { endsNs }: Pick<Lateness, 'endsNs'>,
  late: number,
  meetings: readonly KnownMeeting[],
): LateReason | undefined {
  const sums = ranks.map((time, rank) =>
    kindSums(trace, time, before(time, rank, meetings, endsNs)),
  );
  const others = sums.filter((_, rank) => rank !== late);
  const more = [...sums[late]].map(([kind, ownNs]) => {
    const othersNs = midpoint(others.map((sum) => sum.get(kind) ?? 0));
    return { kind, ownNs, othersNs, moreNs: ownNs - othersNs };
  });
  const [most] = more.toSorted((a, b) => b.moreNs - a.moreNs);
  const allNs = more.reduce((sum, { moreNs }) => sum + Math.max(0, moreNs), 0);
  if (most === undefined || !(most.moreNs > allNs * TELLING_SHARE)) return undefined;
  const { kind, ownNs, othersNs } = most;
  const each = { ownNs: ownNs / meetings.length, othersNs: othersNs / meetings.length };
  return { kind, text: textOf(trace, ranks[late], kind), ...each };
}

/** The time of `rank` that led up to each of `meetings`: since the end of the collective before it. */
function before(
  { phases }: RankTime,
  rank: number,
  meetings: readonly KnownMeeting[],
  endsNs: Float64Array,
): Spans {
  const { window } = phases.summary;
  const list = new SpanList(window);
  for (const { last, lastNs, fromNs } of meetings) {
    const toNs = last === rank ? lastNs : fromNs[rank];
    if (!Number.isNaN(toNs)) list.add(endsNs[upperBound(endsNs, toNs) - 1] ?? window[0], toNs);
  }
  return list.spans();
}

function kindSums(trace: Trace, { rank, phases, host, evaluations }: RankTime, spans: Spans) {
  const none = { startsNs: new Float64Array(0), endsNs: new Float64Array(0) };
  const device = { idle: undefined, recorded: undefined };
  const waits = { host, awaited: none, evaluations: evaluations.spans, cpus: 0 };
  const { cells } = costsOf(trace, rank, within(phases, spans), device, waits);
  const sums = new Map<LateKind, number>();
  for (const cell of cells) {
    const kind = kindOf(cell);
    if (kind !== undefined) sums.set(kind, (sums.get(kind) ?? 0) + cell.ns);
  }
  return sums;
}

const FOR_CPU = /^(runnable|throttled|idle-cpu|stolen)/;
const RUNS = /^(running|unknown|drained|launching)$/;

function kindOf({ phase, whose, cause, activity = 'none' }: CostCell): LateKind | undefined {
  if (phase === 'collective' || phase === 'idle') return undefined;
  if (phase === 'input') return 'input';
  if (whose === 'main' && FOR_CPU.test(cause)) return 'cpu';
  if (phase === 'h2d') return 'h2d';
  if (phase === 'compute') return 'cuda';
  if (activity !== 'none') return activity;
  return RUNS.test(cause) ? 'work' : 'wait';
}

/** What of the intervals lies in `spans`. */
function within(phases: PhaseIntervals, spans: Spans): PhaseIntervals {
  const parts: { startNs: number; endNs: number; at: number }[] = [];
  let first = 0;
  for (let span = 0; span < spans.startsNs.length; span++) {
    const [fromNs, toNs] = [spans.startsNs[span], spans.endsNs[span]];
    while (phases.endsNs[first] <= fromNs) first++;
    for (let at = first; phases.startsNs[at] < toNs; at++) {
      const startNs = Math.max(fromNs, phases.startsNs[at]);
      parts.push({ startNs, endNs: Math.min(toNs, phases.endsNs[at]), at });
    }
  }
  return {
    startsNs: Float64Array.from(parts, ({ startNs }) => startNs),
    endsNs: Float64Array.from(parts, ({ endNs }) => endNs),
    phases: Uint8Array.from(parts, ({ at }) => phases.phases[at]),
    calls: Int32Array.from(parts, ({ at }) => phases.calls[at]),
  };
}

/** With the function that has most of it, where that is known. */
function textOf(trace: Trace, { host }: RankTime, kind: LateKind): string {
  if (!isHostKind(kind)) return words[kind];
  const work = hostWorks(trace, host).find((each) => each.kind === kind && each.place);
  return work === undefined ? kindWords[kind] : `${kindWords[kind]} in ${work.place}`;
}

function isHostKind(kind: LateKind): kind is Extract<LateKind, keyof typeof kindWords> {
  return kind in kindWords;
}
