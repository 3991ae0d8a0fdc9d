import { type HostKind, hostKinds } from '../../shared/answers/host-time.ts';
import type { Rank } from '../../shared/answers/jobs.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { lowerBound } from '../../shared/numbers/bisect.ts';
import { collectEvidence } from './collect-evidence.ts';
import { markEvaluation } from './evaluation-runs.ts';
import type { HostEvidence } from './host-evidence.ts';
import type { HostStretches } from './host-stretches.ts';
import { settleKinds } from './settle-kinds.ts';
import { KIND } from './stack-kinds.ts';

/**
 * What the training thread's other time went to. Waits are known one by one. A sample is a moment of a thread that ran:
 * in a stretch so long that it was sampled again and again, the time around it is its own; all shorter stretches
 * together are shared out by the kinds of the samples in them, since a short one is met by chance.
 */
export interface HostTime {
  /** Waits and samples, in order of time. The times of all samples sum to about the time on a CPU. */
  readonly evidence: HostEvidence;
  /** Pieces that tile the stretches. */
  readonly pieces: HostPieces;
  /** Of the time on a CPU in short stretches, while it trained and while it evaluated. */
  readonly pooled: readonly [training: HostShares, evaluating: HostShares];
}

/** The share of each kind; sums to 1, or nothing is known. */
export type HostShares = readonly { readonly kind: HostKind; readonly share: number }[];

interface HostPieces {
  readonly startsNs: Float64Array;
  readonly endsNs: Float64Array;
  /** Code of hostKinds; from POOLED on = by that one of `pooled`. */
  readonly kinds: Uint8Array;
}

const POOLED = 254;

/** A stretch of so many times between two samples is met so surely that its own samples speak for it. */
const LONG_SAMPLES = 3;

export function hostTimeOf(trace: Trace, rank: Rank, stretches: HostStretches): HostTime {
  const evidence = collectEvidence(trace, rank, stretches);
  settleKinds(trace, evidence);
  markEvaluation(trace, evidence, stretches);
  const everyNs = sampleEveryNs(trace, evidence);
  const builder = new Pieces(evidence);
  let next = 0;
  for (let at = 0; at < stretches.startsNs.length; at++) {
    const first = next;
    while (next < evidence.length && evidence.stretch[next] === at) next++;
    const [startNs, endNs] = [stretches.startsNs[at], stretches.endsNs[at]];
    const isLong = endNs - startNs >= LONG_SAMPLES * everyNs;
    builder.addStretch(startNs, endNs, first, next, isLong, stretches.isEvaluating[at]);
  }
  return builder.finish();
}

/** Between two samples of a thread that runs, ns. */
function sampleEveryNs(trace: Trace, evidence: HostEvidence): number {
  const { everyNs } = trace.tables.cpu_sample.provenance;
  if (everyNs !== undefined && everyNs > 0) return everyNs;
  let shortestNs = Infinity;
  let beforeNs = -Infinity;
  for (let at = 0; at < evidence.length; at++) {
    const ns = evidence.startsNs[at];
    if (evidence.isSample[at] === 0) continue;
    if (ns > beforeNs) shortestNs = Math.min(shortestNs, ns - beforeNs);
    beforeNs = ns;
  }
  return shortestNs;
}

class Pieces {
  readonly #evidence: HostEvidence;
  readonly #startsNs: number[] = [];
  readonly #endsNs: number[] = [];
  readonly #kinds: number[] = [];
  /** Of short stretches, while it trained and while it evaluated. */
  readonly #pools = [0, 1].map(() => ({ ns: 0, samples: [] as number[] }));
  #pool = 0;
  /** Of the stretch at hand. */
  #samples: number[] = [];
  /** The one of them that is nearest to what comes next. */
  #sample = 0;

  constructor(evidence: HostEvidence) {
    this.#evidence = evidence;
  }

