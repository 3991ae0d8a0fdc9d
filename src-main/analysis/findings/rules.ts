import type { Rule } from './rule.ts';
import { workersToCores } from './workers-to-cores.ts';

/**
 * All rules, the most specific first: a cost cell that two findings claim belongs to the first.
 * So what took the CPU away stands before "too many workers", one kind of reading before disks in
 * general, and each kind of work before work in general. Each has a row in docs/findings.md.
 *
 * cpu-quota, cpu-steal, affinity, noisy-neighbour, memory-pressure, shm, thread-oversubscription,
 * gil, workers-to-cores, workers-zero, spawn, persistent-workers, lazy-init, cold-start,
 * head-of-line, small-files, disk-bound, pretokenize, gpu-augment, vector-collate, direct-indexing,
 * slow-getitem, more-workers, prefetch, collective, input-straggler, allocator, pin-memory,
 * batch-transfers, overlap-h2d, fewer-syncs, not-input
 */
export const rules: readonly Rule[] = [workersToCores];
