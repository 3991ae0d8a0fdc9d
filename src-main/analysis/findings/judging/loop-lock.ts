import type { HostWork } from '../../host/host-parts.ts';
import { onceFor } from '../../index/per-trace.ts';
import { CLEARLY, clearCulprit } from '../facts/culprit.ts';
import type { RankFacts } from '../facts/facts.ts';
import { processText } from '../facts/job-shape.ts';
import { type LockWaits, lockWaitsIn } from '../facts/lock-waits.ts';
import { wakersOf, workOfThread } from '../facts/thread-work.ts';
import { handOverFix, loopLockFix } from '../fixes/lock-fixes.ts';
import type { Judgement } from '../rule.ts';
import { judgeHost, rowsOf } from './judge-host.ts';
import { heldEvidence, isLock, lockName, otherLocks } from './lock-words.ts';

/** The training loop itself, outside of its loader, waits for a lock that another process has. */
export function judgeLoopLock(facts: RankFacts): Judgement | undefined {
  const all = lockWaitsIn(facts, rowsOf(facts, 'shared-lock'));
  const [waits] = all;
  // In whatever way requests come to a server, that is no fault of it.
  if (waits === undefined || (facts.steps.serves === true && !isLock(waits))) return undefined;
  const held = heldEvidence(facts, waits);
  const didOf = onceFor(
    (work: HostWork) => work,
    (work) => holderDid(facts, work),
  );
  return judgeHost(facts, {
    kind: 'shared-lock',
    title: titleOf(waits),
    doing: `waiting for ${lockText(all)}`,
    isWait: true,
    culprit: clearCulprit(all.map((one) => ({ name: lockName(one), ns: one.ns }))),
    more: (work) => {
      const did = didOf(work);
      return {
        say: [`${held.text}.`, ...(did === undefined ? [] : [`${did}.`])],
        facts: [held, ...otherLocks(facts, all)],
      };
    },
    fix: (work) =>
      isLock(waits)
        ? loopLockFix(waits, work.place)
        : handOverFix(work.place, didOf(work) !== undefined),
  });
}

/** What the one who ended most of these waits did up to then; undefined where that is not recorded. */
function holderDid(facts: RankFacts, work: HostWork): string | undefined {
  const [holder] = wakersOf(facts, work);
  const did = holder && workOfThread(facts, holder.thread, holder.spans);
  if (did === undefined) return undefined;
  return `Meanwhile ${processText(facts.trace, facts.trace.threads[holder.thread].process)} was ${did}`;
}

/** The lock with clearly most of the time, or that there are several. */
function lockText(all: readonly LockWaits[]): string {
  const [most] = all;
  const ns = all.reduce((sum, waits) => sum + waits.ns, 0);
  if (most.ns >= ns * CLEARLY) return most.lock.text;
  return `${all.length} locks that processes share, most for ${most.lock.text}`;
}

function titleOf(waits: LockWaits): string {
  if (waits.lock.kind === 'sqlite') return 'The training loop waits for a database’s lock';
  if (waits.isMutual) return 'The training loop and other processes take turns at a lock';
  if (!isLock(waits)) return 'The training loop waits for another process';
  return 'The training loop waits for a lock that other processes take too';
}