  /** Evidence [first, end) lies in the stretch. */
  addStretch(
    startNs: number,
    endNs: number,
    first: number,
    end: number,
    isLong: boolean,
    pool: number,
  ): void {
    this.#pool = pool;
    const { isSample, startsNs, endsNs, kind, ns } = this.#evidence;
    this.#samples = [];
    this.#sample = 0;
    for (let at = first; at < end; at++) if (isSample[at] === 1) this.#samples.push(at);
    let reachedNs = startNs;
    for (let at = first; at < end; at++) {
      if (isSample[at] === 1) continue;
      this.#addRun(reachedNs, Math.min(endNs, startsNs[at]), isLong);
      const fromNs = Math.max(reachedNs, startsNs[at]);
      const toNs = Math.min(endNs, endsNs[at]);
      this.#put(fromNs, toNs, kind[at]);
      ns[at] = Math.max(0, toNs - fromNs);
      reachedNs = Math.max(reachedNs, toNs);
    }
    this.#addRun(reachedNs, endNs, isLong);
    if (isLong) return;
    for (const sample of this.#samples) this.#pools[pool].samples.push(sample);
  }

  #put(startNs: number, endNs: number, kind: number): void {
    if (endNs <= startNs) return;
    this.#startsNs.push(startNs);
    this.#endsNs.push(endNs);
    this.#kinds.push(kind);
  }

  /** A part of a stretch in which the thread waited for nothing. */
  #addRun(startNs: number, endNs: number, isLong: boolean): void {
    if (endNs <= startNs) return;
    if (isLong) this.#addSampled(startNs, endNs);
    else {
      this.#put(startNs, endNs, POOLED + this.#pool);
      this.#pools[this.#pool].ns += endNs - startNs;
    }
  }

  /** Each moment is what the nearest sample of the stretch shows; asked for in order of time. */
  #addSampled(startNs: number, endNs: number): void {
    const { startsNs, ns, kind } = this.#evidence;
    const samples = this.#samples;
    for (let reachedNs = startNs; reachedNs < endNs; ) {
      const here = samples[this.#sample];
      const next = samples[this.#sample + 1];
      const middleNs = next === undefined ? Infinity : (startsNs[here] + startsNs[next]) / 2;
      const toNs = Math.min(endNs, Math.max(reachedNs, middleNs));
      this.#put(reachedNs, toNs, here === undefined ? KIND.none : kind[here]);
      if (here !== undefined) ns[here] += toNs - reachedNs;
      reachedNs = toNs;
      if (toNs < endNs) this.#sample++;
    }
  }

  finish(): HostTime {
    return {
      evidence: this.#evidence,
      pieces: {
        startsNs: Float64Array.from(this.#startsNs),
        endsNs: Float64Array.from(this.#endsNs),
        kinds: Uint8Array.from(this.#kinds),
      },
      pooled: [this.#sharesOf(0), this.#sharesOf(1)],
    };
  }

  #sharesOf(pool: number): HostShares {
    const { ns, kind } = this.#evidence;
    const { ns: poolNs, samples } = this.#pools[pool];
    const counts = new Float64Array(hostKinds.length);
    for (const at of samples) {
      ns[at] = poolNs / samples.length;
      counts[kind[at]]++;
    }
    return hostKinds.flatMap((kindName, code) =>
      counts[code] > 0 ? [{ kind: kindName, share: counts[code] / samples.length }] : [],
    );
  }
}

/** Calls `visit` for the pieces of [startNs, endNs), which tile it, in order; without a kind where none is known. */
export function visitPieces(
  { pieces, pooled }: HostTime,
  startNs: number,
  endNs: number,
  visit: (startNs: number, endNs: number, kinds: HostShares) => void,
): void {
  let reachedNs = startNs;
  for (let at = lowerBound(pieces.endsNs, startNs); at < pieces.startsNs.length; at++) {
    if (pieces.startsNs[at] >= endNs) break;
    const toNs = Math.min(endNs, pieces.endsNs[at]);
    if (toNs <= reachedNs) continue;
    const code = pieces.kinds[at];
    visit(reachedNs, toNs, pooled[code - POOLED] ?? single[code]);
    reachedNs = toNs;
  }
  if (reachedNs < endNs) visit(reachedNs, endNs, []);
}

const single: readonly HostShares[] = hostKinds.map((kind) => [{ kind, share: 1 }]);
