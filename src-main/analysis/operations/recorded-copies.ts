import type { RecordedCopies } from '../../shared/answers/operations.ts';
import { codeOf, directions, hostMemoryKinds } from '../../shared/model/codes.ts';
import { NONE } from '../../shared/model/schema.ts';
import type { Trace } from '../../shared/model/trace.ts';
import type { RowGroups } from '../index/row-groups.ts';

const [H2D, D2H] = [codeOf(directions, 'H2D'), codeOf(directions, 'D2H')];
const [PAGEABLE, PINNED] = [codeOf(hostMemoryKinds, 'pageable'), codeOf(hostMemoryKinds, 'pinned')];

interface Sum {
  count: number;
  bytes: number;
  ns: number;
  pageable: number;
  pinned: number;
}

/** By group of rows of gpu_work, or of the calls that submitted them, what the GPU's records say of the copies. */
export function recordedCopies(
  { tables }: Trace,
  name: string,
  { groupOf, counts }: RowGroups,
): readonly (RecordedCopies | undefined)[] {
  const { rows, columns } = tables.gpu_work;
  const { call, bytes, durationNs, direction } = columns;
  const sums: (Sum | undefined)[] = new Array(counts.length).fill(undefined);
  for (let row = 0; row < rows; row++) {
    const of = name === 'gpu_work' ? row : (call?.[row] ?? NONE);
    if (of < 0 || !((bytes?.[row] ?? 0) > 0) || (direction?.[row] ?? 0) === 0) continue;
    const sum = sums[groupOf[of]] ?? { count: 0, bytes: 0, ns: 0, pageable: 0, pinned: 0 };
    sums[groupOf[of]] = sum;
    const host = direction?.[row] === H2D ? columns.sourceMemory : columns.destinationMemory;
    const isOfHost = direction?.[row] === H2D || direction?.[row] === D2H;
    sum.count++;
    sum.bytes += bytes?.[row] ?? 0;
    sum.ns += durationNs[row];
    if (isOfHost && host?.[row] === PAGEABLE) sum.pageable++;
    if (isOfHost && host?.[row] === PINNED) sum.pinned++;
  }
  return sums.map(
    (sum) =>
      sum && {
        ...{ count: sum.count, pageable: sum.pageable, pinned: sum.pinned },
        bytesPerNs: sum.ns > 0 ? sum.bytes / sum.ns : 0,
      },
  );
}
