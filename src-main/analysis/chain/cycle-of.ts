import type { Rank } from '../../shared/answers/jobs.ts';
import { cycleCauses, type ProductionCycle } from '../../shared/answers/wait-chain.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { labelThread } from '../jobs/thread-label.ts';
import { causesOfCycle } from './cycle-causes.ts';
import { productionCycles } from './production-cycles.ts';

/** Batch `cycle` of a worker process in full: what its making took, largest part first. */
export function cycleOf(
  trace: Trace,
  rank: Rank | undefined,
  workerProcess: number,
  cycle: number,
): ProductionCycle {
  const cycles = productionCycles(trace, rank, workerProcess);
  const sums = causesOfCycle(trace, rank, cycles, cycle);
  const parts = cycleCauses
    .map((cause, code) => ({ cause, ns: sums.ns[code], row: sums.rows[code] }))
    .filter(({ ns }) => ns > 0)
    .toSorted((a, b) => b.ns - a.ns)
    .map(({ cause, ns, row }) =>
      row < 0 ? { cause, ns } : { cause, ns, event: { table: 'off_cpu' as const, row } },
    );
  return {
    worker: labelThread(trace, cycles.mainThread, rank),
    startNs: cycles.startsNs[cycle],
    endNs: cycles.endsNs[cycle],
    parts,
    basis: cycles.basis,
    note: cycles.note,
  };
}
