import type { Evidence } from '../../../shared/answers/diagnosis.ts';
import { percentiles } from '../../../shared/numbers/percentile.ts';
import { formatBytes, formatDuration, formatShare, plural } from '../../../shared/text/units.ts';
import { evidence, refsTo } from '../facts/evidence.ts';
import type { RankFacts } from '../facts/facts.ts';
import { type PeerTraffic, peerTraffic } from '../facts/peer-traffic.ts';
import type { PeerWaits } from '../facts/peer-waits.ts';

/** What the network had to do with waits for a peer. */
export interface PeerNetwork {
  /** Sentences without a full stop. */
  readonly facts: readonly Evidence[];
  /** Where it is clear: the way there and back takes most of a wait, or hardly any of it. */
  readonly distance?: 'far' | 'near';
}

/** Of a wait; more is the way. Less than this is none of it, in as many round trips as a short answer needs. Our own choices. */
const FAR_SHARE = 0.5;
const NEAR_SHARE = 0.1;
/** A wait begins a little after the request has left. */
const EARLY = 0.9;
/** Of larger answers it matters how fast the bytes come, which no round trip says. Our own choice. */
const SHORT_BYTES = 64 * 1024;
/** Fewer segments, or less of those that were sent, are no matter. Our own choices. */
const FEW_LOST = 3;
const LOST_SHARE = 0.01;

/** `isForAnswers` = the waits are for answers, not for room to send. */
export function peerNetwork(
  facts: RankFacts,
  waits: PeerWaits,
  isForAnswers: boolean,
): PeerNetwork {
  const traffic = peerTraffic(facts, waits);
  if (traffic === undefined) return { facts: [] };
  const distance = isForAnswers ? distanceOf(traffic, waits) : undefined;
  const refs = refsTo('off_cpu', waits.rows);
  const texts = [bytesText(traffic, waits), lossText(traffic, waits)];
  const way = wayText(traffic, waits, distance);
  return {
    facts: [
      ...texts.flatMap((text) => (text === undefined ? [] : [evidence(text, 'aggregated', refs)])),
      ...(way === undefined ? [] : [evidence(way, 'inferred', refs)]),
    ],
    ...(distance !== undefined && { distance }),
  };
}

const usualNs = ({ eachNs }: PeerWaits) => percentiles(eachNs, [50])[0];

function distanceOf(traffic: PeerTraffic, waits: PeerWaits): PeerNetwork['distance'] {
  const { roundTripNs = Number.POSITIVE_INFINITY, distanceNs = 0, receivedBytes } = traffic;
  const ns = usualNs(waits);
  if (distanceNs >= ns * FAR_SHARE && distanceNs * EARLY <= ns) return 'far';
  const isShort = receivedBytes <= waits.rows.length * SHORT_BYTES;
  return roundTripNs <= ns * NEAR_SHARE && isShort && !isLosing(traffic) ? 'near' : undefined;
}

function bytesText(traffic: PeerTraffic, { peer, rows }: PeerWaits): string | undefined {
  const { receivedBytes, sentBytes, connections } = traffic;
  if (receivedBytes + sentBytes === 0) return undefined;
  const each = (bytes: number) => formatBytes(Math.floor(bytes / rows.length));
  return `At least ${formatBytes(receivedBytes)} came from ${peer.text} and ${formatBytes(sentBytes)} went there, over ${plural(connections, 'connection')}: ${each(receivedBytes)} and ${each(sentBytes)} for each of these waits`;
}

function wayText(
  { roundTripNs, distanceNs = 0 }: PeerTraffic,
  waits: PeerWaits,
  distance: PeerNetwork['distance'],
): string | undefined {
  if (roundTripNs === undefined) return undefined;
  const way = 'The way there and back through the network takes';
  const wait = `a wait ${formatDuration(usualNs(waits))} (median)`;
  if (distance === 'far')
    return `${way} ${formatDuration(distanceNs)} even at its quickest, and ${wait}: most of it is the distance`;
  if (distance === 'near')
    return `${way} ${formatDuration(roundTripNs)} or less at its quickest, and ${wait}: it is likely the server that takes long, or whom it asks in turn, not the network`;
  return `${way} ${formatDuration(roundTripNs)} or less at its quickest`;
}

function isLosing({ retransmits, segmentsSent }: PeerTraffic): boolean {
  return retransmits >= FEW_LOST && retransmits >= segmentsSent * LOST_SHARE;
}

function lossText(traffic: PeerTraffic, { peer }: PeerWaits): string | undefined {
  if (!isLosing(traffic)) return undefined;
  const { retransmits, segmentsSent } = traffic;
  return `At least ${plural(retransmits, 'segment')} to ${peer.text} were sent again, ${formatShare(retransmits, segmentsSent)} of those that were counted: the network lost data, or brought it late`;
}
