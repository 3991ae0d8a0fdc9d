import type { Trace } from '../../../shared/model/trace.ts';
import { lowerBound } from '../../../shared/numbers/bisect.ts';
import { wokenNsOf } from '../../chain/wakes.ts';
import { onceFor } from '../../index/per-trace.ts';
import { traceIndex } from '../../index/trace-index.ts';
import { awaitedThrough } from '../../threads/awaited-through.ts';
import { callOf } from '../../threads/blocked-on.ts';
import { type Peer, peerOf } from '../../threads/peers.ts';
import { stateCode, stateWhileAsleep } from '../../threads/visit-states.ts';
import type { RankFacts } from './facts.ts';
import { makersOf } from './loader-work.ts';

/** Less makes no difference to who it was. Our own choice. */
const LOOKED_UP_SHARE = 0.1;
const EPOLL = /^epoll_(p)?wait/;

/** What the threads that make batches waited for one server, or one process outside of the loader, within the window. */
export interface PeerWaits {
  readonly peer: Peer;
  readonly kind: 'socket' | 'pipe';
  readonly ns: number;
  /** Rows of off_cpu, longest first. */
  readonly rows: readonly number[];
  /** How long each of them slept, ns. */
  readonly eachNs: Float64Array;
  /** `inferred` where a tenth of it or more was for an epoll instance: what that watches was looked up, not seen. */
  readonly basis: 'exact' | 'inferred';
}

interface Found extends Pick<PeerWaits, 'peer' | 'kind'> {
  readonly rows: number[];
  /** Of each of `rows`, the one that names the peer. */
  readonly through: number[];
}

/** Of all peers, the one with the most waiting first. Counted once per rank. */
export const peerWaits = onceFor((facts: RankFacts) => facts, countWaits);

function countWaits(facts: RankFacts): PeerWaits[] {
  const { trace, rank, workers } = facts;
  // The loader's own: a worker waits for its process to ask it. What else the rank started may feed them.
  const own = new Set([rank.process, ...workers.map(({ process }) => process)]);
  const found = new Map<string, Found>();
  for (const thread of makersOf(facts))
    for (const row of sleepsOf(facts, thread)) {
      const { row: through, detail } = awaitedThrough(trace, row);
      if (detail !== 'socket' && detail !== 'pipe' && detail !== 'poll') continue;
      const peer = peerOf(trace, through);
      if (peer === undefined || own.has(peer.process)) continue;
      const waits = found.get(peer.key) ?? {
        peer,
        kind: kindOf(peer, detail),
        rows: [],
        through: [],
      };
      found.set(peer.key, waits);
      waits.rows.push(row);
      waits.through.push(through);
    }
  return [...found.values()].map((waits) => summed(trace, waits)).sort((a, b) => b.ns - a.ns);
}

function kindOf({ address }: Peer, detail: 'socket' | 'pipe' | 'poll'): PeerWaits['kind'] {
  return address !== undefined || detail !== 'pipe' ? 'socket' : 'pipe';
}

function sleepsOf({ trace, window }: RankFacts, thread: number): number[] {
  const { rows, startsNs } = traceIndex(trace).switchesOf(thread);
  const within = rows.subarray(lowerBound(startsNs, window[0]), lowerBound(startsNs, window[1]));
  return [...within].filter((row) => stateWhileAsleep(trace, row) === stateCode.sleeping);
}

function summed(trace: Trace, { peer, kind, rows, through }: Found): PeerWaits {
  const all = rows.map((row, at) => ({ row, ns: sleptNs(trace, row), through: through[at] }));
  const longest = all.sort((a, b) => b.ns - a.ns);
  const sum = (waits: typeof all) => waits.reduce((total, { ns }) => total + ns, 0);
  const ns = sum(longest);
  // Who has no address was told by who ended the wait.
  const isLookedUp = (row: number) =>
    peer.address !== undefined && EPOLL.test(callOf(trace, row) ?? '');
  const lookedUp = longest.filter((wait) => isLookedUp(wait.through));
  return {
    ...{ peer, kind, ns },
    rows: longest.map(({ row }) => row),
    eachNs: Float64Array.from(longest, (wait) => wait.ns),
    basis: sum(lookedUp) >= ns * LOOKED_UP_SHARE ? 'inferred' : 'exact',
  };
}

function sleptNs(trace: Trace, row: number): number {
  const { startNs, durationNs } = trace.tables.off_cpu.columns;
  const wokenNs = wokenNsOf(trace, row);
  return Number.isNaN(wokenNs) ? durationNs[row] : wokenNs - startNs[row];
}
