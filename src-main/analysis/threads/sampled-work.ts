import { codesOfFrames, foldStacks } from '../../shared/model/stacks.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { perStacks } from '../index/per-trace.ts';
import { traceIndex } from '../index/trace-index.ts';
import type { Runs } from './running-time.ts';

/** What CPU samples of a thread show, by their stacks. */
export interface SampledWork {
  readonly samples: number;
  /** In the kernel’s handler of page faults. */
  readonly inFault: readonly number[];
  /** Copying memory. */
  readonly inCopy: readonly number[];
}

/** Entry points of page faults: x86-64, older kernels, arm64. */
const FAULT =
  /^(asm_exc_page_fault|exc_page_fault|do_user_addr_fault|do_page_fault|page_fault|do_mem_abort|handle_mm_fault)$/;
const COPY = /^_*(mem(cpy|move)|wordcopy)/;

const [OTHER, IN_FAULT, IN_COPY] = [0, 1, 2];

const [IS_FAULT, IS_COPY] = [1, 2];

/** By stack: whether a fault is anywhere on it, else whether its leaf copies. */
const workOfStacks = perStacks((stacks) => {
  const kinds = codesOfFrames(stacks, ({ symbol }) =>
    FAULT.test(symbol) ? IS_FAULT : COPY.test(symbol) ? IS_COPY : 0,
  );
  return foldStacks(stacks, new Uint8Array(stacks.length), OTHER, (caller, frame) => {
    if (caller === IN_FAULT || kinds[frame] === IS_FAULT) return IN_FAULT;
    return kinds[frame] === IS_COPY ? IN_COPY : OTHER;
  });
});

/** The CPU samples of `thread` within `runs`. Rows of cpu_sample. */
export function sampledWork(trace: Trace, thread: number, runs: Runs): SampledWork {
  const { stack } = trace.tables.cpu_sample.columns;
  const { rows, startsNs } = traceIndex(trace).rowsOf('cpu_sample', thread);
  const work = workOfStacks(trace);
  const found = { samples: 0, inFault: [] as number[], inCopy: [] as number[] };
  for (let run = 0; run < runs.startsNs.length; run++) {
    const end = startsNs.lowerBound(runs.endsNs[run]);
    for (let at = startsNs.lowerBound(runs.startsNs[run]); at < end; at++) {
      found.samples++;
      const kind = work[stack?.[rows[at]] ?? -1] ?? OTHER;
      if (kind === IN_FAULT) found.inFault.push(rows[at]);
      if (kind === IN_COPY) found.inCopy.push(rows[at]);
    }
  }
  return found;
}
