import type { Fix } from '../../../shared/answers/diagnosis.ts';
import { formatDuration } from '../../../shared/text/units.ts';
import { awaitedFilesText } from '../facts/awaited-files.ts';
import { evidence, joinedRefs, partlyClaimed } from '../facts/evidence.ts';
import type { CostCell, RankFacts } from '../facts/facts.ts';
import { type HeldBack, heldBackBy } from '../facts/io-limit.ts';
import { isWorthTelling, shareText } from '../facts/job-shape.ts';
import { heldBackPart } from '../facts/limited-waits.ts';
import { makersOf } from '../facts/loader-work.ts';
import { limitFix, rateText } from '../fixes/io-limit.ts';
import { idleDevice } from '../judging/links.ts';
import { blockIo, completeSwitches } from '../judging/needs.ts';
import { judgeWrites } from '../judging/write-limit.ts';
import type { Judgement, Rule } from '../rule.ts';

const isRead = ({ phase, cause }: CostCell) => phase === 'input' && cause === 'disk';

/** The job’s control group may read or write no faster, and does as much as it may: the disk could do more. */
export const ioLimit: Rule = { id: 'io-limit', needs: [completeSwitches, blockIo], judge };

function judge(facts: RankFacts): Judgement | undefined {
  const reads = judgeReads(facts);
  const writes = judgeWrites(facts);
  if (reads === undefined || writes === undefined) return reads ?? writes;
  const part = (cell: CostCell) => (reads.claimPart?.(cell) ?? 0) + (writes.claimPart?.(cell) ?? 0);
  return {
    ...reads,
    title: `${reads.title}, and another one the writing of files`,
    sentence: `${reads.sentence} ${writes.sentence}`,
    evidence: [...reads.evidence, ...writes.evidence],
    claims: (cell) => part(cell) > 0,
    claimPart: part,
  };
}

function judgeReads(facts: RankFacts): Judgement | undefined {
  const limit = heldBackBy(facts);
  // What a limit on writing takes of these waits is told with that one.
  const part = (cell: CostCell) => (isRead(cell) ? 1 - heldBackPart(facts, cell) : 0);
  const cost = partlyClaimed(facts.costs, isRead, part);
  if (limit === undefined || !isWorthTelling(facts, cost.ns)) return undefined;
  const { waitNs, deviceNs } = limit;
  const files = awaitedFilesText(facts);
  const allowed = rateText(limit, limit.limit.mean, 'reads');
  const used = evidence(
    `The job’s control group is limited to ${allowed} from ${limit.device}, and did ${rateText(limit, limit.done.mean, 'reads')} on average`,
    'aggregated',
    joinedRefs([limit.limit.events, limit.done.events]),
  );
  const held = evidence(
    deviceNs === undefined
      ? `A wait for the disk took ${formatDuration(waitNs)} (median); the device’s own time is not known`
      : `A wait for the disk took ${formatDuration(waitNs)}, the device ${formatDuration(deviceNs)} for a read (medians): most of the wait was before the request reached it`,
    deviceNs === undefined ? 'unknown' : 'exact',
  );
  const waited = evidence(
    `The training loop waited ${shareText(facts, cost.ns)} for data from a disk`,
    'exact',
    cost.events,
  );
  return {
    title: `An I/O limit of ${allowed} holds back the reading of data`,
    sentence: `${used.text}. ${waited.text}${files === undefined ? '' : `, ${files}`}.`,
    confidence: deviceNs === undefined ? 'possible' : 'likely',
    evidence: [used, held, waited],
    hotThreads: makersOf(facts),
    claims: isRead,
    claimPart: part,
    gain: { reach: 'waits', cpus: facts.cpus.usable },
    fix: fixFor(limit, allowed),
    chain: { system: used, host: waited, cuda: idleDevice(facts, isRead) },
  };
}

function fixFor(limit: HeldBack, allowed: string): Fix {
  const { device, unit } = limit;
  const smaller = unit === 'MiB/s' ? ' (compressed, half precision)' : ' in larger reads';
  return limitFix(limit, {
    what: 'read',
    title: `Lift the limit of ${allowed} on ${device}`,
    text: `A faster disk changes nothing as long as the limit is there; data on a device without one does, and so do fewer bytes${smaller}.`,
  });
}
