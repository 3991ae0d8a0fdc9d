import type { Rule } from './rule.ts';
import { affinity } from './rules/affinity.ts';
import { allocator } from './rules/allocator.ts';
import { batchTransfers } from './rules/batch-transfers.ts';
import { checkpoint } from './rules/checkpoint.ts';
import { coldStart } from './rules/cold-start.ts';
import { collective } from './rules/collective.ts';
import { compiling } from './rules/compiling.ts';
import { cpuQuota } from './rules/cpu-quota.ts';
import { cpuSteal } from './rules/cpu-steal.ts';
import { cpuWait } from './rules/cpu-wait.ts';
import { directIndexing } from './rules/direct-indexing.ts';
import { diskBound } from './rules/disk-bound.ts';
import { evaluation } from './rules/evaluation.ts';
import { fewerSyncs } from './rules/fewer-syncs.ts';
import { garbageCollection } from './rules/garbage-collection.ts';
import { gil } from './rules/gil.ts';
import { gpuAugment } from './rules/gpu-augment.ts';
import { headOfLine } from './rules/head-of-line.ts';
import { hostDataMovement } from './rules/host-data-movement.ts';
import { hostMetrics } from './rules/host-metrics.ts';
import { hostWork, moreHostWork } from './rules/host-work.ts';
import { idleWorkers } from './rules/idle-workers.ts';
import { inputStraggler } from './rules/input-straggler.ts';
import { ioLimit } from './rules/io-limit.ts';
import { lateRank } from './rules/late-rank.ts';
import { launchBound } from './rules/launch-bound.ts';
import { lazyInit } from './rules/lazy-init.ts';
import { memoryLimit } from './rules/memory-limit.ts';
import { memoryPressure } from './rules/memory-pressure.ts';
import { moreWorkers } from './rules/more-workers.ts';
import { noisyNeighbour } from './rules/noisy-neighbour.ts';
import { notInput } from './rules/not-input.ts';
import { numa } from './rules/numa.ts';
import { overlapH2d } from './rules/overlap-h2d.ts';
import { ownProcess } from './rules/own-process.ts';
import { packing } from './rules/packing.ts';
import { persistentWorkers } from './rules/persistent-workers.ts';
import { pinMemory } from './rules/pin-memory.ts';
import { prefetch } from './rules/prefetch.ts';
import { pretokenize } from './rules/pretokenize.ts';
import { producer } from './rules/producer.ts';
import { sharedLock } from './rules/shared-lock.ts';
import { shm } from './rules/shm.ts';
import { sleep } from './rules/sleep.ts';
import { slowGetitem } from './rules/slow-getitem.ts';
import { slowOutput } from './rules/slow-output.ts';
import { slowSampler } from './rules/slow-sampler.ts';
import { slowServer } from './rules/slow-server.ts';
import { smallFiles } from './rules/small-files.ts';
import { spawn } from './rules/spawn.ts';
import { stopped } from './rules/stopped.ts';
import { subprocessWait } from './rules/subprocess-wait.ts';
import { threadLock } from './rules/thread-lock.ts';
import { threadOversubscription } from './rules/thread-oversubscription.ts';
import { unpickle } from './rules/unpickle.ts';
import { vectorCollate } from './rules/vector-collate.ts';
import { workersToCores } from './rules/workers-to-cores.ts';
import { workersZero } from './rules/workers-zero.ts';

/**
 * All rules, the most specific first: a cost cell that two findings claim belongs to the first.
 * So a limit stands before the waits that follow from it, what took the CPU away before "too many workers", one kind of reading before disks in
 * general, each kind of work before work in general, and what a batch is made of before who makes
 * it. Which rank is slow stands before why, and too few workers, or idle ones, before slow code: these share the time with what comes after
 * them (`claimShare`). Each has a row in docs/findings.md.
 */
export const rules: readonly Rule[] = [
  inputStraggler,
  stopped,
  cpuQuota,
  cpuSteal,
  affinity,
  noisyNeighbour,
  cpuWait,
  memoryLimit,
  memoryPressure,
  shm,
  ownProcess,
  threadOversubscription,
  gil,
  workersToCores,
  spawn,
  persistentWorkers,
  lazyInit,
  coldStart,
  sharedLock,
  idleWorkers,
  headOfLine,
  ioLimit,
  smallFiles,
  diskBound,
  slowServer,
  slowSampler,
  unpickle,
  moreWorkers,
  pretokenize,
  gpuAugment,
  vectorCollate,
  directIndexing,
  slowGetitem,
  workersZero,
  prefetch,
  garbageCollection,
  compiling,
  checkpoint,
  packing,
  slowOutput,
  subprocessWait,
  evaluation,
  batchTransfers,
  hostMetrics,
  hostDataMovement,
  producer,
  threadLock,
  sleep,
  lateRank,
  collective,
  allocator,
  pinMemory,
  overlapH2d,
  numa,
  fewerSyncs,
  launchBound,
  hostWork,
  moreHostWork,
  notInput,
];
