import { clearCulprit } from '../facts/culprit.ts';
import { claimed } from '../facts/evidence.ts';
import type { CostCell, RankFacts } from '../facts/facts.ts';
import type { Judgement } from '../rule.ts';
import { idleDevice } from './links.ts';

/**
 * One cause that the makers of batches have, and the training loop itself too: one finding, told by the one of them that
 * costs more. Its fix is what is shown.
 */
export function inLoaderAndLoop(
  facts: RankFacts,
  loader: Judgement | undefined,
  loop: Judgement | undefined,
): Judgement | undefined {
  if (loader === undefined || loop === undefined) return loader ?? loop;
  const costOf = ({ claims = () => false }: Judgement) => claimed(facts.costs, claims).ns;
  const [loaderNs, loopNs] = [costOf(loader), costOf(loop)];
  const [first, second] = loaderNs >= loopNs ? [loader, loop] : [loop, loader];
  const claims = (cell: CostCell) => loader.claims?.(cell) === true || loop.claims?.(cell) === true;
  const culprit = clearCulprit([
    { name: loader.culprit, ns: loaderNs },
    { name: loop.culprit, ns: loopNs },
  ]);
  const { culprit: _, gainShare: __, gain: ___, ...told } = first;
  return {
    ...told,
    ...(culprit !== undefined && { culprit }),
    sentence: `${first.sentence} ${second.sentence}`,
    evidence: [...first.evidence, ...second.evidence],
    hotThreads: [...new Set([...(first.hotThreads ?? []), ...(second.hotThreads ?? [])])],
    claims,
    ...gainOf(loader, loop, loopNs),
    chain: { ...first.chain, cuda: idleDevice(facts, claims) },
  };
}

/** What the loop’s own part may be longer than it was seen to be counts too. */
function gainOf(
  { gain }: Judgement,
  { gainShare = 1 }: Judgement,
  loopNs: number,
): Pick<Judgement, 'gain'> {
  if (gain === 'unknown') return { gain };
  const moreNs = loopNs * Math.max(0, gainShare - 1);
  return { gain: { reach: 'own', ...gain, moreNs: (gain?.moreNs ?? 0) + moreNs } };
}
