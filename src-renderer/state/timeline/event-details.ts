import type { Contention } from '../../../src-main/shared/answers/explanation.ts';
import type { RowFacts } from '../../../src-main/shared/answers/row-facts.ts';
import { directions } from '../../../src-main/shared/model/codes.ts';
import { hostIndexOf, hostOfThread } from '../../../src-main/shared/model/hosts.ts';
import { syscallName } from '../../../src-main/shared/model/syscall-names.ts';
import { cleanText } from '../../../src-main/shared/text/text.ts';
import {
  formatBytes,
  formatDuration,
  formatMoment,
  formatRoundDuration,
} from '../../../src-main/shared/text/units.ts';
import { clockText } from '../../../src-main/shared/words/clock-words.ts';
import { threadLabelText } from '../../../src-main/shared/words/thread-label-text.ts';
import { stepAt, stepFacts } from '../../../src-main/timeline/build/step-tracks.ts';
import { stateColour } from '../../../src-main/timeline/model/colours.ts';
import { remember } from '../../../src-main/timeline/model/remember.ts';
import type { TraceView } from '../../../src-main/timeline/model/trace-data.ts';
import { traceNames } from '../../../src-main/timeline/model/trace-names.ts';
import { NO_ROW, threadAt } from '../../../src-main/timeline/model/track-model.ts';
import { durationText } from '../../../src-main/timeline/view/lane-labels.ts';
import type { EventHit } from '../../../src-main/timeline/view/locate-event.ts';
import { workTooltip } from './gpu-work-facts.ts';
import { rowCells } from './row-cells.ts';

interface EventDetails {
  readonly name: string;
  readonly startNs: number;
  readonly durationNs: number;
  /** Label and value, as a tooltip lists them. */
  readonly facts: readonly (readonly [label: string, value: string])[];
}

/** `read · pipe`: the system call a thread waited in, and on what. */
function waitText({ summary }: TraceView, thread = -1, syscall = -1, file = -1): string {
  const names = remember(summary, 'names', () => traceNames(summary));
  const host = hostOfThread(summary, thread);
  const call = syscall < 0 ? undefined : syscallName(syscall, host);
  return [call, file < 0 ? undefined : names.name(file)]
    .filter((part) => part !== undefined)
    .join(' · ');
}

function rowFacts(
  data: TraceView,
  { track, lane, index }: EventHit,
  told: RowFacts | undefined,
): (readonly [label: string, value: string])[] {
  const row = lane.rows.at(index) ?? NO_ROW;
  if (track.table === undefined) return [];
  const read = rowCells(row === NO_ROW ? undefined : told);
  if (track.table === 'gpu_work')
    return row === NO_ROW || told === undefined ? [] : workTooltip(data, told);
  const facts: [string, string][] = [];
  const names = remember(data.summary, 'names', () => traceNames(data.summary));
  const thread = read('thread') ?? threadAt(track, lane.times.startNs(index));
  if (thread !== undefined) facts.push(['Thread', names.threadLabel(thread)]);
  if (thread !== undefined) facts.push(...clockFact(data, thread));
  const waitsIn = waitText(data, thread, read('syscall'), read('file'));
  if (waitsIn !== '') facts.push(['In', waitsIn]);
  const device = read('device') ?? -1;
  if (device >= 0) facts.push(['Device', names.name(device)]);
  const bytes = read('bytes') ?? -1;
  if (bytes >= 0) facts.push(['Size', formatBytes(bytes)]);
  const direction = read('direction') ?? 0;
  if (direction > 0) facts.push(['Direction', directions[direction] ?? 'unknown']);
  const returnCode = read('returnCode') ?? 0;
  if (returnCode !== 0) facts.push(['Return code', String(returnCode)]);
  return facts;
}

const MOST_RUNNERS = 3;

/** Who had the CPU it waited for, the first of them by name; where nobody had, why it waited. */
function runnersText({ contenders, throttledNs, idleNs, unknownNs }: Contention): string {
  const shown = contenders
    .slice(0, MOST_RUNNERS)
    .map((runner) => `${cleanText(threadLabelText(runner))}: ${formatDuration(runner.ns)}`);
  const left = contenders.length - shown.length;
  if (shown.length > 0) return [...shown, ...(left > 0 ? [`${left} more`] : [])].join(', ');
  if (unknownNs > Math.max(throttledNs, idleNs)) return 'not recorded';
  return throttledNs > idleNs ? 'nobody: a CPU quota held it back' : 'nobody: its CPU was idle';
}

/** Of several machines: how well the event's time is known beside those of others. */
function clockFact({ summary }: TraceView, thread: number): [string, string][] {
  const clock = summary.clocks?.[hostIndexOf(summary, thread)];
  return clock === undefined ? [] : [['Its machine’s clock', clockText(clock)]];
}

/** What a tooltip or a screen reader says about an event; `told`: of its row, where that is here. */
export function eventDetails(data: TraceView, hit: EventHit, told?: RowFacts): EventDetails {
  const { track, lane, index } = hit;
  const startNs = lane.times.startNs(index);
  const durationNs = lane.times.durationNs(index);
  const facts: (readonly [string, string])[] = [['Start', formatMoment(startNs)]];
  if (track.kind !== 'marks') facts.unshift(['Duration', durationText(track, lane, index)]);
  if (track.sampledEveryNs !== undefined)
    facts.push(['Sampled', `every ${formatRoundDuration(track.sampledEveryNs)}`]);
  const step = stepAt(data, track.id, index);
  facts.push(...(step === undefined ? rowFacts(data, hit, told) : stepFacts(step)));
  if (lane.colours[index] === stateColour.runnable && told?.contention !== undefined)
    facts.push(['Ran instead', runnersText(told.contention)]);
  return { name: track.nameOf(lane, index), startNs, durationNs, facts };
}

/** One sentence for aria-live. */
export function spokenDetails(data: TraceView, hit: EventHit, told?: RowFacts): string {
  const { name, facts } = eventDetails(data, hit, told);
  return [name, ...facts.map(([label, value]) => `${label} ${value}`)].join(', ');
}
