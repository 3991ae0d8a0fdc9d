import { formatCount, formatDuration, formatShare } from '../../../shared/text/units.ts';
import { clearCulprit } from '../facts/culprit.ts';
import { claimed, evidence, refsTo } from '../facts/evidence.ts';
import type { CostCell, RankFacts } from '../facts/facts.ts';
import { isWorthTelling } from '../facts/job-shape.ts';
import { makersOf, production } from '../facts/loader-work.ts';
import { type LockWaits, lockWaits } from '../facts/lock-waits.ts';
import { callsOfMakers, LOCKING } from '../facts/recorded-calls.ts';
import { loaderLockFix } from '../fixes/lock-fixes.ts';
import { idleDevice, waitOf } from '../judging/links.ts';
import { inLoaderAndLoop } from '../judging/loader-and-loop.ts';
import { heldEvidence, isProven, lockName, otherLocks } from '../judging/lock-words.ts';
import { judgeLoopLock } from '../judging/loop-lock.ts';
import { completeSwitches, waitedIn, wakers } from '../judging/needs.ts';
import type { Judgement, Rule } from '../rule.ts';

const claims = ({ phase, cause }: CostCell) => phase === 'input' && cause === 'shared-lock';

/** What makes the batches, or the training loop itself, waits for a lock that another process has. */
export const sharedLock: Rule = {
  id: 'shared-lock',
  needs: [completeSwitches, waitedIn, wakers],
  judge,
};

function judge(facts: RankFacts): Judgement | undefined {
  return inLoaderAndLoop(facts, judgeLoader(facts), judgeLoopLock(facts));
}

function judgeLoader(facts: RankFacts): Judgement | undefined {
  const { ns, events } = claimed(facts.costs, claims);
  const [waits] = lockWaits(facts);
  if (waits === undefined || !isWorthTelling(facts, ns)) return undefined;
  const { lock, takesTurns } = waits;
  const waited = waitedText(facts, waits);
  const held = heldEvidence(facts, waits);
  const culprit = clearCulprit(
    lockWaits(facts).map((one) => ({ name: lockName(one), ns: one.ns })),
  );
  const loop = waitOf(facts, ns, 'waited for batches that waited for a lock');
  return {
    title: takesTurns
      ? 'The workers take turns: they wait for each other’s lock'
      : `Batches wait for ${lock.kind === 'memory' ? 'another process' : 'a lock that another process has'}`,
    ...(culprit !== undefined && { culprit }),
    sentence: `${waited}. The training loop waited ${formatDuration(ns)} for that.`,
    confidence: isProven(waits) ? 'proven' : 'likely',
    evidence: [
      evidence(waited, 'exact', refsTo('off_cpu', waits.rows)),
      held,
      ...otherLocks(facts, lockWaits(facts)),
      ...callsOfMakers(facts, LOCKING),
    ],
    hotThreads: makersOf(facts),
    claims,
    // Without the lock all of them work at a time: as far as there are CPUs for that.
    gain: { reach: 'waits', cpus: facts.cpus.usable },
    fix: loaderLockFix(facts, waits),
    chain: { system: held, host: evidence(loop, 'exact', events), cuda: idleDevice(facts, claims) },
  };
}

/** `The 3 workers waited 12.1 s in all (64 % of the making of batches) for the lock of /data/x (ext4)`. */
function waitedText(facts: RankFacts, { lock, ns, waiters }: LockWaits): string {
  const made = production(facts).ns;
  const share =
    made > 0 ? ` (${formatShare(Math.min(ns, made), made)} of the making of batches)` : '';
  const who =
    facts.workers.length === 0
      ? 'The training process'
      : `${waiters.size === 1 ? 'One worker' : `${formatCount(waiters.size)} workers`}`;
  return `${who} waited ${formatDuration(ns)}${waiters.size > 1 ? ' in all' : ''}${share} for ${lock.text}`;
}
