import { NONE } from '../../../shared/model/schema.ts';
import { codesOfFrames, foldStacks } from '../../../shared/model/stacks.ts';
import type { HostWork } from '../../host/host-parts.ts';
import { perStacks } from '../../index/per-trace.ts';
import type { RankFacts } from './facts.ts';

/** Who asked for the compiling: torch.compile or Triton, PyTorch's builder of extensions, or the job's own code. */
export type BuildKind = 'graph' | 'extension' | 'own';

const GRAPH = /\/(torch\/_(dynamo|inductor|functorch)|triton)\//;
const EXTENSION = /\/torch\/utils\/cpp_extension\.py$/;

const [OF_GRAPH, OF_EXTENSION] = [1, 2];

/** 1 = below torch.compile or Triton, 2 = below the builder of extensions, which torch.compile does not use. */
const askers = perStacks((stacks) => {
  const codes = codesOfFrames(stacks, ({ file = '' }) =>
    EXTENSION.test(file) ? OF_EXTENSION : GRAPH.test(file) ? OF_GRAPH : 0,
  );
  return foldStacks(stacks, new Uint8Array(stacks.length), 0, (caller, frame) =>
    Math.max(caller, codes[frame]),
  );
});

/** By the stacks of most of the time that has one which tells. */
export function buildKindOf(
  { trace, host: { evidence: seen } }: RankFacts,
  works: readonly HostWork[],
): BuildKind {
  const { cpu_sample: samples, off_cpu: waits } = trace.tables;
  const asked = askers(trace);
  const ns = [0, 0, 0];
  for (const at of works.flatMap((work) => work.at)) {
    const { stack } = seen.isSample[at] === 1 ? samples.columns : waits.columns;
    ns[asked[stack?.[seen.row[at]] ?? NONE] ?? 0] += seen.ns[at];
  }
  if (ns[OF_GRAPH] === 0 && ns[OF_EXTENSION] === 0) return 'own';
  return ns[OF_GRAPH] >= ns[OF_EXTENSION] ? 'graph' : 'extension';
}
