import type { Evidence } from '../../../shared/answers/diagnosis.ts';
import {
  formatBytes,
  formatCount,
  formatDuration,
  formatShare,
  plural,
} from '../../../shared/text/units.ts';
import { awaitedFilesText } from '../facts/awaited-files.ts';
import { evidence, joinedRefs, refsTo } from '../facts/evidence.ts';
import type { RankFacts } from '../facts/facts.ts';
import { isWorthTelling } from '../facts/job-shape.ts';
import type { MemoryLimit } from '../facts/memory-limit.ts';
import { killsText, oomKills } from '../facts/oom-kills.ts';
import type { OwnShortage } from '../facts/own-shortage.ts';

/** What `memory-limit` shows of a limit. */

/** The limit, how often it was reached, and what had to be fetched again. */
export function limitEvidence(limit: MemoryLimit): Evidence {
  const { bytes, file, samples } = limit;
  const fetched = [...againText(limit), ...swappedText(limit)];
  const room =
    file === 'memory.high'
      ? `is slowed down above ${formatBytes(bytes)} of memory (memory.high)`
      : `may use ${formatBytes(bytes)} of memory`;
  return evidence(
    `The job’s control group ${room} and ${ranText(limit)}${fetched.length === 0 ? '' : `: ${fetched.join('; ')}`}`,
    'aggregated',
    joinedRefs(samples.map(({ events }) => events)),
  );
}

function ranText({ file, hits = 0 }: MemoryLimit): string {
  if (hits === 0) return 'had to make room for itself';
  const times = plural(hits, 'time');
  return file === 'memory.max' ? `had no room left ${times}` : `was held up ${times}`;
}

function againText({ readAgainBytes, readBytes, isSwapApart }: MemoryLimit): string[] {
  if (readAgainBytes === 0) return [];
  const all =
    readBytes === 0 ? '' : `, where the makers of batches read ${formatBytes(readBytes)} in all`;
  const what = isSwapApart
    ? 'that had been dropped were read again'
    : 'that had been dropped were read again, or came back from swap';
  return [`${formatBytes(readAgainBytes)} ${what}${all}`];
}

function swappedText({ swappedInBytes, swapBytes }: MemoryLimit): string[] {
  if (swappedInBytes === 0) return [];
  const most = swapBytes === 0 ? '' : `, where up to ${formatBytes(swapBytes)} were`;
  return [`${formatBytes(swappedInBytes)} of the processes’ own memory came back from swap${most}`];
}

/** Some task of the group waits for so much of the time: less is not worth a line. Our own choice. */
const PRESSURE_PERCENT = 1;

export function moreEvidence(facts: RankFacts, limit: MemoryLimit): Evidence[] {
  const { reclaimNs, reclaimRows, ownBytes, bytes, cpuShare, pressure } = limit;
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
  const pressed =
    pressure === undefined || pressure.mean < PRESSURE_PERCENT
      ? []
      : [
          evidence(
            `Some task of the group waited for memory ${pressure.mean.toFixed(1)} % of the time (memory.pressure)`,
            'aggregated',
            pressure.events,
          ),
        ];
  return [
    ...(isWorthTelling(facts, reclaimNs) ? [reclaim] : []),
    ...pressed,
    ...(cpuShare > 0 ? [onCpu] : []),
    ...own,
  ];
}

/** The training thread’s own waits. */
export function ownEvidence({ trace }: RankFacts, own: OwnShortage | undefined): Evidence[] {
  const { durationNs } = trace.tables.off_cpu.columns;
  const lengthOf = (rows: readonly number[]) =>
    formatDuration(rows.reduce((sum, row) => sum + durationNs[row], 0));
  const { pageRows = [], heldRows = [] } = own ?? {};
  const pages = evidence(
    `The training thread waited ${formatCount(pageRows.length)} times for pages to come back from a disk, outside of any system call: ${lengthOf(pageRows)}`,
    'exact',
    refsTo('off_cpu', pageRows),
  );
  const held = evidence(
    `The kernel put it to sleep ${formatCount(heldRows.length)} times while it asked for memory: ${lengthOf(heldRows)}`,
    'inferred',
    refsTo('off_cpu', heldRows),
  );
  return [...(pageRows.length > 0 ? [pages] : []), ...(heldRows.length > 0 ? [held] : [])];
}

/** Which data it is that is read again. */
export function filesEvidence(facts: RankFacts): Evidence[] {
  const files = awaitedFilesText(facts);
  return files === undefined
    ? []
    : [evidence(`The waits of the makers of batches for disks were ${files}`, 'exact')];
}

/** Processes that were killed while the group was at its limit; undefined where none is known. */
export function killsEvidence(facts: RankFacts): Evidence | undefined {
  const { ofGroup, inGroup, limitBytes, samples } = oomKills(facts);
  if (inGroup === 0) return undefined;
  const at = `while the control group was at its limit of ${formatBytes(limitBytes)}`;
  const text =
    ofGroup.length > 0
      ? `${killsText(facts, ofGroup)}, ${at}`
      : `The kernel killed ${plural(inGroup, 'process', 'processes')} of the job’s control group for memory, ${at}; which is not recorded`;
  const refs = [refsTo('process_event', ofGroup), refsTo('sample', samples)];
  return evidence(text, 'aggregated', joinedRefs(refs));
}
