import type { Rank } from '../../shared/answers/jobs.ts';
import { MAX_OPERATIONS, type RunOperation } from '../../shared/answers/run-summary.ts';
import { directions } from '../../shared/model/codes.ts';
import type { NumberArray } from '../../shared/model/columns.ts';
import { sizeBucket, sizeBucketNames } from '../../shared/model/size-bucket.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { percentiles } from '../../shared/numbers/percentile.ts';
import { gatherGroups, groupRows } from '../index/row-groups.ts';
import { callsOfThreads, isH2d, type LoopCalls } from '../loop/loop-calls.ts';
import { type ComparedSteps, groupMeans } from './run-steps.ts';

interface RunCalls {
  readonly operations: readonly RunOperation[];
  /** Of all copies to the device in these steps; undefined where no size is known. */
  readonly h2dBytes: number | undefined;
}

/** The outermost CUDA calls of `rank` that begin in one of `steps`, by operation, direction and size. */
export function runOperations(trace: Trace, rank: Rank, steps: ComparedSteps): RunCalls {
  const calls = callsOfThreads(trace, rank.cudaThreads);
  const { bytes, direction, op } = trace.tables.cuda_call.columns;
  const { rows, durations, step } = callsWithin(calls, steps);
  const sizes = sizeBucketNames.length + 1;
  const bucketOf = (row: number) => (bytes === undefined ? -1 : sizeBucket(bytes[row]));
  const groups = groupRows(rows.length, (nth) => {
    const row = rows[nth];
    return (op[row] * directions.length + (direction?.[row] ?? 0)) * sizes + bucketOf(row) + 1;
  });
  const ofGroup = gatherGroups(groups, durations);
  const stepOf = gatherGroups(groups, step);
  const totals = ofGroup.map((all) => all.reduce((sum, ns) => sum + ns, 0));
  const most = [...totals.keys()].sort((a, b) => totals[b] - totals[a]).slice(0, MAX_OPERATIONS);
  const operations = most.map((group): RunOperation => {
    const row = rows[groups.firstRows[group]];
    const byStep = new Float64Array(steps.startsNs.length);
    for (let nth = 0; nth < ofGroup[group].length; nth++)
      byStep[stepOf[group][nth]] += ofGroup[group][nth];
    const code = direction?.[row] ?? 0;
    return {
      name: trace.names[op[row]] ?? '',
      direction: code === 0 ? '' : (directions[code] ?? 'unknown'),
      sizeBucket: bucketOf(row),
      totalNs: totals[group],
      medianNs: percentiles(ofGroup[group], [50])[0],
      stepNs: groupMeans(byStep, steps),
    };
  });
  return { operations, h2dBytes: bytes && bytesToDevice(trace, rows, bytes) };
}

/** Those of `calls` that begin in a step, how long each takes, and in which it begins. There are millions of them. */
function callsWithin(calls: LoopCalls, { startsNs, endsNs }: ComparedSteps) {
  const first = calls.startsNs.lowerBound(startsNs[0]);
  const most = Math.max(0, calls.rows.length - first);
  const rows = new Uint32Array(most);
  const durations = new Float64Array(most);
  const step = new Float64Array(most);
  let current = 0;
  let count = 0;
  for (let call = first; call < calls.rows.length; call++) {
    const ns = calls.startsNs.nsAt(call);
    while (current < startsNs.length && endsNs[current] <= ns) current++;
    if (current === startsNs.length) break;
    if (ns < startsNs[current]) continue;
    rows[count] = calls.rows[call];
    durations[count] = calls.endsNs.nsAt(call) - ns;
    step[count++] = current;
  }
  return {
    rows: rows.subarray(0, count),
    durations: durations.subarray(0, count),
    step: step.subarray(0, count),
  };
}

function bytesToDevice(trace: Trace, rows: Uint32Array, bytes: NumberArray): number | undefined {
  const copies = rows.filter((row) => isH2d(trace, row) && bytes[row] >= 0);
  return copies.length === 0 ? undefined : copies.reduce((sum, row) => sum + bytes[row], 0);
}
