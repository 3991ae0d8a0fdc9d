import type { Evidence } from '../../../shared/answers/diagnosis.ts';
import { gpuLabel } from '../../../shared/model/hosts.ts';
import { formatBytes, formatRate, formatShare } from '../../../shared/text/units.ts';
import { claimed, evidence } from '../facts/evidence.ts';
import type { CostCell, RankFacts } from '../facts/facts.ts';
import { type GpuLink, gpuLink } from '../facts/gpu-link.ts';
import { shareText, windowNs } from '../facts/job-shape.ts';
import {
  farPart,
  type GpuPlace,
  gpuPlace,
  pinnedOnNodes,
  ranOnNodes,
} from '../facts/numa-places.ts';
import { numaFix } from '../fixes/numa-fix.ts';
import { gpuNode } from '../judging/needs.ts';
import type { Judgement, Rule } from '../rule.ts';

/** With less copying there is nothing to win by where it starts from. Our own choice. */
const NOTABLE_SHARE = 0.05;
/** "Mostly". */
const MOST = 0.5;
/** A link that carries this much of what it can is the limit itself, wherever the memory is. Our own choice. */
const FULL = 0.8;

/** The memory that is copied to the GPU lies, or is filled, on another socket than the GPU’s. */
export const numa: Rule = {
  id: 'numa',
  needs: [gpuNode],
  judge,
};

/** In a copy, or by the GPU's own records in a wait for it while it only copied. */
const isCopying = ({ phase, cause }: CostCell) =>
  (phase === 'h2d' && cause === 'staging') ||
  ((phase === 'h2d' || phase === 'compute') && cause === 'transfer');

function judge(facts: RankFacts): Judgement | undefined {
  const place = gpuPlace(facts);
  const copying = claimed(facts.costs, isCopying);
  if (place === undefined || copying.ns < windowNs(facts) * NOTABLE_SHARE) return undefined;
  const lies = pinnedPlace(facts, place);
  const runs = threadPlaces(facts, place);
  const link = gpuLink(facts, place.gpu);
  const isFull = link && link.copiedBytes >= link.copiedNs * link.bytesPerNs * FULL;
  if (!(lies ?? runs).isFar || isFull) return undefined;
  const facing = lies?.text ?? runs.texts[0];
  const at = evidence(
    `${gpuLabel(facts.trace, place.gpu)} is attached to NUMA node ${place.node}, on another socket`,
    'exact',
  );
  const spent = evidence(
    `The training loop spent ${shareText(facts, copying.ns)} on copies to the GPU`,
    'exact',
    copying.events,
  );
  const bound = link && savedAtMost(facts, copying.ns, link);
  return {
    title: `${lies ? 'Copies to the GPU start' : `${runs.filler} works`} on another socket than the GPU’s`,
    sentence: `${facing.text}; ${at.text}. ${spent.text}. ${bound?.text ?? 'The trace does not show how much of that nearer memory saves'}.`,
    confidence: lies ? 'likely' : 'possible',
    evidence: [
      ...(lies ? [lies.text] : []),
      ...runs.texts,
      ...[at, spent],
      ...(bound ? [bound.rate] : []),
    ],
    // Without the link nothing says that any of it is the distance.
    ...bound?.claim,
    fix: numaFix(facts, place),
    chain: { system: facing, host: spent, cuda: bound?.rate ?? at },
  };
}

/** No memory is copied from faster than the link carries: what the copies took beyond that can be the distance. */
function savedAtMost(facts: RankFacts, ns: number, link: GpuLink) {
  const { generation, lanes, bytesPerNs, copiedBytes, copiedNs } = link;
  const savedNs = Math.min(ns, Math.max(ns, copiedNs) - copiedBytes / bytesPerNs);
  const share = savedNs / ns;
  const rate = `The GPU copied at ${formatRate(copiedBytes, copiedNs)}, where its link (PCIe ${generation} ×${lanes}) carries ${formatRate(bytesPerNs, 1)}`;
  return {
    rate: evidence(rate, 'aggregated'),
    text: `${rate}: nearer memory can save ${shareText(facts, savedNs)} of that at most`,
    claim: { claims: isCopying, claimPart: () => share, gainShare: share },
  };
}

/** Where the process's pinned memory lies; undefined where that is not known, or most is not copied from it. */
function pinnedPlace({ trace, rank, h2d }: RankFacts, place: GpuPlace) {
  const { pinnedNodes } = trace.processes[rank.process] ?? {};
  const { all, far, where } = farPart(pinnedOnNodes(pinnedNodes), place);
  const sumOf = (groups: RankFacts['h2d']) => groups.reduce((sum, { bytes }) => sum + bytes, 0);
  const pinned = h2d.filter(({ memory }) => memory === 'pinned' || memory === 'registered');
  if (all === 0 || sumOf(pinned) < sumOf(h2d) * MOST) return undefined;
  const text = `Of ${formatBytes(all)} of pinned memory whose place is known, ${formatBytes(far)} lie on ${where}`;
  return { isFar: far > all * MOST, text: evidence(text, 'exact') };
}

/** Who fills what is copied, the pin-memory thread or else the loop, and whether it ran mostly elsewhere; who else did. */
function threadPlaces({ trace, rank, workers, window }: RankFacts, place: GpuPlace) {
  const pins = rank.pinThreads.length > 0;
  const filler = pins ? 'The pin-memory thread' : 'The training loop';
  const far = new Map<string, Evidence>();
  const add = (who: string, threads: readonly number[], whose = 'its') => {
    const ran = farPart(ranOnNodes(trace, place, threads, window), place);
    const text = `${who} ran on CPUs of ${ran.where} for ${formatShare(ran.far, ran.all)} of ${whose} time on a CPU`;
    if (ran.far > ran.all * MOST) far.set(who, evidence(text, 'exact'));
  };
  if (pins) add(filler, rank.pinThreads);
  add('The training loop', [rank.mainThread]);
  add(
    'The workers',
    workers.flatMap(({ threads }) => threads),
    'their',
  );
  return { filler, isFar: far.has(filler), texts: [...far.values()] };
}
