import type { Spans } from '../index/spans.ts';

/** One collective of several ranks. */
export interface Meeting {
  /** By rank, its stay; -1 = none was seen. */
  readonly stays: Int32Array;
  /** When the last of those that were seen came in, and when the first of them was done. */
  readonly latestNs: number;
  readonly earliestEndNs: number;
}

/**
 * Which stays of the ranks belong to one collective. It ends for all when the last has come, so its stays all overlap,
 * and end within `togetherNs` of each other; one that a rank lacks shifts none of the others.
 */
export function matchCollectives(ranks: readonly Spans[], togetherNs: number): Meeting[] {
  const byEnd = ranks
    .flatMap(({ startsNs, endsNs }, rank) =>
      Array.from(startsNs, (startNs, stay) => ({ rank, stay, startNs, endNs: endsNs[stay] })),
    )
    .sort((a, b) => a.endNs - b.endNs);
  const meetings: Meeting[] = [];
  for (const { rank, stay, startNs, endNs } of byEnd) {
    const open = meetings.at(-1);
    const belongs =
      open !== undefined &&
      open.stays[rank] === -1 &&
      startNs < open.earliestEndNs &&
      endNs - open.earliestEndNs <= togetherNs;
    const stays = belongs ? open.stays : new Int32Array(ranks.length).fill(-1);
    stays[rank] = stay;
    if (belongs) {
      const latestNs = Math.max(open.latestNs, startNs);
      meetings[meetings.length - 1] = { ...open, latestNs };
    } else meetings.push({ stays, latestNs: startNs, earliestEndNs: endNs });
  }
  return meetings;
}
