import type { PartDetail } from '../../../shared/answers/explanation.ts';
import type { TimeSpan } from '../../../shared/answers/summary.ts';
import type { Trace } from '../../../shared/model/trace.ts';
import { wokenNsOf } from '../../chain/wakes.ts';
import { onceFor } from '../../index/per-trace.ts';
import { awaitedThrough } from '../../threads/awaited-through.ts';
import { blockedOn, callOf } from '../../threads/blocked-on.ts';
import { type Peer, peerOf } from '../../threads/peers.ts';
import { stateCode, stateWhileAsleep } from '../../threads/visit-states.ts';
import type { RankFacts } from './facts.ts';
import { switchesOfMakers } from './loader-work.ts';

/** Less makes no difference to who it was. Our own choice. */
const LOOKED_UP_SHARE = 0.1;
const EPOLL = /^epoll_(p)?wait/;

/** What some threads waited for one server, or one process outside of the loader, within the window. */
export interface PeerWaits {
  readonly peer: Peer;
  /** `process`: one that is asked before a file is opened. */
  readonly kind: 'socket' | 'pipe' | 'process';
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

/** Of all peers of the makers of batches, the one with the most waiting first. Counted once per rank. */
export const peerWaits = onceFor(
  (facts: RankFacts) => facts,
  (facts) =>
    peerWaitsIn(
      facts,
      switchesOfMakers(facts).filter((row) => isSleeping(facts.trace, row)),
    ),
);

/** Of all peers that `rows` of off_cpu waited for, the one with the most waiting first. */
export function peerWaitsIn(
  { trace, rank, workers }: RankFacts,
  rows: Iterable<number>,
): PeerWaits[] {
  // The loader's own: a worker waits for its process to ask it. What else the rank started may feed them.
  const own = new Set([rank.process, ...workers.map(({ process }) => process)]);
  const found = new Map<string, Found>();
  for (const row of rows) {
    const { row: through, detail } = awaitedThrough(trace, row);
    if (!isOutside(detail)) continue;
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

/** Who is asked before a file is opened is waited for in a sleep that no signal ends. */
const isSleeping = (trace: Trace, row: number) =>
  stateWhileAsleep(trace, row) === stateCode.sleeping || blockedOn(trace, row).detail === 'process';

type Outside = 'socket' | 'pipe' | 'poll' | 'process';

function isOutside(detail: PartDetail): detail is Outside {
  return ['socket', 'pipe', 'poll', 'process'].includes(detail);
}

function kindOf({ address }: Peer, detail: Outside): PeerWaits['kind'] {
  if (detail === 'process') return detail;
  return address !== undefined || detail !== 'pipe' ? 'socket' : 'pipe';
}

/** When these waits were, up to their ends, in order of time. */
export function spansOf(trace: Trace, { rows }: Pick<PeerWaits, 'rows'>): TimeSpan[] {
  const { startNs } = trace.tables.off_cpu.columns;
  return rows
    .map((row): TimeSpan => [startNs[row], startNs[row] + sleptNs(trace, row)])
    .sort((a, b) => a[0] - b[0]);
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
