import type { TimeSpan } from '../../../shared/answers/summary.ts';
import type { NumberArray } from '../../../shared/model/columns.ts';
import { NONE } from '../../../shared/model/schema.ts';
import type { Trace } from '../../../shared/model/trace.ts';
import { perTrace } from '../../index/per-trace.ts';
import type { RankFacts } from './facts.ts';
import type { PeerWaits } from './peer-waits.ts';

/** What the kernel counted of the connections with one peer, of the processes that waited for it, within the window. */
export interface PeerTraffic {
  /** Connections of which something is known. */
  readonly connections: number;
  /** At least: what came before the first look at a connection, or after the last one, is not counted. */
  readonly receivedBytes: number;
  readonly sentBytes: number;
  readonly segmentsSent: number;
  readonly retransmits: number;
  /** The quickest round trip on any of these connections is no longer; absent = not known. */
  readonly roundTripNs?: number;
  /**
   * The quickest round trip of those that began in the recording: that of connecting counts, which the other end’s kernel answers
   * at once. Later ones may have waited for the server to answer, and the kernel forgets the first after five minutes.
   */
  readonly distanceNs?: number;
}

/** As in the agent: from here on the kernel gives out ports by itself. See agent/src/record/bpf/socket_names.c. */
const FIRST_GIVEN_PORT = 32_768;

/** Undefined where no connection with it was read. */
export function peerTraffic(facts: RankFacts, waits: PeerWaits): PeerTraffic | undefined {
  const { trace, window } = facts;
  const { thread } = trace.tables.off_cpu.columns;
  const waited = new Set(waits.rows.map((row) => trace.threads[thread[row]]?.process ?? NONE));
  const all = readingsByPeer(trace).get(waits.peer.address ?? '') ?? [];
  const { process, socket } = trace.tables.connection.columns;
  const own = all.filter((row) => waited.has(process?.[row] ?? NONE));
  if (own.length === 0) return undefined;
  const byConnection = Map.groupBy(own, (row) => `${process?.[row]} ${socket?.[row]}`);
  return summed(
    trace,
    [...byConnection.values()].map((rows) => inOrder(trace, rows)),
    window,
  );
}

/** Rows of connection by the name of their other end, as a wait for it has it. */
const readingsByPeer = perTrace((trace) =>
  Map.groupBy(Array.from({ length: trace.tables.connection.rows }).keys(), (row) =>
    peerAddress(trace, row),
  ),
);

/** As the agent names a socket: of one that a client opened, the port tells nothing; of IPv6, addresses are not told. */
function peerAddress({ names, tables }: Trace, row: number): string {
  const { peerAddress: address, peerPort, ownPort } = tables.connection.columns;
  const text = names[address?.[row] ?? NONE] ?? '';
  const port = peerPort?.[row] ?? -1;
  const comesIn = port >= FIRST_GIVEN_PORT && (ownPort?.[row] ?? port) < FIRST_GIVEN_PORT;
  if (!text.includes(':')) return comesIn ? text : `${text}:${port}`;
  if (text === '::1') return comesIn ? '[::1]' : `[::1]:${port}`;
  return comesIn ? 'an IPv6 address' : `an IPv6 address, port ${port}`;
}

const inOrder = ({ tables }: Trace, rows: readonly number[]): number[] =>
  rows.toSorted(
    (a, b) => tables.connection.columns.startNs[a] - tables.connection.columns.startNs[b],
  );

function summed(trace: Trace, connections: readonly number[][], window: TimeSpan): PeerTraffic {
  const { columns } = trace.tables.connection;
  const sum = (counts: NumberArray | undefined) =>
    counts === undefined
      ? 0
      : connections.reduce((total, rows) => total + countedIn(trace, rows, counts, window), 0);
  const quickestOf = (all: readonly number[][]) =>
    all
      .map((rows) => rows.map((row) => columns.minRttNs?.[row] ?? -1).filter((ns) => ns > 0))
      .filter((known) => known.length > 0)
      .map((known) => Math.min(...known));
  const quickest = quickestOf(connections);
  const seenFromBegin = quickestOf(
    connections.filter((rows) => rows.some((row) => (columns.newNs?.[row] ?? -1) >= 0)),
  );
  return {
    connections: connections.length,
    receivedBytes: sum(columns.bytesReceived),
    sentBytes: sum(columns.bytesSent),
    segmentsSent: sum(columns.segmentsSent),
    retransmits: sum(columns.retransmits),
    ...(quickest.length > 0 && { roundTripNs: Math.max(...quickest) }),
    ...(seenFromBegin.length > 0 && { distanceNs: Math.min(...seenFromBegin) }),
  };
}

/** How far a count of a connection went up within the window, at least. */
function countedIn(
  { tables }: Trace,
  rows: readonly number[],
  counts: NumberArray,
  [beginNs, endNs]: TimeSpan,
): number {
  const { startNs, newNs } = tables.connection.columns;
  let total = 0;
  for (const [at, row] of rows.entries()) {
    const before = rows[at - 1];
    const sinceNew = newNs?.[row] ?? -1;
    // Where it was not there at the look before, it began at 0 since then.
    const fromNs = sinceNew >= 0 ? startNs[row] - sinceNew : (startNs[before] ?? -1);
    const from = sinceNew >= 0 ? 0 : (counts[before] ?? -1);
    if (fromNs < beginNs || startNs[row] > endNs || from < 0) continue;
    total += Math.max(0, counts[row] - from);
  }
  return total;
}
