import type { CudaOpKind } from '../../../shared/model/cuda-ops.ts';
import { traceIndex } from '../../index/trace-index.ts';
import { opKinds } from '../../loop/loop-calls.ts';
import type { RankFacts } from './facts.ts';

/** CUDA calls of one rank that began in its window, in order of time; those inside other calls left out. */
export interface WindowCalls {
  /** Rows of cuda_call. */
  readonly rows: readonly number[];
  kindOf(row: number): CudaOpKind;
  nameOf(row: number): string;
}

export function windowCalls({ trace, rank, window: [startNs, endNs] }: RankFacts): WindowCalls {
  const { op, parent } = trace.tables.cuda_call.columns;
  const kinds = opKinds(trace);
  const rows: number[] = [];
  for (const thread of rank.cudaThreads) {
    const calls = traceIndex(trace).rowsOf('cuda_call', thread);
    const end = calls.startsNs.lowerBound(endNs);
    for (let at = calls.startsNs.lowerBound(startNs); at < end; at++)
      if ((parent?.[calls.rows[at]] ?? -1) < 0) rows.push(calls.rows[at]);
  }
  rows.sort((a, b) => a - b);
  return {
    rows,
    kindOf: (row) => kinds[op[row]] ?? 'other',
    nameOf: (row) => trace.names[op[row]] ?? 'unknown',
  };
}
