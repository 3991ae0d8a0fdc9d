import type { ThreadLabel } from '../../shared/answers/jobs.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { cleanText } from '../../shared/text/text.ts';
import { formatDuration } from '../../shared/text/units.ts';
import { whoElseRan } from '../coverage/own-slices.ts';
import { loaderRangeOver } from '../index/loader-next.ts';
import { afterForkText } from '../threads/after-fork.ts';
import { awaitedFile, filesAreProved } from '../threads/awaited-file.ts';
import { blockedOn } from '../threads/blocked-on.ts';
import { isRequestWait } from '../threads/request-waits.ts';
import type { Stretch } from './walk.ts';
import type { WhoRan } from './who-ran.ts';

/** The traced machine’s own text, uncut: in half a path a report can’t see what to hide. */
export function nameOf({ name }: ThreadLabel): string {
  return cleanText(name);
}

/** Why a thread that was ready did not run: one clause. */
export function runnableReason(
  trace: Trace,
  { throttledNs, idleNs, unknownNs, ran }: WhoRan,
): string {
  const ranNs = ran.reduce((sum, { ns }) => sum + ns, 0);
  const most = Math.max(throttledNs, idleNs, unknownNs, ranNs);
  const isAll = most >= ALMOST_ALL * (throttledNs + idleNs + unknownNs + ranNs);
  const part = isAll ? '' : `, for ${formatDuration(most)} of it`;
  if (most === ranNs && ran.length > 0) {
    const others = ran.length > 1 ? ' and others' : '';
    return `waited for a CPU: ${nameOf(ran[0].thread)}${others} ran${part}`;
  }
  if (most === throttledNs)
    return `waited for a CPU: the quota of its control group was used up${part}`;
  if (most === idleNs)
    return `waited for a CPU that was idle${part}: it takes this long to wake up`;
  return `waited for a CPU; ${whoElseRan(trace)}${part}`;
}

/** What is so much of a wait is told as its reason, without how much it is. */
const ALMOST_ALL = 0.9;

type LabelOf = (thread: number) => ThreadLabel;

/** What a thread off the CPU waited for, or that this is not known: one clause. */
export function waitReason(trace: Trace, stretch: Stretch, labelOf: LabelOf): string {
  const forked = afterForkText(trace, stretch.row);
  return `${plainReason(trace, stretch, labelOf)}${forked === '' ? '' : `, ${forked}`}`;
}

function plainReason(trace: Trace, stretch: Stretch, labelOf: LabelOf): string {
  switch (stretch.kind) {
    case 'dead':
      return 'had not begun yet, or had ended';
    case 'unknown':
      return loaderReason(trace, stretch) ?? 'did something that is not in this trace';
    case 'off-cpu':
      return 'was off the CPU; whether it could have run is not recorded';
    default:
      return blockedReason(trace, stretch, labelOf);
  }
}

/** Where all that is known of a stretch is that the thread asked the loader for a batch in it. */
export function loaderReason(
  trace: Trace,
  { thread, startNs, endNs }: Pick<Stretch, 'thread' | 'startNs' | 'endNs'>,
): string | undefined {
  const range = loaderRangeOver(trace, thread, [startNs, endNs]);
  if (range === undefined) return undefined;
  const part =
    range.ns >= ALMOST_ALL * (endNs - startNs) ? '' : `, for ${formatDuration(range.ns)} of it`;
  return `was in the loader’s next: ${cleanText(range.name)}${part}; whether it ran or waited there is not in this trace`;
}

function blockedReason(trace: Trace, { row, stop, holder }: Stretch, labelOf: LabelOf): string {
  if (stop === 'index') return 'had nothing to do: it waited to be asked for a batch';
  if (holder !== undefined && holder >= 0)
    return `waited for a lock that ${nameOf(labelOf(holder))} had, and asked for it again and again`;
  const { detail, text } = blockedOn(trace, row);
  if (isRequestWait(trace, row)) return `was idle between requests: it waited for ${text}`;
  if (detail === 'timer') return 'slept until its time was up';
  return `waited for ${text}${fileBeside(trace, row, text)}`;
}

/** The file’s name, where what was waited for does not name it. */
function fileBeside(trace: Trace, row: number, text: string): string {
  const file = awaitedFile(trace, row);
  if (file === undefined || file.isKind || text.includes(file.name)) return '';
  return `; its file${filesAreProved(trace) ? '' : ', looked up after'}: ${file.name}`;
}
