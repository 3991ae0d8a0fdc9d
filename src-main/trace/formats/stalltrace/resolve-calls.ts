import type { ColumnArray } from '../../../shared/model/columns.ts';
import { NONE } from '../../../shared/model/schema.ts';
import type { Dangling } from './cell-readers.ts';
import { createIdMap, type IdMap } from './id-map.ts';
import type { ReadTable } from './read-rows.ts';

function positionsOf(ids: ColumnArray, calls: IdMap, dangling: Dangling): Int32Array<ArrayBuffer> {
  const positions = new Int32Array(ids.length);
  for (let row = 0; row < ids.length; row++) {
    const id = ids[row] as number;
    const position = id === NONE ? NONE : calls.positionOf(id);
    if (id !== NONE && position === NONE) dangling.count++;
    positions[row] = position;
  }
  return positions;
}

/** A call must lie inside its parent, so parents can't go in circles: others lose theirs. */
function keepEnclosing(columns: Record<string, ColumnArray>, parents: Int32Array): void {
  const starts = columns.startNs as Float64Array;
  const durations = columns.durationNs as Float64Array;
  for (let row = 0; row < parents.length; row++) {
    const parent = parents[row] as number;
    if (parent === NONE) continue;
    const start = starts[row] as number;
    const end = start + (durations[row] as number);
    const parentStart = starts[parent] as number;
    const parentEnd = parentStart + (durations[parent] as number);
    const isTwin = parentStart === start && parentEnd === end;
    if (parentStart > start || parentEnd < end || (isTwin && parent >= row)) parents[row] = NONE;
  }
}

/** Turns ids of calls into rows of cuda_call, in the two tables that have them. */
export function resolveCalls(
  cudaCall: ReadTable | undefined,
  gpuWork: ReadTable | undefined,
  dangling: Dangling,
): void {
  const calls = createIdMap(cudaCall?.callIds ?? []);
  const parentIds = cudaCall?.columns.parent;
  if (cudaCall !== undefined && parentIds !== undefined) {
    const parents = positionsOf(parentIds, calls, dangling);
    keepEnclosing(cudaCall.columns, parents);
    cudaCall.columns.parent = parents;
  }
  const callIds = gpuWork?.columns.call;
  if (gpuWork !== undefined && callIds !== undefined)
    gpuWork.columns.call = positionsOf(callIds, calls, dangling);
}
