import type { CannotTell } from '../../../src-main/shared/answers/basis.ts';
import type { RowFacts, Submitter } from '../../../src-main/shared/answers/row-facts.ts';
import { cpuModes, directions, wakeContexts } from '../../../src-main/shared/model/codes.ts';
import { cpuLabel, hostOfThread } from '../../../src-main/shared/model/hosts.ts';
import { syscallName } from '../../../src-main/shared/model/syscall-names.ts';
import { isPreempted } from '../../../src-main/shared/model/task-state.ts';
import {
  formatBytes,
  formatDuration,
  formatMoment,
  formatRoundDuration,
  NARROW_NO_BREAK_SPACE,
} from '../../../src-main/shared/text/units.ts';
import { remember } from '../../../src-main/timeline/model/remember.ts';
import type { TraceView } from '../../../src-main/timeline/model/trace-data.ts';
import { type TraceNames, traceNames } from '../../../src-main/timeline/model/trace-names.ts';
import { NO_ROW, threadAt } from '../../../src-main/timeline/model/track-model.ts';
import type { EventHit } from '../../../src-main/timeline/view/locate-event.ts';
import { workFacts } from './gpu-work-facts.ts';
import { type ReadCell, rowCells } from './row-cells.ts';
import { stateMeaning } from './state-meanings.ts';

interface Fact {
  readonly label: string;
  readonly value: string;
  readonly title?: string;
}

/** What a trace says of one event that is no CUDA call, and what it does not. */
export interface EventReport {
  readonly name: string;
  /** With what the name leaves out: of a kernel its template arguments. */
  readonly fullName: string | undefined;
  /** The track it is on: `State`, `Block I/O`. */
  readonly kind: string;
  readonly meaning: string | undefined;
  readonly facts: readonly Fact[];
  /** The stretch a thread was off the CPU in: of it a wait chain can be asked. */
  readonly wait:
    | { readonly thread: number; readonly startNs: number; readonly endNs: number }
    | undefined;
  /** The call that asked for GPU work. */
  readonly submitter: Submitter | undefined;
  readonly cannotTell: readonly CannotTell[];
}

/** How a column's value is written; nothing where the value says nothing. */
type Writer = (
  value: number,
  names: TraceNames,
  data: TraceView,
  thread: number,
) => string | undefined;

const NOT_RECORDED = 'Not recorded for this event.';

const WORKED_OUT: CannotTell = {
  question: 'Which CPU did it run on?',
  because:
    'This stretch is worked out from the waits around it. The CPU tracks say who ran where, as far as that is recorded.',
};

const NO_SUBMITTER: CannotTell = {
  question: 'Which call asked for it?',
  because: NOT_RECORDED,
};

const exact = (ns: number) => String(ns).replaceAll(/\B(?=(\d{3})+$)/g, NARROW_NO_BREAK_SPACE);
const durationText = (ns: number) => `${formatDuration(ns)} (${exact(ns)} ns)`;
const duration: Writer = (ns) => durationText(ns);
const thread: Writer = (index, names) => names.threadLabel(index);
const plain: Writer = (value) => String(value);
const named: Writer = (index, names) => names.name(index);
/** By its name, where the machine's numbers are known. */
const systemCall: Writer = (number, _names, { summary }, thread) =>
  syscallName(number, hostOfThread(summary, thread)) ?? `number ${number}`;
const cpu: Writer = (id, _names, { summary }) => cpuLabel(summary, id).replace(/^CPU /, '');
const codes =
  (all: readonly string[]): Writer =>
  (code) =>
    code === 0 ? undefined : all[code];

/** The columns that are facts of an event, in the order in which they are told. Below 0 is not known. */
const columnFacts: readonly (readonly [column: string, label: string, write: Writer])[] = [
  ['cpu', 'CPU', cpu],
  ['cpuOut', 'CPU it left', cpu],
  ['cpuIn', 'CPU it came back on', cpu],
  ['runQueueNs', 'Run-queue delay', duration],
  ['waker', 'Woken by', thread],
  ['wakerContext', 'Woken from', codes(wakeContexts)],
  ['nextThread', 'Next on the CPU it left', thread],
  ['previousThread', 'Before it on the CPU it came back on', thread],
  ['syscall', 'In the system call', systemCall],
  ['file', 'On', named],
  ['ioWait', 'Counted as waiting for I/O', (flag) => (flag === 1 ? 'yes' : undefined)],
  ['throttledNs', 'Throttled by a CPU quota', (ns) => (ns === 0 ? undefined : durationText(ns))],
  ['executedNs', 'CPU time before it', duration],
  ['state', 'Raw task state', (state) => `0x${state.toString(16)}`],
  ['fd', 'File descriptor', plain],
  ['bytes', 'Size', (bytes) => formatBytes(bytes)],
  ['direction', 'Direction', codes(directions)],
  ['queueNs', 'Queued before it was issued', duration],
  ['device', 'Device', named],
  ['sector', 'First sector', plain],
  ['major', 'Needed I/O', (flag) => (flag === 1 ? 'yes (major)' : 'no (minor)')],
  ['category', 'Made by', named],
  ['mode', 'Mode', codes(cpuModes)],
];

