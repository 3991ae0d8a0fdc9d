import type { Evidence, Fix } from '../../../shared/answers/diagnosis.ts';
import {
  formatBytes,
  formatCount,
  formatDuration,
  formatShare,
} from '../../../shared/text/units.ts';
import { awaitedFilesText } from '../facts/awaited-files.ts';
import { evidence, joinedRefs, partlyClaimed, refsTo } from '../facts/evidence.ts';
import type { CostCell, RankFacts } from '../facts/facts.ts';
import { isWorthTelling, shareText, workersAtOnce } from '../facts/job-shape.ts';
import { makersOf } from '../facts/loader-work.ts';
import { type MemoryLimit, reachedMemoryLimit } from '../facts/memory-limit.ts';
import { kernelDocs } from '../fixes/sources.ts';
import { idleDevice } from '../judging/links.ts';
import { completeSwitches, memoryShortage } from '../judging/needs.ts';
import type { Judgement, Rule } from '../rule.ts';

/** Of the limit: from here on processes leave files little room, and fewer of them would. Our own choice. */
const OWN_AT_LEAST = 0.5;

/**
 * The job’s control group may keep less in memory than the job needs: what was read is dropped, and read
 * again. That is the cause, and the waits for disks and pages are what follows. A group that reads much runs
 * into its limit at all times without any harm: only what is read again makes a wait the limit’s.
 */
export const memoryLimit: Rule = {
  id: 'memory-limit',
  needs: [memoryShortage, completeSwitches],
  judge,
};

function judge(facts: RankFacts): Judgement | undefined {
  const limit = reachedMemoryLimit(facts);
  if (limit === undefined) return undefined;
  const { isReadAgain, readBytes, cpuShare } = limit;
  const claimPart = ({ cause }: CostCell) => (cause === 'running' ? cpuShare : 1);
  const claims = ({ phase, cause }: CostCell) =>
    phase === 'input' &&
    (cause === 'fault' ||
      (cause === 'disk' && isReadAgain) ||
      (cause === 'running' && cpuShare > 0));
  const cost = partlyClaimed(facts.costs, claims, claimPart);
  const isSlow = isWorthTelling(facts, cost.ns) && (isReadAgain || limit.reclaimNs > 0);
  if (!isSlow && !isWorthTelling(facts, limit.reclaimNs)) return undefined;
  const found = limitEvidence(limit);
  const waited = evidence(
    `The training loop waited ${shareText(facts, cost.ns)} for data that was read again, and for room in memory`,
    'inferred',
    cost.events,
  );
  return {
    title: isReadAgain
      ? `A memory limit of ${formatBytes(limit.bytes)} makes the job read its data again`
      : `A memory limit of ${formatBytes(limit.bytes)} slows the job down`,
    sentence: `${found.text}. ${isSlow ? `${waited.text}.` : `Threads of the job spent ${formatDuration(limit.reclaimNs)} making room.`}`,
    confidence: readBytes > 0 && isReadAgain ? 'likely' : 'possible',
    evidence: [found, ...more(facts, limit), ...(isSlow ? [waited, ...filesEvidence(facts)] : [])],
    hotThreads: makersOf(facts),
    ...(isSlow && { claims, claimPart, gain: 'unknown' as const }),
    fix: fixFor(facts, limit),
    chain: { system: found, host: waited, cuda: idleDevice(facts, claims) },
  };
}

/** Which data it is that is read again. */
function filesEvidence(facts: RankFacts): Evidence[] {
  const files = awaitedFilesText(facts);
  return files === undefined
    ? []
    : [evidence(`The waits of the makers of batches for disks were ${files}`, 'exact')];
}

function limitEvidence(limit: MemoryLimit): Evidence {
  const { bytes, file, hits, readAgainBytes, readBytes, samples } = limit;
  const ran =
    hits === undefined || hits === 0
      ? 'made room for itself all the time'
      : `had no room left ${formatCount(hits)} times`;
  const again =
    readAgainBytes === 0
      ? ''
      : `: ${formatBytes(readAgainBytes)} that had been dropped were read again${readBytes === 0 ? '' : `, where the makers of batches read ${formatBytes(readBytes)} in all`}`;
  return evidence(
    `The job’s control group may use ${formatBytes(bytes)} of memory (${file}) and ${ran}${again}`,
    'aggregated',
    joinedRefs(samples.map(({ events }) => events)),
  );
}

function more(facts: RankFacts, limit: MemoryLimit): Evidence[] {
  const { reclaimNs, reclaimRows, ownBytes, bytes, cpuShare } = limit;
  const onCpu = evidence(
    `${formatShare(cpuShare, 1)} of the CPU time of those who make batches went to making room${limit.isReadAgain ? ' and to reading again' : ''}, by samples`,
    'aggregated',
  );
  const reclaim = evidence(
    `Threads of the job freed memory of the group themselves for ${formatDuration(reclaimNs)}, all together`,
    'exact',
    refsTo('range', reclaimRows),
  );
  const own =
    ownBytes === undefined
      ? []
      : [
          evidence(
            `Of the limit, ${formatBytes(ownBytes)} (${formatShare(ownBytes, bytes)}) were the processes’ own and no files: only the rest can keep what was read`,
            'aggregated',
          ),
        ];
  return [
    ...(isWorthTelling(facts, reclaimNs) ? [reclaim] : []),
    ...(cpuShare > 0 ? [onCpu] : []),
    ...own,
  ];
}

function fixFor(facts: RankFacts, { bytes, file, ownBytes }: MemoryLimit): Fix {
  const raised = Math.ceil((2 * bytes) / 2 ** 20);
  const isCrowded = ownBytes !== undefined && ownBytes >= bytes * OWN_AT_LEAST;
  const fewer =
    isCrowded && workersAtOnce(facts) > 1
      ? ' Each worker is a whole interpreter, and they leave files little room here: one worker less leaves them more.'
      : '';
  return {
    title: `Raise the memory limit of ${formatBytes(bytes)}, or read less at a time`,
    text: `How much is enough the trace does not show: start with twice as much, and see whether data is still read again. With Docker it is \`--memory=${raised}m\`, with Kubernetes \`resources.limits.memory: ${raised}Mi\`; below is what both write. $CGROUP is the folder of the job’s control group under /sys/fs/cgroup. If no more can be had, keep the data smaller (compressed, half precision), or read each part of it once and use all of it before the next.${fewer}`,
    before: `cat "$CGROUP/${file}"   # bytes; of version 1, memory.limit_in_bytes`,
    after: `echo ${raised}M > "$CGROUP/${file}"`,
    language: 'shell',
    sources: [
      kernelDocs('Control Group v2, memory interface files', 'admin-guide/cgroup-v2.html'),
      kernelDocs('Memory Resource Controller', 'admin-guide/cgroup-v1/memory.html'),
    ],
  };
}
