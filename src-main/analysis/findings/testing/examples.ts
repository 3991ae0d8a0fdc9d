import { buildFacts, type FactsPlan, MS, SECOND } from './build-facts.ts';
import { fedPlan, KILLABLE, OPEN, WRITE } from './fed-plan.ts';
import {
  askedProgramPlan,
  compilerPlan,
  heldBackWrites,
  hostExamples,
  hostPlan,
  loopDatabasePlan,
  loopLockPlan,
  loopRoomPlan,
  loopServerPlan,
  pollingPlan,
  textPlan,
} from './host-examples.ts';
import { inputExamples, pagedReads, sleepingDataset } from './input-examples.ts';
import {
  allocations,
  copiesInTwoPlaces,
  crowdedTrace,
  FROZEN,
  loopExamples,
  ownProcessTrace,
  socketsTrace,
  stoppedTrace,
  swappingLoop,
  TRACED,
} from './loop-examples.ts';
import { sampled, sampledThreads } from './sampled.ts';

/** For every rule, by its id, facts on which it fires: its fix is executed and documented from them. */
const examples: Readonly<Record<string, FactsPlan>> = {
  ...inputExamples,
  ...loopExamples,
  ...hostExamples,
};

/** Facts on which a rule proposes another fix than on its example: id, and what is otherwise. */
export const otherFixes: readonly (readonly [id: string, changes: FactsPlan])[] = [
  ['disk-bound', { trace: pagedReads() }],
  ['io-limit', heldBackWrites(18, 5 * MS)],
  ['memory-limit', { ...swappingLoop(), workers: [] }],
  ['memory-limit', { ...swappingLoop({}, 'memory.high (MiB)'), workers: [] }],
  [
    'memory-limit',
    { ...swappingLoop({ 'memory limit (MiB)': 500 }, 'memory.high (MiB)'), workers: [] },
  ],
  ['own-process', { trace: ownProcessTrace('pool.py') }],
  ['unpickle', { trace: sampledThreads([{ opening: 40 }, 0], [{ collate: 9 }, 1]) }],
  ['slow-output', textPlan],
  ['checkpoint', hostPlan('checkpoint', { running: 0.8 * SECOND }, { spelling: 40 }, [])],
  ['sleep', pollingPlan(400)],
  ['compiling', compilerPlan(25)],
  ['compiling', compilerPlan(25, 'building')],
  ['compiling', hostPlan('compiling', { running: 0.8 * SECOND }, { compiling: 40 }, [])],
  ['thread-oversubscription', { trace: crowdedTrace({ filling: 40 }) }],
  ['stopped', { trace: stoppedTrace(TRACED) }],
  ['stopped', { trace: stoppedTrace(FROZEN) }],
  ['numa', { trace: socketsTrace(undefined, '2-3') }],
  [
    'numa',
    { siblings: [{ label: 'rank 1', split: buildFacts().split, ns: 1, steps: 1, unprovenNs: 0 }] },
  ],
  ['collective', { trace: sampled({ gathering: 40 }, 0) }],
  ['collective', { trace: sampled({ dispatching: 40 }, 0) }],
  ['host-work', { trace: sampled({ hunting: 40 }, 0) }],
  ['host-work', { trace: sampled({ attending: 40 }, 0) }],
  ['workers-zero', { workers: [{}], trace: sampled({ item: 40, step: 9 }, 0) }],
  ['not-input', { steps: { ...buildFacts().steps, infers: true } }],
  ['shared-lock', loopLockPlan],
  ['shared-lock', loopDatabasePlan],
  ['shared-lock', loopRoomPlan],
  ['slow-getitem', sleepingDataset],
  ['slow-getitem', { trace: sampled({ streamed: 40 }) }],
  ['slow-getitem', { trace: sampled({ madeByItself: 40 }) }],
  [
    'slow-getitem',
    { trace: sampled({ madeByItself: 40 }), steps: { ...buildFacts().steps, infers: true } },
  ],
  [
    'evaluation',
    {
      evaluations: {
        ...{ rows: [0], place: 0 },
        spans: { startsNs: Float64Array.of(0), endsNs: Float64Array.of(SECOND) },
      },
    },
  ],
  ['slow-sampler', { trace: sampledThreads([{ pickingDrawn: 60 }, 0]) }],
  ['slow-sampler', { trace: sampledThreads([{ pickingTorch: 60 }, 0]) }],
  ['slow-server', loopServerPlan],
  ['slow-server', fedPlan()],
  ['slow-server', fedPlan({ syscall: WRITE })],
  ['slow-server', fedPlan({ syscall: OPEN, state: KILLABLE, file: '' })],
  ['subprocess-wait', askedProgramPlan],
  ['vector-collate', { trace: sampled({ tokenized: 40 }) }],
  ['vector-collate', { trace: sampled({ joining: 40 }) }],
  ['allocator', { trace: allocations('cudaHostAlloc') }],
  ['pin-memory', copiesInTwoPlaces(new Map([[1, 90]]))],
];

/** `changes` stand instead of what the example says. */
export function exampleFacts(id: string, changes: FactsPlan = {}) {
  const plan = examples[id];
  if (plan === undefined) throw new Error(`findings/testing/examples.ts has none for ${id}`);
  return buildFacts({ ...plan, ...changes });
}
