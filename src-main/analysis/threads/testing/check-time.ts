import type { AccountingPart, Contention } from '../../../shared/answers/explanation.ts';
import { threadStates } from '../../../shared/model/thread-state.ts';
import type { Trace } from '../../../shared/model/trace.ts';
import { accountTime } from '../account-time.ts';
import { contentionOf } from '../contention.ts';
import { stateTotals } from '../state-totals.ts';
import { type Random, randomTrace, TRACE_NS } from './random-time.ts';
import { type StateIntervals, stateIntervals } from './state-intervals.ts';

/** Stretches of time that are tried on each random trace, beside its calls. */
const RANGES_PER_TRACE = 16;

/** Tries a random trace. How many stretches of time were tried; throws where one is not accounted for. */
export function checkRandomTrace(random: Random): number {
  const trace = randomTrace(random);
  const { columns, rows } = trace.tables.cuda_call;
  for (let call = 0; call < rows; call++) {
    const startNs = columns.startNs[call];
    const endNs = startNs + columns.durationNs[call];
    const thread = columns.thread[call];
    checkTime(trace, thread, startNs, endNs, call, random);
    // A part of it, as a phase may be.
    const fromNs = startNs + random(endNs - startNs + 1);
    checkTime(trace, thread, fromNs, endNs, call, random);
  }
  for (let range = 0; range < RANGES_PER_TRACE; range++) {
    const startNs = random(TRACE_NS + 40) - 20;
    checkTime(trace, random(4) - 1, startNs, startNs + random(120), undefined, random);
  }
  return 2 * rows + RANGES_PER_TRACE;
}

function checkTime(
  trace: Trace,
  thread: number,
  startNs: number,
  endNs: number,
  call: number | undefined,
  random: Random,
): void {
  const parts = accountTime(trace, undefined, thread, startNs, endNs, {
    ...(call !== undefined && { call: { row: call, streamEmpty: random(2) === 0 } }),
  });
  const intervals = stateIntervals(trace, thread, startNs, endNs);
  const contention = contentionOf(trace, undefined, thread, startNs, endNs);
  const faults = [
    ...faultsOfParts(parts, endNs - startNs),
    ...faultsOfTiling(intervals, startNs, endNs),
    ...faultsOfContention(contention),
    ...faultsOfTotals(trace, thread, startNs, endNs, intervals),
    ...faultsOfOffCpu(trace, thread, intervals),
  ];
  const runnableNs = sumOf(intervals, 'runnable');
  if (contention.runnableNs !== runnableNs) faults.push('contention is not of the runnable time');
  faults.push(...faultsOfSums(trace, call, parts, intervals));
  if (faults.length > 0) throw new Error(`${faults.join('; ')}: ${JSON.stringify(parts)}`);
}

function nsOf(parts: readonly AccountingPart[], kind: AccountingPart['kind']): number {
  return parts.reduce((sum, part) => (part.kind === kind ? sum + part.ns : sum), 0);
}

function sumOf({ startsNs, endsNs, states }: StateIntervals, state: string): number {
  let sum = 0;
  states.forEach((code, at) => {
    if (threadStates[code] === state) sum += endsNs[at] - startsNs[at];
  });
  return sum;
}

/** Single switches hold; what a recorder measured around the call is put where they say nothing. */
function faultsOfSums(
  trace: Trace,
  call: number | undefined,
  parts: readonly AccountingPart[],
  intervals: StateIntervals,
): string[] {
  const { columns } = trace.tables.cuda_call;
  const [off, queued, stolen] = [columns.offCpuNs, columns.runQueueNs, columns.stolenNs].map(
    (sums) => sums?.[call ?? -1] ?? -1,
  );
  const runnable = sumOf(intervals, 'runnable');
  const running = sumOf(intervals, 'running');
  const told = nsOf(parts, 'runnable');
  return [
    ...(told < runnable || told > Math.max(runnable, queued)
      ? ['runnable is not as measured']
      : []),
    ...(nsOf(parts, 'running') < running ? ['it ran longer'] : []),
    ...(off < 0 && nsOf(parts, 'running') > running + Math.max(0, stolen)
      ? ['it ran for less']
      : []),
    ...(off >= 0 && call !== undefined && nsOf(parts, 'unexplained') > sumOf(intervals, 'dead')
      ? ['what was measured is unexplained']
      : []),
  ];
}

function faultsOfParts(parts: readonly AccountingPart[], durationNs: number): string[] {
  const sum = parts.reduce((total, { ns }) => total + ns, 0);
  return [
    ...(sum === durationNs ? [] : [`parts sum to ${sum} of ${durationNs}`]),
    ...(parts.every(({ ns }) => ns > 0 && Number.isInteger(ns))
      ? []
      : ['a part is empty or no integer']),
    ...(parts.every(({ events }) => events.count >= events.shown.length)
      ? []
      : ['too many events']),
  ];
}

function faultsOfTiling(
  { startsNs, endsNs }: StateIntervals,
  startNs: number,
  endNs: number,
): string[] {
  let reachedNs = startNs;
  for (let at = 0; at < startsNs.length; at++) {
    if (startsNs[at] !== reachedNs || endsNs[at] <= startsNs[at]) return ['intervals do not tile'];
    reachedNs = endsNs[at];
  }
  return reachedNs === endNs ? [] : ['intervals end early'];
}

function faultsOfContention(contention: Contention): string[] {
  const { othersRanNs, throttledNs, idleNs, unknownNs, runnableNs, contenders } = contention;
  const ran = contenders.reduce((sum, { ns }) => sum + ns, 0);
  const byCpu = contenders.every(
    ({ ns, cpus }) => cpus.reduce((sum, cpu) => sum + cpu.ns, 0) === ns && ns > 0,
  );
  return [
    ...(othersRanNs + throttledNs + idleNs + unknownNs === runnableNs ? [] : ['contention sums']),
    ...(ran === othersRanNs && byCpu ? [] : ['contenders sum']),
  ];
}

function faultsOfTotals(
  trace: Trace,
  thread: number,
  startNs: number,
  endNs: number,
  intervals: StateIntervals,
): string[] {
  const totals = stateTotals(trace, thread, startNs, endNs);
  const { runningNs, runnableNs, sleepingNs, diskNs, otherBlockedNs, unknownNs, ns } = totals;
  const sum = runningNs + runnableNs + sleepingNs + diskNs + otherBlockedNs + unknownNs;
  const deadNs = sumOf(intervals, 'dead');
  return sum === ns && ns + deadNs === endNs - startNs ? [] : ['totals sum'];
}

/** Off the CPU exactly where a row says so, one ns at a time. */
function faultsOfOffCpu(trace: Trace, thread: number, intervals: StateIntervals): string[] {
  const { columns, rows } = trace.tables.off_cpu;
  for (let at = 0; at < intervals.states.length; at++)
    for (let ns = intervals.startsNs[at]; ns < intervals.endsNs[at]; ns++) {
      let isOff = false;
      for (let row = 0; row < rows && !isOff; row++)
        isOff =
          thread >= 0 &&
          columns.thread[row] === thread &&
          columns.startNs[row] <= ns &&
          ns < columns.startNs[row] + columns.durationNs[row];
      if (isOff !== intervals.rows[at] >= 0) return [`off-CPU rows are not its intervals at ${ns}`];
    }
  return [];
}
