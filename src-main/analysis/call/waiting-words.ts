import type {
  AccountingPart,
  CallExplanation,
  Contender,
} from '../../shared/answers/explanation.ts';
import { formatDuration, formatShare } from '../../shared/text/units.ts';

type Waited = Pick<CallExplanation, 'accounting' | 'contention'> & {
  readonly call: { readonly durationNs: number };
};

/**
 * What a call waited for, where one reason takes most of its time off the CPU: `Waited 12.40 ms of
 * 14.00 ms for CPU 1 while DataLoader worker 3 (pid 2256) ran.` `undefined` where none stands out.
 */
export function waitingWords(waited: Waited): string | undefined {
  const { contention, call } = waited;
  const offCpuNs = call.durationNs - partNs(waited.accounting, 'running');
  const mostNs = offCpuNs / 2;
  const of = `of ${formatDuration(call.durationNs)}`;
  if (contention.othersRanNs >= mostNs && contention.contenders.length > 0)
    return outrunWords(waited, of);
  if (contention.throttledNs >= mostNs && contention.throttledNs > 0)
    return `Waited ${formatDuration(contention.throttledNs)} ${of} for a CPU: a CPU quota kept it from running, nobody ran instead.`;
  if (contention.idleNs >= mostNs && contention.idleNs > 0)
    return `Waited ${formatDuration(contention.idleNs)} ${of} to be put on a CPU that was idle.`;
  const longest = longestBlocked(waited.accounting);
  if (longest === undefined || longest.ns < mostNs) return undefined;
  return `Blocked for ${formatDuration(longest.ns)} ${of}: it ${longest.reason}.`;
}

function outrunWords({ contention }: Waited, of: string): string {
  const [first, ...others] = contention.contenders;
  const cpus = first.cpus.length === 1 ? `CPU ${first.cpus[0].cpu}` : 'a CPU';
  const waited = `Waited ${formatDuration(contention.othersRanNs)} ${of}`;
  if (others.length === 0) return `${waited} for ${cpus} while ${contenderName(first)} ran.`;
  const share = formatShare(first.ns, contention.othersRanNs);
  if (first.ns * 2 >= contention.othersRanNs)
    return `${waited} for ${cpus} while ${contenderName(first, share)} and others ran.`;
  return `${waited} for a CPU while others ran, most of all ${contenderName(first, share)}.`;
}

/** `DataLoader worker 3 (pid 2256)`, with its share of the wait where others ran too. */
function contenderName({ name, pid }: Pick<Contender, 'name' | 'pid'>, share?: string): string {
  return `${name} (pid ${pid}${share === undefined ? '' : `, ${share} of the wait`})`;
}

/** The part that is blocked on one thing that is known. */
function longestBlocked(accounting: CallExplanation['accounting']): AccountingPart | undefined {
  return accounting
    .filter(
      ({ kind, detail }) => kind === 'blocked' && detail !== 'unknown' && detail !== undefined,
    )
    .reduce<AccountingPart | undefined>(
      (longest, part) => (longest === undefined || part.ns > longest.ns ? part : longest),
      undefined,
    );
}

/** The ns of the parts of one kind, of one detail where that is given. */
export function partNs(
  accounting: CallExplanation['accounting'],
  kind: AccountingPart['kind'],
  detail?: AccountingPart['detail'],
): number {
  return accounting.reduce(
    (sum, part) =>
      part.kind === kind && (detail === undefined || part.detail === detail) ? sum + part.ns : sum,
    0,
  );
}
