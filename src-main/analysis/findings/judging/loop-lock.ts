import { CLEARLY, clearCulprit } from '../facts/culprit.ts';
import type { RankFacts } from '../facts/facts.ts';
import { type LockWaits, lockWaitsIn } from '../facts/lock-waits.ts';
import { loopLockFix } from '../fixes/lock-fixes.ts';
import type { Judgement } from '../rule.ts';
import { judgeHost, rowsOf } from './judge-host.ts';
import { heldEvidence, lockName, otherLocks } from './lock-words.ts';

/** The training loop itself, outside of its loader, waits for a lock that another process has. */
export function judgeLoopLock(facts: RankFacts): Judgement | undefined {
  const all = lockWaitsIn(facts, rowsOf(facts, 'shared-lock'));
  const [waits] = all;
  // In whatever way requests come to a server, that is no fault of it.
  if (waits === undefined || (facts.steps.serves === true && waits.lock.kind === 'memory'))
    return undefined;
  const held = heldEvidence(facts, waits);
  return judgeHost(facts, {
    kind: 'shared-lock',
    title: titleOf(waits),
    doing: `waiting for ${lockText(all)}`,
    isWait: true,
    culprit: clearCulprit(all.map((one) => ({ name: lockName(one), ns: one.ns }))),
    more: () => ({ say: [`${held.text}.`], facts: [held, ...otherLocks(facts, all)] }),
    fix: ({ place }) => loopLockFix(waits, place),
  });
}

/** The lock with clearly most of the time, or that there are several. */
function lockText(all: readonly LockWaits[]): string {
  const [most] = all;
  const ns = all.reduce((sum, waits) => sum + waits.ns, 0);
  if (most.ns >= ns * CLEARLY) return most.lock.text;
  return `${all.length} locks that processes share, most for ${most.lock.text}`;
}

function titleOf({ lock, isMutual }: LockWaits): string {
  if (lock.kind === 'sqlite') return 'The training loop waits for a database’s lock';
  if (isMutual) return 'The training loop and other processes take turns at a lock';
  if (lock.kind === 'memory') return 'The training loop waits for another process';
  return 'The training loop waits for a lock that other processes take too';
}
