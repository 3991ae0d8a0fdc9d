import type { Evidence, Fix } from '../../../shared/answers/diagnosis.ts';
import { formatDuration, formatShare, plural } from '../../../shared/text/units.ts';
import { type CollectiveCalls, collectiveCalls } from '../facts/collective-calls.ts';
import { blames, functionOf } from '../facts/culprit.ts';
import { claimed, evidence } from '../facts/evidence.ts';
import type { CollectiveFacts, CostCell, RankFacts, SiblingFacts } from '../facts/facts.ts';
import { isWorthTelling, shareText } from '../facts/job-shape.ts';
import { pytorchDocs } from '../fixes/sources.ts';
import { worksOf } from '../judging/judge-host.ts';
import { cameLast, NOTABLE_SHARE, reasonText } from '../judging/late-words.ts';
import type { Judgement, Rule } from '../rule.ts';

/** The rank waits inside collectives, and not for one rank that is clearly the late one: for ranks in turn, or the network. */
export const collective: Rule = {
  id: 'collective',
  needs: [],
  judge,
};

/** What it waits for the one late rank is told by `late-rank`. */
const isCollective = ({ phase, cause }: CostCell) =>
  phase === 'collective' && cause !== 'last-rank';

/** Whom it waits for, as far as that is known. */
interface Awaited {
  readonly who: string;
  readonly facts: readonly Evidence[];
  readonly confidence: 'likely' | 'possible';
}

function judge(facts: RankFacts): Judgement | undefined {
  const cost = claimed(facts.costs, isCollective);
  const shareOfWindow = cost.ns / (facts.window[1] - facts.window[0]);
  if (!isWorthTelling(facts, cost.ns) || shareOfWindow < NOTABLE_SHARE) return undefined;
  const awaited = awaitedBy(facts);
  const calls = collectiveCalls(facts);
  const { place } = calls;
  const where = place === undefined ? '' : `, most of them called in ${place}`;
  const around = aroundIn(facts, place);
  const waited = evidence(
    `${facts.rank.label} spent ${shareText(facts, cost.ns)} in collectives`,
    'exact',
    cost.events,
  );
  return {
    title: 'The rank waits for other ranks',
    ...blames(place),
    sentence: `${waited.text}${where}, waiting for ${awaited.who}. ${calls.bringBatches ? BRING_BATCHES : 'That is no work of its own, and no lack of input.'}`,
    confidence: awaited.confidence,
    evidence: [waited, ...calledIn(place), ...around.facts, ...awaited.facts],
    claims: isCollective,
    // A rank that reads its own batches waits for none of the others there.
    gain: { reach: 'own', moreNs: around.ns + (calls.bringBatches ? awaitedNs(facts) : 0) },
    fix: collectiveFix(calls),
    chain: {
      system: awaited.facts[0],
      host: waited,
      cuda: evidence('The GPU ran nothing but the collective', 'inferred', cost.events),
    },
  };
}

const BRING_BATCHES =
  'Most are called where the loader hands out a batch: the rank waits there for its batch, which another one reads and sends.';

/** The waits for a late rank, which `late-rank` tells of. */
function awaitedNs({ costs }: RankFacts): number {
  const late = costs.filter(({ phase, cause }) => phase === 'collective' && cause === 'last-rank');
  return late.reduce((sum, { ns }) => sum + ns, 0);
}

const calledIn = (place: string | undefined) =>
  place === undefined ? [] : [evidence(`Most CPU samples in them were below ${place}`, 'inferred')];

/** What the function that calls them does besides, such as to pack what is sent: fewer calls of it are less of that too. */
function aroundIn(facts: RankFacts, place: string | undefined) {
  if (place === undefined) return { ns: 0, facts: [] };
  const name = functionOf(place);
  const ns = worksOf(facts)
    .filter((work) => work.place !== undefined && functionOf(work.place) === name)
    .reduce((sum, work) => sum + work.ns, 0);
  const text = `Around them ${name} took ${formatDuration(ns)} more of the loop’s time, for example to pack what is sent. This time is not counted here, but shrinks too where that function is called less often`;
  return { ns, facts: isWorthTelling(facts, ns) ? [evidence(text, 'inferred')] : [] };
}

function awaitedBy(facts: RankFacts): Awaited {
  const { collectives, siblings } = facts;
  if (collectives !== undefined)
    return collectives.leader === undefined ? inTurn(collectives) : besideLeader(collectives);
  const last = latestSibling(facts);
  if (last !== undefined)
    return { who: last.label, facts: [siblingEvidence(last)], confidence: 'possible' };
  const text =
    siblings.length === 0
      ? 'The other ranks are not in this trace: record them too'
      : 'No other rank of this trace waits clearly less';
  return { who: NOT_KNOWN, facts: [evidence(text, 'unknown')], confidence: 'possible' };
}

const NOT_KNOWN = 'another rank or the network';

/** None of them is late most of the time: how often each was, what that cost, and why. */
function inTurn(collectives: CollectiveFacts): Awaited {
  const late = collectives.ranks.filter(({ last }) => last > 0);
  const facts = late.map((rank) => {
    const why = rank.isSelf ? undefined : rank.why();
    const cost = rank.isSelf ? '' : `, and this one waited ${formatDuration(rank.costNs)} for it`;
    const reason = why === undefined ? '' : `. ${reasonText(rank, why)}`;
    return evidence(`${cameLast(rank, collectives)}${cost}${reason}`, 'inferred');
  });
  const names = late
    .filter(({ costNs }) => costNs > 0)
    .map(
      ({ label, last, costNs }) => `${label} (${plural(last, 'time')}, ${formatDuration(costNs)})`,
    );
  if (names.length === 0) return { who: NOT_KNOWN, facts, confidence: 'possible' };
  const who = `ranks that come last in turn, ${names.join(', ')}, and for the exchange itself`;
  return { who, facts, confidence: 'likely' };
}

