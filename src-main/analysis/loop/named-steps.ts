import type { Rank } from '../../shared/answers/jobs.ts';
import { NONE } from '../../shared/model/schema.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { plural } from '../../shared/text/units.ts';
import type { StepBounds } from './step-list.ts';

/** PyTorch's profiler names a step so; NVTX ranges are named by hand. */
const STEP_NAME =
  /^ProfilerStep#?\s*\d+|^(train(ing)?[ _.-]?)?(step|iter|iteration|batch)[ _.#:-]*\d*$/i;
/** A step by its number, whatever stands before it: `Warm-up Step 2`. What stands there makes the family. */
const NUMBERED_STEP = /^(?<family>.*(?<![a-z])(step|iter|iteration))[ _.#:-]*\d+$/i;
/** Of these, what is a part of a step, not one of its own. */
const PART_OF_STEP =
  /optim|sched|forward|backward|(?<![a-z])(fwd|bwd|micro|lr|load|data|fetch|copy|log|sav)/i;
/** Steps of a family follow each other: so much of the time from the first to the last is in one. Our own choice. */
const MIN_COVERED = 0.5;
/** Below this many ranges a profiler's schedule was recorded, not a loop. */
const MIN_NAMED = 3;

/** The steps that ranges of the process of `rank` name, those of its main thread if it has some; undefined where too few do. */
export function namedSteps(trace: Trace, rank: Rank): StepBounds | undefined {
  const rows = stepRows(trace, rank);
  const { thread } = trace.tables.range.columns;
  const own = oneAfterOther(
    trace,
    rows.filter((row) => thread[row] === rank.mainThread),
  );
  const steps = own.length >= MIN_NAMED ? own : oneAfterOther(trace, rows);
  return steps.length < MIN_NAMED ? undefined : bounds(trace, steps);
}

/** Rows of the ranges with the name of a step, ascending. */
function stepRows(trace: Trace, rank: Rank): number[] {
  const { op } = trace.tables.range.columns;
  const isStep = trace.names.map((name) => STEP_NAME.test(name));
  const familyOf = trace.names.map(familyOfName);
  const rows: number[] = [];
  for (let row = 0; row < op.length; row++) {
    const mayBe = isStep[op[row]] || familyOf[op[row]] !== undefined;
    if (mayBe && isUsable(trace, rank, row)) rows.push(row);
  }
  const families = Map.groupBy(rows, (row) => (isStep[op[row]] ? undefined : familyOf[op[row]]));
  const areParts = new Set(
    [...families]
      .filter(([family, own]) => family !== undefined && !areSteps(trace, own))
      .flatMap(([, own]) => own),
  );
  return rows.filter((row) => !areParts.has(row));
}

function familyOfName(name: string): string | undefined {
  const family = NUMBERED_STEP.exec(name)?.groups?.family;
  return family === undefined || PART_OF_STEP.test(family) ? undefined : family.toLowerCase();
}

function isUsable(trace: Trace, rank: Rank, row: number): boolean {
  const { durationNs, thread, category } = trace.tables.range.columns;
  // PyTorch's profiler repeats each step on the rows of the GPU, where it is later and longer.
  if (durationNs[row] === 0 || trace.names[category[row]] === 'gpu_user_annotation') return false;
  const process = trace.threads[thread[row]]?.process ?? NONE;
  return process === NONE || process === rank.process;
}

/** Whether the ranges of a family stand one after the other, without long times between them. */
function areSteps(trace: Trace, rows: readonly number[]): boolean {
  const steps = oneAfterOther(trace, rows);
  if (steps.length < MIN_NAMED || steps.length * 2 < rows.length) return false;
  const { startNs, durationNs } = trace.tables.range.columns;
  const covered = steps.reduce((sum, row) => sum + durationNs[row], 0);
  const last = steps[steps.length - 1];
  return covered >= MIN_COVERED * (startNs[last] + durationNs[last] - startNs[steps[0]]);
}

/** Those of `rows` that do not begin within the one before: a range in a step is no step of its own. */
function oneAfterOther(trace: Trace, rows: readonly number[]): number[] {
  const { startNs, durationNs } = trace.tables.range.columns;
  let untilNs = -Infinity;
  return rows.filter((row) => {
    if (startNs[row] < untilNs) return false;
    untilNs = startNs[row] + durationNs[row];
    return true;
  });
}

function bounds(trace: Trace, steps: readonly number[]): StepBounds {
  const { startNs, durationNs, op } = trace.tables.range.columns;
  const nameOf = (row: number) => trace.names[op[row]] ?? '';
  const [first, last] = [nameOf(steps[0]), nameOf(steps[steps.length - 1])];
  const names = first === last ? `“${first}”` : `from “${first}” to “${last}”`;
  return {
    basis: 'annotation',
    note: `${plural(steps.length, 'range')} in the trace mark the steps, ${names}.`,
    startsNs: Float64Array.from(steps, (row) => startNs[row]),
    endsNs: Float64Array.from(steps, (row) => startNs[row] + durationNs[row]),
  };
}
