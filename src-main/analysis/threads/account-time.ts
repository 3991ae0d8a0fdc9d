import type { Basis } from '../../shared/answers/basis.ts';
import type { AccountingPart } from '../../shared/answers/explanation.ts';
import type { Rank, ThreadLabel } from '../../shared/answers/jobs.ts';
import { isReady } from '../../shared/model/task-state.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { hasOnlyOwnSlices, NOT_OF_THE_JOB } from '../coverage/own-slices.ts';
import { labelThread } from '../jobs/thread-label.ts';
import { blockedOn } from './blocked-on.ts';
import { basisOf } from './call-sums.ts';
import { addMeasured } from './measured-time.ts';
import { readyNsOf } from './off-cpu-row.ts';
import { type PartKind, PartSums } from './part-sums.ts';
import { type Runs, runsNs } from './running-time.ts';
import { type RunningCall, splitRunning } from './split-running.ts';
import { NO_ROW, stateCode, visitStates } from './visit-states.ts';
import { HELD_BY_QUOTA, isIdleTask, visitWhoRan } from './visit-who-ran.ts';

export interface AccountingOptions {
  /** The CUDA call that fills the time: what it did while running follows from it. */
  readonly call?: RunningCall;
  /** Why switches may be missing, for what is left unexplained. */
  readonly missing?: string;
}

/**
 * Where the time of `thread` over [startNs, endNs) went: disjoint parts, none empty, whose sum is
 * endNs − startNs to the ns. `rank` decides who of those that ran instead is of its own job.
 * Running is not working: splitRunning tells what a call did meanwhile.
 */
export function accountTime(
  trace: Trace,
  rank: Rank | undefined,
  thread: number,
  startNs: number,
  endNs: number,
  options: AccountingOptions = {},
): AccountingPart[] {
  const sums = new PartSums();
  const runs: Runs = { startsNs: [], endsNs: [] };
  const spans: Runs = { startsNs: [], endsNs: [] };
  const basis = basisOf(trace.tables.off_cpu.provenance);
  const basisOfRow = rowBasis(trace, basis);
  const partOf = ranParts(trace, rank);
  visitStates(trace, thread, startNs, endNs, (fromNs, toNs, state, row, throttled) => {
    const ns = toNs - fromNs;
    if (state === stateCode.running) {
      runs.startsNs.push(fromNs);
      runs.endsNs.push(toNs);
    } else if (row === NO_ROW) {
      if (state === stateCode.dead) sums.add(notAlive, ns);
      else {
        spans.startsNs.push(fromNs);
        spans.endsNs.push(toNs);
      }
    } else if (state !== stateCode.runnable)
      sums.add(waitPart(trace, row, state, basisOfRow(row)), ns, 'off_cpu', row);
    else if (throttled) sums.add(waitedFor('throttled', basis), ns, 'off_cpu', row);
    else
      visitWhoRan(trace, row, fromNs, toNs, (gotFromNs, gotToNs, who) => {
        sums.add(partOf(who, basisOfRow(row)), gotToNs - gotFromNs, 'off_cpu', row);
      });
  });
  // Where all that was counted is stored, some may have been lost all the same.
  const isExact = trace.tables.off_cpu.provenance.kind === 'exact';
  const ran = {
    ...{ runs, ns: runsNs(runs) },
    ...(isExact
      ? ({ why: 'not switched off the CPU', basis: 'exact' } as const)
      : ({ why: 'not switched off the CPU as far as is recorded', basis: 'inferred' } as const)),
  };
  splitRunning(trace, thread, ran, options.call, sums);
  const missing = options.missing ?? 'Its switches are not all in this trace.';
  addMeasured(trace, options.call, { thread, spans, ns: endNs - startNs, missing }, sums);
  return sums.parts();
}

const notAlive: PartKind = {
  kind: 'unexplained',
  reason: 'The thread had not begun yet, or had ended.',
  basis: 'exact',
};

const waitReasons = {
  'own-job-ran': 'a thread of its own job had the CPU',
  'others-ran': 'somebody else had the CPU',
  'kernel-ran': 'the kernel had the CPU',
  throttled: 'a CPU quota kept it from running: nobody ran instead',
  'idle-cpu': 'the CPU was idle: it was being woken or moved',
  unknown: 'who had the CPU is not recorded',
} as const;

function waitedFor(detail: keyof typeof waitReasons, basis: Basis): PartKind {
  return { kind: 'runnable', detail, reason: waitReasons[detail], basis };
}

const detailOf: Readonly<Record<ThreadLabel['relation'], keyof typeof waitReasons>> = {
  self: 'own-job-ran',
  'own-rank': 'own-job-ran',
  'own-job': 'own-job-ran',
  other: 'others-ran',
  recorder: 'others-ran',
  kernel: 'kernel-ran',
};

/**
 * How the time of a row is known that it waited for a CPU, and for what it waited before: as the row itself where
 * it was ready all the time.
 */
function rowBasis({ tables }: Trace, basis: Basis): (row: number) => Basis {
  const { columns, columnProvenance } = tables.off_cpu;
  const queued = columnProvenance.runQueueNs;
  const queueBasis = queued === undefined ? basis : basisOf(queued);
  return (row) => (isReady(columns.state?.[row] ?? -1) ? basis : queueBasis);
}

/** What to call the time in which a thread ran instead, worked out once for each. */
function ranParts(trace: Trace, rank: Rank | undefined): (who: number, basis: Basis) => PartKind {
  const known = new Map<Basis, Map<number, PartKind>>();
  return (who, basis) => {
    const parts = known.get(basis) ?? new Map<number, PartKind>();
    known.set(basis, parts);
    const part = parts.get(who) ?? ranPart(trace, rank, who, basis);
    parts.set(who, part);
    return part;
  };
}

function ranPart(trace: Trace, rank: Rank | undefined, who: number, basis: Basis): PartKind {
  if (who === HELD_BY_QUOTA)
    return {
      ...waitedFor('throttled', 'inferred'),
      reason: 'a CPU quota held its control group back, by samples of it',
    };
  if (who < 0 && hasOnlyOwnSlices(trace))
    return {
      ...waitedFor('unknown', basis),
      reason: `no thread of this job had the CPU: ${NOT_OF_THE_JOB}`,
    };
  return waitedFor(whoRan(trace, rank, who), basis);
}

function whoRan(trace: Trace, rank: Rank | undefined, who: number): keyof typeof waitReasons {
  if (who < 0) return 'unknown';
  return isIdleTask(trace, who) ? 'idle-cpu' : detailOf[labelThread(trace, who, rank).relation];
}

/** Off the CPU and not known to be ready. */
function waitPart(trace: Trace, row: number, state: number, basis: Basis): PartKind {
  if (Number.isNaN(readyNsOf(trace.tables.off_cpu.columns, row)))
    return { kind: 'off-cpu', reason: 'what it waited for is not recorded', basis };
  const { detail, text } = blockedOn(trace, row);
  const isKnown = detail !== 'unknown' || state !== stateCode.unknown;
  const reason = isKnown ? `waited for ${text}` : 'from giving up the CPU until its wake-up';
  return { kind: 'blocked', detail, reason, basis };
}
