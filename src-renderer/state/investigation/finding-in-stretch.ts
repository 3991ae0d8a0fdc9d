import type { Diagnosis, Finding } from '../../../src-main/shared/answers/diagnosis.ts';

interface Stretch {
  /** Index into threads. */
  readonly thread: number;
  readonly startNs: number;
  readonly endNs: number;
}

/**
 * The finding whose listed occurrences cover most of a stretch of a rank's main thread; nothing where none does. What is
 * true of another rank, or of another time, is no answer for this one.
 */
export function findingInStretch(
  { ranks, chains, findings }: Pick<Diagnosis, 'ranks' | 'chains' | 'findings'>,
  stretch: Stretch,
): Finding | undefined {
  let most = 0;
  let found: Finding | undefined;
  for (const { finding, rank, occurrences } of chains) {
    if (stretch.thread < 0 || ranks[rank]?.rank.mainThread !== stretch.thread) continue;
    const ns = occurrences.reduce((sum, each) => sum + sharedNs(each, stretch), 0);
    if (ns <= most) continue;
    most = ns;
    found = findings.find((each) => each.id === finding && each.rank === rank);
  }
  return found;
}

type Times = Pick<Stretch, 'startNs' | 'endNs'>;

const sharedNs = (a: Times, b: Times): number =>
  Math.max(0, Math.min(a.endNs, b.endNs) - Math.max(a.startNs, b.startNs));
