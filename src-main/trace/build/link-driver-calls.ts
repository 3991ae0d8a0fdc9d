import { codeOf, cudaLayers } from '../../shared/model/codes.ts';
import type { Columns } from '../../shared/model/columns.ts';
import { NONE } from '../../shared/model/schema.ts';

type Needed = 'startNs' | 'durationNs' | 'thread' | 'layer' | 'parent';

/** Real calls nest two or three deep; a damaged file must not make the sweep quadratic. */
const MAX_NESTING = 64;

/**
 * Sets `parent` of each driver call to the innermost runtime or graph call of its thread that
 * encloses it, of a source that does not say it. One sweep: rows are sorted by start, the longer of two first.
 */
export function linkDriverCalls(columns: Pick<Columns<'cuda_call'>, Needed> | undefined): void {
  if (columns?.parent === undefined) return;
  const { startNs, durationNs, thread, layer, parent } = columns;
  const driver = codeOf(cudaLayers, 'driver');
  const openCalls = new Map<number, number[]>();
  const endOf = (row: number) => startNs[row] + durationNs[row];
  for (let row = 0; row < startNs.length; row++) {
    const of = thread[row];
    const open = openCalls.get(of) ?? [];
    openCalls.set(of, open);
    const start = startNs[row];
    let top = open.at(-1);
    while (top !== undefined && endOf(top) <= start) {
      open.pop();
      top = open.at(-1);
    }
    if (layer[row] !== driver) {
      if (open.length < MAX_NESTING) open.push(row);
    } else if (of !== NONE)
      parent[row] = open.findLast((call) => endOf(call) >= endOf(row)) ?? NONE;
  }
}
