import type { Evidence, Fix } from '../../../shared/answers/diagnosis.ts';
import { formatCount, formatDuration, formatShare } from '../../../shared/text/units.ts';
import { awaitedFile } from '../../threads/awaited-file.ts';
import { sleptNs } from '../facts/awaited-files.ts';
import { evidence, joinedRefs, partlyClaimed, refsTo } from '../facts/evidence.ts';
import type { CostCell, RankFacts } from '../facts/facts.ts';
import { isWorthTelling, shareText } from '../facts/job-shape.ts';
import { DOMINANT_SHARE, makersOf } from '../facts/loader-work.ts';
import { type WriteLimit, writesHeldBackBy } from '../facts/write-limit.ts';
import { limitFix, rateText } from '../fixes/io-limit.ts';
import type { Judgement } from '../rule.ts';
import { worksOf } from './judge-host.ts';
import { idleDevice } from './links.ts';

/** The job’s control group may write no faster, and the loop, or what makes its batches, waits for its writes meanwhile. */
export function judgeWrites(facts: RankFacts): Judgement | undefined {
  const limit = writesHeldBackBy(facts);
  if (limit === undefined) return undefined;
  const { partOf } = limit.writes;
  const claims = (cell: CostCell) => partOf(cell) > 0;
  const cost = partlyClaimed(facts.costs, claims, partOf);
  if (!isWorthTelling(facts, cost.ns)) return undefined;
  const allowed = rateText(limit, limit.limit.mean, 'writes');
  const used = evidence(
    `The job’s control group is limited to ${allowed} on ${limit.device}, and wrote ${amountText(limit)} in the seconds in which the job waited ${formatDuration(limit.waitedNs)} for its writes`,
    'aggregated',
    joinedRefs([limit.limit.events, limit.done.events]),
  );
  const waited = evidence(
    `The training loop waited ${shareText(facts, cost.ns)} until files were written${whereText(facts, limit)}`,
    'exact',
    refsTo('off_cpu', limit.writes.rows),
  );
  const isInput = facts.costs.some((cell) => cell.phase === 'input' && claims(cell));
  return {
    title: `An I/O limit of ${allowed} holds back the writing of files`,
    sentence: `${used.text}. ${waited.text}.`,
    confidence: limit.idleShare === undefined ? 'possible' : 'likely',
    evidence: [used, heldEvidence(limit), waited],
    hotThreads: isInput ? makersOf(facts) : [facts.rank.mainThread],
    ...{ claims, claimPart: partOf },
    gain: isInput ? { reach: 'waits', cpus: facts.cpus.usable } : { reach: 'own' },
    fix: fixFor(limit, allowed),
    chain: { system: used, host: waited, cuda: idleDevice(facts, claims) },
  };
}

function amountText({ unit, written }: WriteLimit): string {
  return unit === 'MiB/s' ? `${written.toFixed(1)} MiB` : `${formatCount(written)} times`;
}

function heldEvidence({ device, idleShare }: WriteLimit): Evidence {
  return idleShare === undefined
    ? evidence(`What ${device} did meanwhile is not known`, 'unknown')
    : evidence(
        `${device} had nothing to do for ${formatShare(idleShare, 1)} of these waits: what was to be written had not reached it`,
        'exact',
      );
}

/** ` in save (train.py:51), mostly for /out/model.pt (ext4)`: as far as most of it has one place, and is for one file. */
function whereText(facts: RankFacts, { writes: { own, rows } }: WriteLimit): string {
  const { ns } = facts.host.evidence;
  const isWrite = new Set(own);
  const nsOf = (all: readonly number[]) =>
    all.reduce((sum, at) => sum + (isWrite.has(at) ? ns[at] : 0), 0);
  const [most] = worksOf(facts)
    .map(({ place, at }) => ({ place, ns: nsOf(at) }))
    .sort((a, b) => b.ns - a.ns);
  const { trace } = facts;
  const lengthOf = (some: readonly number[]) =>
    some.reduce((sum, row) => sum + sleptNs(trace, row), 0);
  const isMost = (part: number) => part >= lengthOf(rows) * DOMINANT_SHARE;
  const where = most?.place !== undefined && isMost(most.ns) ? ` in ${most.place}` : '';
  const [file] = [...Map.groupBy(rows, (row) => awaitedFile(trace, row)?.text ?? '')]
    .map(([name, own]) => ({ name, ns: lengthOf(own) }))
    .sort((a, b) => b.ns - a.ns);
  const what = file.name !== '' && isMost(file.ns) ? `, mostly for ${file.name}` : '';
  return `${where}${what}`;
}

function fixFor(limit: WriteLimit, allowed: string): Fix {
  const { device, done, limit: most } = limit;
  const keepsUp = done.mean < most.mean * KEEPS_UP;
  const all = `The group writes at ${formatShare(done.mean, most.mean)} of this limit on average: a background thread that writes from a copy ${keepsUp ? 'keeps up, while the next steps run' : 'would hardly keep up'}.`;
  return limitFix(limit, {
    what: 'write',
    title: `Lift the limit of ${allowed} on ${device}, or write less`,
    text: `A faster disk changes nothing as long as the limit is there; a folder on a device without one does (local scratch, from where files are moved later), and so does writing less: half precision, only what training goes on from, fewer checkpoints, larger writes. ${all} In groups of version 1 only what a program writes directly, or waits for in fsync, is held back; in those of version 2 all of its files.`,
  });
}

/** Of the limit: above it, a thread has hardly a pause. Our own choice. */
const KEEPS_UP = 0.8;
