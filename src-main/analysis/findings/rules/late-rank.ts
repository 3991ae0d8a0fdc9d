import type { Evidence, Fix } from '../../../shared/answers/diagnosis.ts';
import { formatCount, formatDuration } from '../../../shared/text/units.ts';
import { sureShare } from '../../input/assumed-stretch.ts';
import { claimed, evidence } from '../facts/evidence.ts';
import type { CollectiveFacts, CostCell, LateKind, LateRank, RankFacts } from '../facts/facts.ts';
import { isWorthTelling, shareText, windowNs } from '../facts/job-shape.ts';
import { pytorchDocs } from '../fixes/sources.ts';
import { cameLast, NOTABLE_SHARE, rankName, reasonText } from '../judging/late-words.ts';
import type { Judgement, Rule } from '../rule.ts';

/** The rank waits in collectives for one other rank, which comes to them last: who, and what it did meanwhile. */
export const lateRank: Rule = {
  id: 'late-rank',
  needs: [],
  judge,
};

const isLate = ({ phase, cause }: CostCell) => phase === 'collective' && cause === 'last-rank';

const isOtherCollective = (cell: CostCell) => cell.phase === 'collective' && !isLate(cell);

function judge(facts: RankFacts): Judgement | undefined {
  const { collectives } = facts;
  const cost = claimed(facts.costs, isLate);
  if (!isWorthTelling(facts, cost.ns) || cost.ns < windowNs(facts) * NOTABLE_SHARE)
    return undefined;
  if (collectives?.leader === undefined) return undefined;
  const { rank: late, times } = collectives.leader;
  const waited = evidence(
    `${facts.rank.label} spent ${shareText(facts, cost.ns)} in collectives to which ${late.label} had not come yet`,
    'inferred',
    cost.events,
  );
  const last = evidence(cameLast(late, collectives), 'inferred');
  const why = late.why();
  const reason = why === undefined ? unknownReason(late) : reasonText(late, why);
  return {
    title: `${late.label} comes late, and the rank waits for it`,
    culprit: rankName(late),
    sentence: `${waited.text}. That rank came last to ${formatCount(times)} of the ${formatCount(collectives.most)} collectives that were waited in most. ${reason}.`,
    // Of few collectives most may be for one rank by chance.
    confidence: sureShare(times, collectives.most) > 0.5 ? 'likely' : 'possible',
    evidence: [
      waited,
      last,
      evidence(reason, why === undefined ? 'unknown' : 'inferred'),
      ...toOthers(late, collectives),
    ],
    claims: isLate,
    // Where all come together, what is exchanged may be there sooner as well.
    gain: {
      reach: 'own',
      moreNs: claimed(facts.costs, isOtherCollective).ns,
      // What the late rank computes too much may be on the same GPU: that is no floor.
      gpuNs: facts.starvation.recorded?.all.computingNs ?? 0,
    },
    fix: fixFor(late, why?.kind),
    chain: {
      system: evidence(reason, why === undefined ? 'unknown' : 'inferred'),
      host: waited,
      cuda: evidence('The GPU ran nothing but the collective', 'inferred', cost.events),
    },
  };
}

function unknownReason({ label }: LateRank): string {
  return `Why ${label} was late is not known: it did no more of anything than the others`;
}

/** What it cost all that waited, where those are more than this one. */
function toOthers({ label, costNs, allCostNs }: LateRank, { ranks }: CollectiveFacts): Evidence[] {
  if (ranks.length < 3 || allCostNs <= costNs) return [];
  const text = `All ranks together waited ${formatDuration(allCostNs)} for ${label}`;
  return [evidence(text, 'inferred')];
}

/** What to do about it on that rank. */
function adviceFor(kind: LateKind | undefined): string {
  switch (kind) {
    case undefined:
      return 'Time the parts of its step beside those of another rank: what differs is the cause.';
    case 'input':
      return 'Check that it has as many and as large samples as the others, as many workers, and as fast a disk.';
    case 'cpu':
      return 'See what else runs on its CPUs, and give each rank CPUs of its own.';
    case 'cuda':
      return 'Check that its batches are as large as those of the others, and its GPU as fast and as cool.';
    case 'h2d':
      return 'Check that its batches are as large as those of the others, and pinned like theirs.';
    case 'checkpoint':
    case 'slow-output':
    case 'evaluation':
    case 'host-metrics':
      return 'Where only one rank does it, all wait for it: do it in the background, or less often.';
    default:
      return 'Take it out of the step, or let all ranks do it at the same time.';
  }
}

function fixFor(late: LateRank, kind: LateKind | undefined): Fix {
  const name = rankName(late);
  return {
    title: `Look at what ${name} does between collectives: it slows all`,
    text: `${adviceFor(kind)} Print how long each rank takes for its own work, from one collective to the next: the one that takes longest is the one that all wait for.`,
    before: 'your_work()',
    after: `import time

started = time.perf_counter()
your_work()
own = torch.tensor([time.perf_counter() - started], device=your_device)
longest = own.clone()
if torch.distributed.is_available() and torch.distributed.is_initialized():
    torch.distributed.all_reduce(longest, op=torch.distributed.ReduceOp.MAX)
print(f"own work {own.item():.3f} s, longest of all ranks {longest.item():.3f} s")`,
    language: 'python',
    sources: [
      pytorchDocs(
        'Getting started with DDP, on skewed processing speeds',
        'tutorials/intermediate/ddp_tutorial.html',
      ),
    ],
  };
}