/** What it waits besides for the one late rank. */
function besideLeader(collectives: CollectiveFacts): Awaited {
  const late = collectives.leader?.rank;
  if (late?.isSelf) {
    const facts = [evidence(cameLast(late, collectives), 'inferred')];
    return {
      who: 'the exchange itself: this rank mostly comes last',
      facts,
      confidence: 'possible',
    };
  }
  const text = `Waits for ${late?.label} are not counted here: the time that is left passed after that rank had come, or it is not known which rank came last`;
  return { who: NOT_KNOWN, facts: [evidence(text, 'inferred')], confidence: 'possible' };
}

/** Where no collective is known to be of several ranks: who waits clearly least in them comes to them last. */
function latestSibling({ split, siblings, window }: RankFacts): SiblingFacts | undefined {
  const ownShare = split.collective / (window[1] - window[0]);
  const least = siblings
    .filter(({ ns }) => ns > 0)
    .toSorted((a, b) => a.split.collective / a.ns - b.split.collective / b.ns)
    .at(0);
  if (least === undefined || least.split.collective / least.ns > ownShare / 2) return undefined;
  return least;
}

function siblingEvidence({ label, split, ns }: SiblingFacts): Evidence {
  const own = formatShare(split.collective, ns);
  const input = formatShare(split.input, ns);
  const text = `${label} spent ${own} of its time in collectives, so it seems to come to them last; ${input} of its time went to waiting for input`;
  return evidence(text, 'inferred');
}

function collectiveFix(calls: CollectiveCalls): Fix {
  if (calls.bringBatches) return fixForBatches;
  return calls.areOfObjects ? fixForObjects(calls) : fixFor(calls.place);
}

const fixForBatches: Fix = {
  title: 'Let each rank read its own share of the data',
  text: 'One rank reads for all, and the others wait until it has sent them their batch. Where each rank reads its own share, no batch goes through a collective. With Accelerate that is DataLoaderConfiguration(dispatch_batches=False), with Hugging Face datasets split_dataset_by_node(). All ranks need as many batches as the others: DistributedSampler repeats a few samples where the data does not divide, and each rank’s batch_size is its share of what rank 0 read.',
  before:
    'loader = DataLoader(your_dataset, batch_size=your_batch_size)  # rank 0 reads, and sends to all',
  after: `from torch.utils.data.distributed import DistributedSampler

own = DistributedSampler(your_dataset, shuffle=your_shuffle)  # own.set_epoch(epoch) shuffles anew
loader = DataLoader(your_dataset, batch_size=your_batch_size, sampler=own)`,
  language: 'python',
  sources: [
    pytorchDocs(
      'DistributedSampler',
      'docs/stable/data.html#torch.utils.data.distributed.DistributedSampler',
    ),
  ],
};

/** Objects are pickled, their sizes are exchanged first, and all bytes of all ranks are unpickled by each. */
function fixForObjects({ place = 'that function' }: CollectiveCalls): Fix {
  return {
    title: 'Exchange numbers as one tensor and not as objects, and only every N steps',
    text: `Most of these collectives exchange Python objects, called in ${place}: each rank pickles its own, all tell each other the sizes, then send the bytes, and each unpickles those of all. Numbers are sent in one round as a tensor. What is only logged is exchanged every N steps.`,
    before: `gathered = [None] * torch.distributed.get_world_size()
torch.distributed.all_gather_object(gathered, your_metrics)`,
    after: `if your_step_number % 50 == 0:
    own = torch.tensor(list(your_metrics.values()), device=your_device)
    gathered = [torch.empty_like(own) for _ in range(torch.distributed.get_world_size())]
    torch.distributed.all_gather(gathered, own)  # one round: gathered[rank] has the numbers of each`,
    language: 'python',
    sources: [pytorchDocs('torch.distributed', 'docs/stable/distributed.html')],
  };
}

function fixFor(place: string | undefined): Fix {
  const many =
    place === undefined
      ? ''
      : ` Where ${place} reduces many small tensors one by one, put them into one first (torch.cat, or DDP’s buckets): each of them takes a round of all ranks.`;
  return {
    title: 'Look at the rank that comes last: what slows it slows all',
    text: `Each collective ends when the last rank has come. Print the longest input wait of all ranks beside your own: where they differ, that rank’s host or share of the data is the cause; where they do not, it is the network, or the number and the size of what is exchanged.${many}`,
    before: `batches = iter(your_loader)
batch = next(batches)`,
    after: `import time

batches = iter(your_loader)
started = time.perf_counter()
batch = next(batches)
waited = torch.tensor([time.perf_counter() - started], device=your_device)
own = waited.item()
if torch.distributed.is_available() and torch.distributed.is_initialized():
    torch.distributed.all_reduce(waited, op=torch.distributed.ReduceOp.MAX)
print(f"input wait {own:.3f} s, longest of all ranks {waited.item():.3f} s")`,
    language: 'python',
    sources: [pytorchDocs('torch.distributed', 'docs/stable/distributed.html')],
  };
}
