import { formatDuration, plural } from '../../../shared/text/units.ts';
import { samplesWithin } from '../../stacks/hot-lines.ts';
import { pooledFunctions } from '../../stacks/pool-stacks.ts';
import { blames, CLEARLY } from '../facts/culprit.ts';
import { claimed, evidence, refsTo } from '../facts/evidence.ts';
import type { RankFacts } from '../facts/facts.ts';
import { waitsForOwnThreads } from '../facts/helper-threads.ts';
import { isWorthTelling, processText, threadText } from '../facts/job-shape.ts';
import { mostSampled } from '../facts/most-sampled.ts';
import { shareOfOwn } from '../facts/own-neighbours.ts';
import { placeOfThreads, type Waker, workOfThread } from '../facts/thread-work.ts';
import { madeAheadFix } from '../fixes/made-ahead.ts';
import { judgeHost } from '../judging/judge-host.ts';
import { loopMakers, makingProcesses } from '../judging/loop-makers.ts';
import { hostActivity } from '../judging/needs.ts';
import type { Judgement, Rule } from '../rule.ts';

/**
 * The training loop waits for what other threads or processes of the job make for it, without PyTorch's DataLoader: batches in
 * a queue, results of a pool. A thread that only passes them on is looked through.
 */
export const producer: Rule = { id: 'producer', needs: [hostActivity], judge };

function judge(facts: RankFacts): Judgement | undefined {
  const makers = loopMakers(facts);
  const found = judgeHost(facts, {
    kind: 'producer',
    title: 'The training loop waits for what other threads or processes of the job make',
    doing: 'waiting for what other threads or processes of the job make',
    more: () => whoMakes(facts, makers),
    fix: () => madeAheadFix,
  });
  if (found === undefined) return undefined;
  const threads = makers.map(({ thread }) => thread);
  const place = pooledPlace(facts, threads) ?? placeOfThreads(facts, threads);
  return {
    ...withCpus(facts, found),
    ...(place !== undefined && {
      title: `What the training loop waits for is made too slowly, in ${place}`,
      ...blames(place),
    }),
    hotThreads: [...threads, facts.rank.mainThread],
  };
}

/** The function that a pool was given, where clearly most samples of its threads are in it. */
function pooledPlace({ trace, window }: RankFacts, threads: readonly number[]): string | undefined {
  const rows = threads.flatMap((thread) => [...samplesWithin(trace, thread, window)]);
  return mostSampled(trace, rows, pooledFunctions(trace), CLEARLY);
}

/** `found` with the waits for a CPU that the processes had which make it, as much of them as was theirs. */
function withCpus(facts: RankFacts, found: Judgement): Judgement {
  const making = makingProcesses(facts);
  const share = shareOfOwn(facts, ({ process }) => making.has(process));
  const { claims = () => false, gainShare = 1 } = found;
  const crowded = claimed(facts.costs, waitsForOwnThreads);
  const ns = crowded.ns * share;
  if (!isWorthTelling(facts, ns)) return found;
  const waitedNs = claimed(facts.costs, claims).ns;
  const [only] = making;
  const who = making.size === 1 ? processText(facts.trace, only) : 'they';
  const text = ` Besides, it waited about ${formatDuration(ns)} for a CPU that ${who} had: ${formatDuration(waitedNs + ns)} in all.`;
  return {
    ...found,
    sentence: `${found.sentence}${text}`,
    onlyWith: { text, cells: waitsForOwnThreads },
    beside: (cell) => !claims(cell),
    claims: (cell) => claims(cell) || waitsForOwnThreads(cell),
    claimPart: (cell) => (claims(cell) ? 1 : share),
    // Of all that is claimed now: as much as before, and all these waits.
    gainShare: (waitedNs * gainShare + crowded.ns) / (waitedNs + crowded.ns),
  };
}

/** The one most waited for, and what it did meanwhile. */
function whoMakes(facts: RankFacts, makers: readonly Waker[]) {
  const [most] = makers;
  if (most === undefined) return { say: [], facts: [] };
  const { trace, rank } = facts;
  const { process } = trace.threads[most.thread];
  const isOwn = process === rank.process;
  const name = isOwn ? threadText(trace.threads[most.thread]) : processText(trace, process);
  const did = workOfThread(facts, most.thread, most.spans);
  const others = plural(
    makers.length - 1,
    isOwn ? 'other thread' : 'other process',
    isOwn ? 'other threads' : 'other processes',
  );
  const beside = makers.length > 1 ? `, and for ${others} like it` : '';
  const meanwhile = did === undefined ? '' : ` Meanwhile that was ${did}.`;
  const ended = `${plural(most.rows.length, 'wait')} that ${name} ended: ${formatDuration(most.ns)}`;
  return {
    say: [`It waited for ${name}${beside}.${meanwhile}`],
    facts: [evidence(ended, 'exact', refsTo('off_cpu', most.rows))],
  };
}