/** What one would ask of a wait, by the column that answers it. */
const waitQuestions: readonly (readonly [column: string, question: string])[] = [
  ['state', 'Why did it leave the CPU?'],
  ['runQueueNs', 'How much of it was waiting for a CPU?'],
  ['waker', 'Who woke it?'],
  ['nextThread', 'Who ran next on the CPU it left?'],
];

const isKnown = (value: number | undefined): value is number => value !== undefined && value >= 0;

/** What the trace says of the event at a place of a track; `told`: of its row, where that is here. */
export function eventReport(data: TraceView, hit: EventHit, told?: RowFacts): EventReport {
  const { track, lane, index } = hit;
  const event = readEvent(hit, told);
  const { startNs, durationNs, thread } = event;
  const isWork = track.table === 'gpu_work' && event.row !== NO_ROW;
  const isWait = track.table === 'off_cpu' && event.row !== NO_ROW;
  return {
    name: track.nameOf(lane, index),
    fullName: isWork ? told?.fullName : undefined,
    kind: track.label,
    wait:
      isWait && isKnown(durationNs) && isKnown(thread)
        ? { thread, startNs, endNs: startNs + durationNs }
        : undefined,
    meaning: track.kind === 'states' ? stateMeaning(lane.colours[index]) : undefined,
    facts: factsOf(data, track, event),
    submitter: isWork ? told?.submitter : undefined,
    cannotTell: openQuestions(track, event, told !== undefined),
  };
}

interface ReadEvent {
  readonly row: number;
  readonly startNs: number;
  readonly durationNs: number | undefined;
  readonly thread: number | undefined;
  readonly read: ReadCell;
}

function readEvent({ track, lane, index }: EventHit, told: RowFacts | undefined): ReadEvent {
  const row = lane.rows.at(index) ?? NO_ROW;
  const isWorkedOut = row === NO_ROW;
  const read = rowCells(isWorkedOut ? undefined : told);
  const isTold = !isWorkedOut && told !== undefined;
  return {
    row,
    read,
    startNs: read('startNs') ?? lane.times.startNs(index),
    durationNs: isTold ? read('durationNs') : lane.times.durationNs(index),
    thread: read('thread') ?? threadAt(track, lane.times.startNs(index)),
  };
}

function factsOf(data: TraceView, track: EventHit['track'], event: ReadEvent): Fact[] {
  const { startNs, durationNs, thread, read } = event;
  const names = remember(data.summary, 'names', () => traceNames(data.summary));
  const facts: Fact[] = [];
  if (isKnown(durationNs))
    facts.push({ label: 'Duration', value: lengthText(durationNs, track.sampledEveryNs) });
  facts.push({ label: 'Start', value: formatMoment(startNs), title: `${startNs} ns` });
  if (isKnown(thread)) facts.push({ label: 'Thread', value: threadText(names, thread) });
  if (track.table === 'gpu_work') return [...facts, ...workFacts(data, read)];
  for (const [column, label, write] of columnFacts) {
    const value = read(column);
    const text = isKnown(value) ? write(value, names, data, thread ?? -1) : undefined;
    if (text !== undefined) facts.push({ label, value: text });
  }
  return facts;
}

function lengthText(durationNs: number, sampledEveryNs: number | undefined): string {
  return sampledEveryNs === undefined
    ? durationText(durationNs)
    : `≈ ${formatDuration(durationNs)}, from samples every ${formatRoundDuration(sampledEveryNs)}`;
}

function openQuestions(
  { table, kind, provenance, badge }: EventHit['track'],
  { row, read }: ReadEvent,
  isWhole: boolean,
): CannotTell[] {
  // Ready to run all the time, it needed nobody to wake it.
  const wasPreempted = isPreempted(read('state') ?? -1);
  const isOrphan = table === 'gpu_work' && row !== NO_ROW && isWhole && !isKnown(read('call'));
  // As long as its row is not here, nothing is said to be missing from it.
  const questions = table === 'off_cpu' && row !== NO_ROW && isWhole ? waitQuestions : [];
  return [
    ...questions
      .filter(([column]) => !isKnown(read(column)) && !(wasPreempted && column === 'waker'))
      .map(([, question]) => ({ question, because: NOT_RECORDED })),
    ...(row === NO_ROW && kind === 'states' ? [WORKED_OUT] : []),
    ...(isOrphan ? [NO_SUBMITTER] : []),
    ...(provenance === '' || badge === ''
      ? []
      : [{ question: 'Is that all there was?', because: `This track is ${provenance}` }]),
  ];
}

function threadText(names: TraceNames, index: number): string {
  const pid = names.pidOf(index);
  return pid === undefined ? names.threadLabel(index) : `${names.threadLabel(index)} · pid ${pid}`;
}
