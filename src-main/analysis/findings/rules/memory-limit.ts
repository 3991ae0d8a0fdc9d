import type { Evidence } from '../../../shared/answers/diagnosis.ts';
import { formatBytes, formatDuration } from '../../../shared/text/units.ts';
import { pageWaits } from '../facts/awaited-files.ts';
import { evidence, partlyClaimed } from '../facts/evidence.ts';
import type { CostCell, RankFacts } from '../facts/facts.ts';
import { isWorthTelling, shareText } from '../facts/job-shape.ts';
import { makersOf } from '../facts/loader-work.ts';
import { type MemoryLimit, reachedMemoryLimit } from '../facts/memory-limit.ts';
import { oomKills } from '../facts/oom-kills.ts';
import { ownShortage } from '../facts/own-shortage.ts';
import { reclaims } from '../facts/reclaims.ts';
import { memoryLimitFix } from '../fixes/memory-limit.ts';
import { idleDevice } from '../judging/links.ts';
import {
  filesEvidence,
  killsEvidence,
  limitEvidence,
  moreEvidence,
  ownEvidence,
} from '../judging/memory-limit-evidence.ts';
import { memoryShortage } from '../judging/needs.ts';
import type { Judgement, Rule } from '../rule.ts';

/**
 * The job’s control group may keep less in memory than the job needs: files are dropped and read again, what is no file’s goes
 * to swap and comes back, and where neither helps a process is killed. That is the cause, and the waits for disks and pages are
 * what follows. A group that reads much runs into its limit at all times without any harm: only what had been in memory before
 * makes a wait the limit’s.
 */
export const memoryLimit: Rule = { id: 'memory-limit', needs: [memoryShortage], judge };

function judge(facts: RankFacts): Judgement | undefined {
  const limit = reachedMemoryLimit(facts);
  const slow = limit && judgeSlow(facts, limit);
  const kills = killsEvidence(facts);
  if (kills === undefined) return slow;
  const { limitBytes } = oomKills(facts);
  const told = {
    title: `The kernel killed processes at a memory limit of ${formatBytes(limitBytes)}`,
    fix: memoryLimitFix(facts, { ...limit, bytes: limitBytes, file: 'memory.max' }),
  };
  if (slow === undefined) return { ...onlyKilled(facts, kills), ...told };
  return {
    ...{ ...slow, ...told },
    sentence: `${kills.text}. ${slow.sentence}`,
    evidence: [kills, ...slow.evidence],
  };
}

function onlyKilled(facts: RankFacts, kills: Evidence): Omit<Judgement, 'title' | 'fix'> {
  const cost = evidence('The trace does not show what that cost the training loop', 'unknown');
  return {
    sentence: `${kills.text}. ${cost.text}.`,
    confidence: 'likely',
    evidence: [kills, cost],
    chain: { system: kills, host: cost, cuda: idleDevice(facts, () => false) },
  };
}

function judgeSlow(facts: RankFacts, limit: MemoryLimit): Judgement | undefined {
  const partOf = partsOf(facts, limit);
  const claims = (cell: CostCell) => partOf(cell) > 0;
  const cost = partlyClaimed(facts.costs, claims, partOf);
  const nsOf = (test: (cell: CostCell) => boolean) =>
    partlyClaimed(facts.costs, (cell) => claims(cell) && test(cell), partOf).ns;
  const ownNs = nsOf(({ phase }) => phase !== 'input');
  const isFetching =
    limit.isReadAgain ||
    limit.isSwapping ||
    isWorthTelling(facts, limit.reclaimNs) ||
    isWorthTelling(facts, ownNs);
  const isSlow = isWorthTelling(facts, cost.ns) && isFetching;
  if (!isSlow && !isWorthTelling(facts, limit.reclaimNs)) return undefined;
  const found = limitEvidence(limit);
  const waited = evidence(waitedText(facts, limit, cost.ns, ownNs), 'inferred', cost.events);
  const own = ownShortage(facts);
  const hotThreads = [
    ...new Set([...makersOf(facts), ...(ownNs > 0 ? [facts.rank.mainThread] : [])]),
  ];
  return {
    title: titleOf(limit),
    sentence: `${found.text}. ${isSlow ? `${waited.text}.` : `Threads of the job spent ${formatDuration(limit.reclaimNs)} making room.`}`,
    confidence: confidenceOf(facts, limit),
    evidence: [
      found,
      ...moreEvidence(facts, limit),
      ...(isSlow ? [...ownEvidence(facts, own), waited, ...filesEvidence(facts)] : []),
    ],
    hotThreads,
    ...(isSlow && { claims, claimPart: partOf, ...gainOf(facts, own?.mostNs) }),
    fix: memoryLimitFix(facts, limit),
    chain: { system: found, host: waited, cuda: idleDevice(facts, claims) },
  };
}

/** How much of each cell is the limit’s. */
function partsOf(facts: RankFacts, limit: MemoryLimit): (cell: CostCell) => number {
  const own = ownShortage(facts);
  const pages = pageWaits(facts);
  const swapped = limit.isSwapping ? pages.share * (1 - pages.ofFiles) : 0;
  return (cell) => {
    if (cell.phase !== 'input') return own?.partOf(cell) ?? 0;
    if (cell.cause === 'fault') return 1;
    if (cell.cause === 'disk') return limit.isReadAgain ? 1 : swapped;
    return cell.cause === 'running' ? limit.cpuShare : 0;
  };
}

/** Only where the loop’s own time is bounded by its samples; where it waits for batches, all these waits may go. */
function gainOf(
  facts: RankFacts,
  mostNs: number | undefined,
): Pick<Judgement, 'gain' | 'gainShare'> {
  if (mostNs === undefined) return { gain: 'unknown' };
  const reach = isWorthTelling(facts, facts.split.input) ? 'waits' : 'own';
  // What is claimed of its own time is among these.
  return {
    gainShare: 0,
    gain: { reach, moreNs: mostNs + (reach === 'own' ? facts.split.input : 0) },
  };
}

/** What the machine is short of, the group is short of too. */
function confidenceOf(facts: RankFacts, limit: MemoryLimit): Judgement['confidence'] {
  const isMachines = isWorthTelling(facts, reclaims(facts, 'machine').ns);
  const isSeen = (limit.readBytes > 0 && limit.isReadAgain) || limit.isSwapping;
  return isSeen && !isMachines ? 'likely' : 'possible';
}

function titleOf({ bytes, isReadAgain, isSwapping, isOfFiles }: MemoryLimit): string {
  const limit = `A memory limit of ${formatBytes(bytes)}`;
  if (isSwapping && isOfFiles) return `${limit} makes the job read its data again, and swap`;
  if (isSwapping) return `${limit} makes the job swap`;
  return isReadAgain ? `${limit} makes the job read its data again` : `${limit} slows the job down`;
}

function waitedText(facts: RankFacts, limit: MemoryLimit, ns: number, ownNs: number): string {
  const what = [
    ...(limit.isOfFiles ? ['for data that was read again'] : []),
    ...(limit.isSwapping ? ['for what came back from swap'] : []),
    'for room in memory',
  ];
  const last = what.pop();
  const forWhat = what.length === 0 ? last : `${what.join(', ')}, and ${last}`;
  const where =
    ownNs === 0
      ? ''
      : ownNs === ns
        ? ' outside of its waits for input'
        : `: ${formatDuration(ownNs)} of it outside of its waits for input`;
  return `The training loop waited ${shareText(facts, ns)} ${forWhat}${where}`;
}
