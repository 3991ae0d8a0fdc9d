import type { Evidence } from '../../../shared/answers/diagnosis.ts';
import { percentiles } from '../../../shared/numbers/percentile.ts';
import { formatDuration, plural } from '../../../shared/text/units.ts';
import { processName } from '../../jobs/thread-label.ts';
import { fileNameOf } from '../facts/culprit.ts';
import { evidence, refsTo } from '../facts/evidence.ts';
import type { RankFacts } from '../facts/facts.ts';
import { isWorthTelling, processText } from '../facts/job-shape.ts';
import type { LockWaits } from '../facts/lock-waits.ts';

/** What rules say of waits for locks that processes share. */

/** The file that is locked; of memory, where it lies is another in each run. */
export function lockName({ lock: { file } }: LockWaits): string | undefined {
  return file && fileNameOf(file);
}

/** What is tried again and again is told by how and where it sleeps. */
export function isProven(waits: LockWaits): boolean {
  return waits.lock.kind !== 'sqlite' && waits.lock.kind !== 'polled' && isLock(waits);
}

/** Whether it is a lock: of a semaphore nobody says so, unless those who end each other’s waits take turns. */
export function isLock({ lock, takesTurns, isMutual }: LockWaits): boolean {
  return lock.kind !== 'memory' || takesTurns || isMutual;
}

/** Who had it, and for how long. */
export function heldEvidence(facts: RankFacts, waits: LockWaits): Evidence {
  const { holders, heldNs, rows } = waits;
  if (holders.length === 0) return unknownHolder(facts, waits);
  const [median, most] = percentiles(heldNs, [50, 100]);
  const long =
    heldNs.length === 0
      ? ''
      : `; it was held for ${formatDuration(median)} at a time (median), ${formatDuration(most)} at most`;
  const who = listed(facts, holders);
  const text = isLock(waits)
    ? `In ${plural(rows.length, 'wait')} the lock was with ${who}${long}`
    : `${plural(rows.length, 'wait')}, by who ended them: ${who}`;
  return evidence(text, 'exact', refsTo('off_cpu', rows));
}

/** Nobody wakes who sleeps and tries again. SQLite has the lock of a database while it works on its files. */
function unknownHolder(facts: RankFacts, { lock, rows, users }: LockWaits): Evidence {
  const refs = refsTo('off_cpu', rows);
  const who = lock.kind === 'sqlite' ? 'SQLite' : 'the library';
  const isTried = lock.kind === 'sqlite' || lock.kind === 'polled';
  const why = isTried
    ? `${who} sleeps and tries again: nobody wakes it`
    : 'no recorded process woke the one that waited';
  const unknown = `Who had the lock is not recorded: ${why}`;
  if (users.length === 0) return evidence(unknown, 'unknown', refs);
  const text = `${unknown}. Meanwhile these waited for the disk with files of that database: ${listed(facts, users)}`;
  return evidence(text, 'inferred', refs);
}

/** `gzip (pid 311) for 1.2 s, tee (pid 312) for 0.3 s and 2 other processes`. */
function listed({ trace }: RankFacts, all: LockWaits['holders']): string {
  const named = all.slice(0, 3).map(([process, ns]) => {
    const name = processName(trace, process);
    const text = processText(trace, process);
    const who = text.startsWith(name) ? text : `${name} (pid ${trace.processes[process]?.pid})`;
    return `${who} for ${formatDuration(ns)}`;
  });
  const more =
    all.length > 3 ? ` and ${plural(all.length - 3, 'other process', 'other processes')}` : '';
  return `${named.join(', ')}${more}`;
}

/** Further locks that were waited for, in short. */
export function otherLocks(facts: RankFacts, [, ...rest]: readonly LockWaits[]): Evidence[] {
  return rest
    .filter(({ ns }) => isWorthTelling(facts, ns))
    .slice(0, 2)
    .map(({ lock, ns, rows }) =>
      evidence(
        `Besides, ${formatDuration(ns)} went to waiting for ${lock.text}`,
        'exact',
        refsTo('off_cpu', rows),
      ),
    );
}
