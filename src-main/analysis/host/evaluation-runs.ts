import type { Rank } from '../../shared/answers/jobs.ts';
import type { StepSummary } from '../../shared/answers/steps.ts';
import type { TimeSpan } from '../../shared/answers/summary.ts';
import { NONE } from '../../shared/model/schema.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { emptySpans, SpanList, type Spans } from '../index/spans.ts';
import { isH2d, loopCalls, opKinds } from '../loop/loop-calls.ts';
import { loaderStacks } from '../stacks/loader-stacks.ts';
import type { HostEvidence } from './host-evidence.ts';
import type { HostStretches } from './host-stretches.ts';
import { KIND, loopKinds, type StackKinds, stackKinds } from './stack-kinds.ts';

/** When the training thread evaluated, its CUDA calls included: each from the first to the last of them. */
export interface EvaluationRuns {
  readonly spans: Spans;
  /** The calls: rows of cuda_call. */
  readonly rows: readonly number[];
  /** Row of the stacks with the function that evaluates, of most of them; -1 = there are none. */
  readonly place: number;
}

export const noEvaluation: EvaluationRuns = {
  spans: emptySpans,
  rows: [],
  place: NONE,
};

/** What comes in more of the steps is a part of training, whatever it is called. Our own choice. */
const SELDOM = 0.5;

/** A run in the making. */
interface Run {
  readonly startNs: number;
  endNs: number;
  readonly rows: number[];
  readonly place: number;
}

/**
 * The stretches in which all CUDA calls of the training thread were made by a function that evaluates, by their stacks:
 * by its library or name, or as one that is called like figures (`check_accuracy`) and runs a model on batches. A call
 * whose stack has no Python is of what is around it.
 */
export function evaluationRuns(
  trace: Trace,
  rank: Pick<Rank, 'mainThread'>,
  { window, count }: Pick<StepSummary, 'window' | 'count'>,
): EvaluationRuns {
  const kinds = loopKinds(trace, rank.mainThread, window);
  const runs = findRuns(trace, kinds, rank.mainThread, window).filter((run) =>
    isEvaluation(trace, kinds, run),
  );
  if (runs.length === 0 || runs.length > count * SELDOM) return noEvaluation;
  const spans = new SpanList(window);
  const calls = new Map<number, number>();
  for (const { startNs, endNs, place, rows } of runs) {
    spans.add(startNs, endNs);
    calls.set(place, (calls.get(place) ?? 0) + rows.length);
  }
  const [place] = [...calls].reduce((most, one) => (one[1] > most[1] ? one : most));
  return { spans: spans.spans(), rows: runs.flatMap(({ rows }) => rows), place };
}

function findRuns(
  trace: Trace,
  { evaluates }: StackKinds,
  mainThread: number,
  [fromNs, toNs]: TimeSpan,
): Run[] {
  const { stack } = trace.tables.cuda_call.columns;
  if (stack === undefined || evaluates.every((at) => at === NONE)) return [];
  const { python } = loaderStacks(trace);
  const { rows, startsNs, endsNs } = loopCalls(trace, mainThread);
  const runs: Run[] = [];
  let run: Run | undefined;
  /** Calls without Python since the last one of the run. */
  let unplaced: number[] = [];
  for (let at = startsNs.lowerBound(fromNs); at < rows.length && startsNs.nsAt(at) < toNs; at++) {
    const place = evaluates[stack[rows[at]]] ?? NONE;
    if (place === NONE) {
      if ((python[stack[rows[at]]] ?? NONE) !== NONE) run = undefined;
      else unplaced.push(rows[at]);
      continue;
    }
    if (run === undefined) {
      run = { startNs: startsNs.nsAt(at), endNs: endsNs.nsAt(at), rows: [], place };
      runs.push(run);
      unplaced = [];
    }
    run.endNs = endsNs.nsAt(at);
    for (const row of unplaced) run.rows.push(row);
    run.rows.push(rows[at]);
    unplaced = [];
  }
  return runs;
}

/** What is only called like figures evaluates where it gives the GPU batches and kernels to run. */
function isEvaluation(trace: Trace, { figures }: StackKinds, { rows, place }: Run): boolean {
  if (figures[place] !== 1) return true;
  const { op } = trace.tables.cuda_call.columns;
  const kinds = opKinds(trace);
  return rows.some((row) => kinds[op[row]] === 'launch') && rows.some((row) => isH2d(trace, row));
}

/** Says of what the thread did while it evaluated, and what no library tells to be anything else, that it is of that. */
export function markEvaluation(
  trace: Trace,
  { length, kind, isOwn, isSample, row, stretch }: HostEvidence,
  { isEvaluating }: Pick<HostStretches, 'isEvaluating'>,
): void {
  const { called } = stackKinds(trace);
  const { cpu_sample: sampled, off_cpu: waited } = trace.tables;
  for (let at = 0; at < length; at++) {
    const { stack } = isSample[at] === 1 ? sampled.columns : waited.columns;
    const isNamed =
      kind[at] === KIND['host-metrics'] && called[stack?.[row[at]] ?? NONE] !== kind[at];
    if (isEvaluating[stretch[at]] !== 1 || (kind[at] !== KIND.none && !isNamed)) continue;
    kind[at] = KIND.evaluation;
    isOwn[at] = 1;
  }
}
