import type { Evidence } from '../../../shared/answers/diagnosis.ts';
import type { Trace } from '../../../shared/model/trace.ts';
import { percentiles } from '../../../shared/numbers/percentile.ts';
import { formatDuration, plural } from '../../../shared/text/units.ts';
import { callOf } from '../../threads/blocked-on.ts';
import { evidence, refsTo } from '../facts/evidence.ts';
import type { RankFacts } from '../facts/facts.ts';
import { isWorthTelling } from '../facts/job-shape.ts';
import { type PeerWaits, spansOf } from '../facts/peer-waits.ts';
import { workOfServer } from '../facts/thread-work.ts';
import { type PeerNetwork, peerNetwork } from './peer-network.ts';

/** What rules say of waits for a server, or for another process that feeds or is fed. */

const SENDS = /^(p?writev?(64|2)?|send(to|msg|mmsg|file)|splice)$/;

/** How many waits, and how long. A request may need more than one, and one that was answered at once none. */
export function eachWait({ trace }: RankFacts, { kind, rows, eachNs, basis }: PeerWaits): Evidence {
  const [median, late] = percentiles(eachNs, [50, 95]);
  const what = isForRoom(trace, rows) ? 'room to send' : kind === 'pipe' ? 'data' : 'an answer';
  return evidence(
    `${plural(rows.length, 'wait')} for ${what} of ${formatDuration(median)} (median), ${formatDuration(late)} (95th percentile)`,
    basis,
    refsTo('off_cpu', rows),
  );
}

/** Whether most of these waits, rows of off_cpu, were for the other side to read. */
export function isForRoom(trace: Trace, rows: readonly number[]): boolean {
  const sends = rows.filter((row) => SENDS.test(callOf(trace, row) ?? '')).length;
  return sends * 2 > rows.length;
}

/** What came and went meanwhile, and how much of a wait was the network. */
export function networkOf(facts: RankFacts, waits: PeerWaits): PeerNetwork {
  return peerNetwork(facts, waits, !isForRoom(facts.trace, waits.rows));
}

/** Further peers that were waited for, in short. */
export function otherPeers(facts: RankFacts, others: readonly PeerWaits[]): Evidence[] {
  return others
    .filter(({ ns }) => isWorthTelling(facts, ns))
    .slice(0, 2)
    .map((waits) =>
      evidence(
        `Besides, ${formatDuration(waits.ns)} went to ${waits.peer.text}: ${eachWait(facts, waits).text}`,
        waits.basis,
        refsTo('off_cpu', waits.rows),
      ),
    );
}

/** `Meanwhile redis-server (pid 311) was on a CPU in answer (server.py:12)`; undefined where that is not recorded. */
export function peerDid(facts: RankFacts, waits: PeerWaits): string | undefined {
  const { process } = waits.peer;
  if (process < 0) return undefined;
  const did = workOfServer(facts, process, spansOf(facts.trace, waits));
  return did === undefined ? undefined : `Meanwhile ${waits.peer.text} was ${did}`;
}

/** What is left to do where asking less often is not enough. `did` = what it did is recorded. */
export function orFaster(
  { kind, peer }: PeerWaits,
  did: string | undefined,
  { distance }: PeerNetwork,
): string {
  if (distance === 'far')
    return `Otherwise shorten the path: put a copy of what ${peer.text} serves nearby, or run the job near it.`;
  if (did !== undefined) return `Otherwise ${peer.text} has to be faster: see above what it does.`;
  return kind !== 'socket' || peer.process >= 0
    ? `Otherwise ${peer.text} has to be faster: record it too (\`record --pid\`) to see what it does.`
    : distance === 'near'
      ? 'Otherwise the server, or what it asks in turn, has to be faster.'
      : 'Otherwise the server, or the path to it, has to be faster.';
}
