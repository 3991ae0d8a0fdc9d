import type { Diagnosis, Finding } from '../../../src-main/shared/answers/diagnosis.ts';

interface Stretch {
  /** Index into threads. */
  readonly thread: number;
  /** The id of the finding of which it is an occurrence, where it was chosen as one. */
  readonly finding?: string | undefined;
  readonly startNs: number;
  readonly endNs: number;
}

/**
 * The finding of which a stretch of a rank's main thread is an occurrence; of any other stretch the one that costs most there, by
 * its listed occurrences; nothing where none does. What is true of another rank, or of another time, is no answer for this one.
 */
export function findingInStretch(
  { ranks, chains, findings }: Pick<Diagnosis, 'ranks' | 'chains' | 'findings'>,
  stretch: Stretch,
): Finding | undefined {
  let most = 0;
  let found: Finding | undefined;
  for (const { finding, rank, occurrences } of chains) {
    if (stretch.thread < 0 || ranks[rank]?.rank.mainThread !== stretch.thread) continue;
    const isChosen = finding === stretch.finding;
    const ns = isChosen
      ? Infinity
      : occurrences.reduce((sum, each) => sum + costIn(each, stretch), 0);
    if (ns <= most) continue;
    most = ns;
    found = findings.find((each) => each.id === finding && each.rank === rank);
  }
  return found;
}

type Occurrence = Diagnosis['chains'][number]['occurrences'][number];

/** What an occurrence costs in a stretch, ns: in each part of its time alike. */
function costIn({ startNs, endNs, costNs }: Occurrence, stretch: Stretch): number {
  const sharedNs = Math.min(endNs, stretch.endNs) - Math.max(startNs, stretch.startNs);
  return sharedNs > 0 ? (costNs * sharedNs) / (endNs - startNs) : 0;
}
