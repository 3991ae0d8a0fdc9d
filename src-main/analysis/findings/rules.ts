import { coldStart } from './cold-start.ts';
import { directIndexing } from './direct-indexing.ts';
import { diskBound } from './disk-bound.ts';
import { gpuAugment } from './gpu-augment.ts';
import { headOfLine } from './head-of-line.ts';
import { lazyInit } from './lazy-init.ts';
import { moreWorkers } from './more-workers.ts';
import { persistentWorkers } from './persistent-workers.ts';
import { prefetch } from './prefetch.ts';
import { pretokenize } from './pretokenize.ts';
import type { Rule } from './rule.ts';
import { slowGetitem } from './slow-getitem.ts';
import { smallFiles } from './small-files.ts';
import { spawn } from './spawn.ts';
import { vectorCollate } from './vector-collate.ts';
import { workersToCores } from './workers-to-cores.ts';
import { workersZero } from './workers-zero.ts';

/**
 * All rules, the most specific first: a cost cell that two findings claim belongs to the first.
 * So what took the CPU away stands before "too many workers", one kind of reading before disks in
 * general, each kind of work before work in general, and what a batch is made of before who makes
 * it. Each has a row in docs/findings.md.
 *
 * cpu-quota, cpu-steal, affinity, noisy-neighbour, memory-pressure, shm, thread-oversubscription,
 * gil, workers-to-cores, spawn, persistent-workers, lazy-init, cold-start, head-of-line,
 * small-files, disk-bound, pretokenize, gpu-augment, vector-collate, direct-indexing, slow-getitem,
 * workers-zero, more-workers, prefetch, collective, input-straggler, allocator, pin-memory,
 * batch-transfers, overlap-h2d, fewer-syncs, not-input
 */
export const rules: readonly Rule[] = [
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
];
