import type { Spans } from '../index/spans.ts';
import type { ProductionCycles } from './production-cycles.ts';

/**
 * When a worker had made every batch it had been asked for, and was asked for another later: all it
 * had made lay in the queue of results. What follows its last batch is left out: it may be the end.
 */
export function idleSpans({ freeNs, startsNs, count }: ProductionCycles): Spans {
  const idle = Array.from({ length: count }, (_, cycle) => cycle).filter(
    (cycle) => cycle > 0 && startsNs[cycle] > freeNs[cycle],
  );
  return {
    startsNs: Float64Array.from(idle, (cycle) => freeNs[cycle]),
    endsNs: Float64Array.from(idle, (cycle) => startsNs[cycle]),
  };
}
