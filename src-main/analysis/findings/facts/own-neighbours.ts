import type { RankFacts } from './facts.ts';

type Neighbour = RankFacts['neighbours'][number];

/** Who of the job ran while the loop, or a worker, was ready to run: the loop's own process among them. */
export function ownNeighbours({ neighbours }: Pick<RankFacts, 'neighbours'>): readonly Neighbour[] {
  return neighbours.filter(({ relation }) => relation === 'own-rank' || relation === 'own-job');
}

/** Of the time in which the job itself had the CPU that the loop, or a worker, was ready for: the part of those that `test` knows, 0…1. */
export function shareOfOwn(
  facts: Pick<RankFacts, 'neighbours'>,
  test: (neighbour: Neighbour) => boolean,
): number {
  const own = ownNeighbours(facts);
  const lengthOf = (some: readonly Neighbour[]) => some.reduce((sum, { ns }) => sum + ns, 0);
  const allNs = lengthOf(own);
  return allNs === 0 ? 0 : lengthOf(own.filter(test)) / allNs;
}
