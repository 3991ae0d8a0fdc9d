import { readableName } from '../../analysis/stacks/frame-names.ts';
import { gpuWorkKind } from '../../shared/answers/gpu-work.ts';
import type { GpuWorkSummary } from '../../shared/answers/summary.ts';
import type { Trace } from '../../shared/model/trace.ts';

/** What the GPU's own record holds, counted in one pass, and its kernels' names made readable. */
export function gpuWorkSummary({ names, tables }: Trace): GpuWorkSummary {
  const { op, kind, direction } = tables.gpu_work.columns;
  const counts = { unknown: 0, kernel: 0, copy: 0, fill: 0, graph: 0 };
  const isUsed = new Uint8Array(names.length);
  for (let row = 0; row < tables.gpu_work.rows; row++) {
    counts[gpuWorkKind(kind?.[row], direction?.[row])]++;
    if (op[row] < names.length) isUsed[op[row]] = 1;
  }
  const readable: Record<number, string> = {};
  isUsed.forEach((used, index) => {
    const name = names[index] ?? '';
    const plain = used === 0 ? name : readableName(name);
    if (plain !== name) readable[index] = plain;
  });
  return { counts, readable };
}
