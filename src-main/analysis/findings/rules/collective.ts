import type { Evidence, Fix } from '../../../shared/answers/diagnosis.ts';
import { formatShare } from '../../../shared/text/units.ts';
import { claimed, evidence } from '../facts/evidence.ts';
import type { CostCell, RankFacts, SiblingFacts } from '../facts/facts.ts';
import { isWorthTelling, shareText } from '../facts/job-shape.ts';
import type { Judgement, Rule } from '../facts/rule.ts';
import { pytorchDocs } from '../facts/sources.ts';

/** Below this share of the time, waiting for the other ranks is part of the work: our own choice. */
const NOTABLE_SHARE = 0.1;

/** The rank waits inside collectives: for another rank, or for the network. */
export const collective: Rule = {
  id: 'collective',
  needs: [],
  judge,
};

const isCollective = ({ phase }: CostCell) => phase === 'collective';

function judge(facts: RankFacts): Judgement | undefined {
  const cost = claimed(facts.costs, isCollective);
  const shareOfWindow = cost.ns / (facts.window[1] - facts.window[0]);
  if (!isWorthTelling(facts, cost.ns) || shareOfWindow < NOTABLE_SHARE) return undefined;
  const last = latestSibling(facts);
  const waited = evidence(
    `${facts.rank.label} spent ${shareText(facts, cost.ns)} in collectives`,
    'exact',
    cost.events,
  );
  const system = last === undefined ? unknownPeer(facts) : peerEvidence(last);
  const who = last === undefined ? 'another rank or the network' : last.label;
  return {
    title: 'The rank waits for other ranks',
    sentence: `${waited.text}, waiting for ${who}. That is no work of its own, and no lack of input.`,
    confidence: last === undefined ? 'possible' : 'likely',
    evidence: [waited, system],
    claims: isCollective,
    fix: fixFor(last),
    chain: {
      system,
      host: waited,
      cuda: evidence('The GPU ran nothing but the collective', 'inferred', cost.events),
    },
  };
}

/** The rank that waits clearly least in collectives comes to them last. */
function latestSibling({ split, siblings, window }: RankFacts): SiblingFacts | undefined {
  const ownShare = split.collective / (window[1] - window[0]);
  const least = siblings
    .filter(({ ns }) => ns > 0)
    .toSorted((a, b) => a.split.collective / a.ns - b.split.collective / b.ns)
    .at(0);
  if (least === undefined || least.split.collective / least.ns > ownShare / 2) return undefined;
  return least;
}

function peerEvidence({ label, split, ns }: SiblingFacts): Evidence {
  const own = formatShare(split.collective, ns);
  const input = formatShare(split.input, ns);
  const text = `${label} spent ${own} of its time in collectives, so it came to them last; ${input} of it went to waiting for input`;
  return evidence(text, 'exact');
}

function unknownPeer({ siblings }: RankFacts): Evidence {
  const text =
    siblings.length === 0
      ? 'The other ranks are not in this trace: record them too'
      : 'No other rank of this trace waits clearly less';
  return evidence(text, 'unknown');
}

function fixFor(last: SiblingFacts | undefined): Fix {
  return {
    title: `Look at ${last?.label ?? 'the rank that comes last'}: what slows it slows all`,
    text: 'Each collective ends when the last rank has come. Print the longest input wait of all ranks beside your own: where they differ, that rank’s host or share of the data is the cause; where they do not, it is the network or the size of what is exchanged.',
    before: 'batches = iter(DataLoader(dataset, batch_size=batch_size))\nbatch = next(batches)',
    after: `import time

batches = iter(DataLoader(dataset, batch_size=batch_size))
started = time.perf_counter()
batch = next(batches)
waited = torch.tensor([time.perf_counter() - started], device=device)
own = waited.item()
if torch.distributed.is_available() and torch.distributed.is_initialized():
    torch.distributed.all_reduce(waited, op=torch.distributed.ReduceOp.MAX)
print(f"input wait {own:.3f} s, longest of all ranks {waited.item():.3f} s")`,
    language: 'python',
    sources: [pytorchDocs('torch.distributed', 'docs/stable/distributed.html')],
  };
}
