import { affinity } from './affinity.ts';
import { allocator } from './allocator.ts';
import { batchTransfers } from './batch-transfers.ts';
import { coldStart } from './cold-start.ts';
import { collective } from './collective.ts';
import { cpuQuota } from './cpu-quota.ts';
import { cpuSteal } from './cpu-steal.ts';
import { directIndexing } from './direct-indexing.ts';
import { diskBound } from './disk-bound.ts';
import { fewerSyncs } from './fewer-syncs.ts';
import { gil } from './gil.ts';
import { gpuAugment } from './gpu-augment.ts';
import { headOfLine } from './head-of-line.ts';
import { inputStraggler } from './input-straggler.ts';
import { lazyInit } from './lazy-init.ts';
import { memoryPressure } from './memory-pressure.ts';
import { moreWorkers } from './more-workers.ts';
import { noisyNeighbour } from './noisy-neighbour.ts';
import { notInput } from './not-input.ts';
import { overlapH2d } from './overlap-h2d.ts';
import { persistentWorkers } from './persistent-workers.ts';
import { pinMemory } from './pin-memory.ts';
import { prefetch } from './prefetch.ts';
import { pretokenize } from './pretokenize.ts';
import type { Rule } from './rule.ts';
import { shm } from './shm.ts';
import { slowGetitem } from './slow-getitem.ts';
import { smallFiles } from './small-files.ts';
import { spawn } from './spawn.ts';
import { threadOversubscription } from './thread-oversubscription.ts';
import { vectorCollate } from './vector-collate.ts';
import { workersToCores } from './workers-to-cores.ts';
import { workersZero } from './workers-zero.ts';

/**
 * All rules, the most specific first: a cost cell that two findings claim belongs to the first.
 * So what took the CPU away stands before "too many workers", one kind of reading before disks in
 * general, each kind of work before work in general, and what a batch is made of before who makes
 * it. Each has a row in docs/findings.md.
 */
export const rules: readonly Rule[] = [
  cpuQuota,
  cpuSteal,
  affinity,
  noisyNeighbour,
  memoryPressure,
  shm,
  threadOversubscription,
  gil,
  workersToCores,
  spawn,
  persistentWorkers,
  lazyInit,
  coldStart,
  headOfLine,
  smallFiles,
  diskBound,
  pretokenize,
  gpuAugment,
  vectorCollate,
  directIndexing,
  slowGetitem,
  workersZero,
  moreWorkers,
  prefetch,
  collective,
  inputStraggler,
  allocator,
  pinMemory,
  batchTransfers,
  overlapH2d,
  fewerSyncs,
  notInput,
];
