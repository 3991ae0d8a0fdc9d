import type { RunDifference } from '../shared/answers/comparison.ts';
import type { RunEnvironment } from '../shared/answers/run-summary.ts';
import { formatBytes, formatCount, formatShare } from '../shared/text/units.ts';

type Kind = RunDifference['kind'];

interface Fact {
  readonly what: string;
  readonly kind: Kind;
  readonly fixes?: readonly string[];
  /** As it is told; undefined = not known: then nobody knows whether it differs. */
  readonly told: (run: RunEnvironment) => string | undefined;
}

const count = (value: number | undefined) => (value === undefined ? undefined : formatCount(value));
const list = (words: readonly string[]) => (words.length === 0 ? undefined : words.join(', '));

const facts: readonly Fact[] = [
  { what: 'GPUs', kind: 'prevents', told: ({ gpus }) => list(gpus) },
  {
    what: 'Ranks',
    kind: 'prevents',
    told: ({ ranks }) => (ranks === 0 ? undefined : count(ranks)),
  },
  { what: 'Batch size', kind: 'prevents', told: ({ batchSize }) => count(batchSize) },
  {
    what: 'Made by',
    kind: 'prevents',
    told: ({ madeBy }) => (madeBy === 'capture' ? 'a capture of a real machine' : madeBy),
  },
  { what: 'GPU driver', kind: 'explains', told: ({ drivers }) => list(drivers) },
  { what: 'CUDA', kind: 'explains', told: ({ cudaVersion }) => cudaVersion },
  { what: 'Python', kind: 'explains', told: ({ pythonVersion }) => pythonVersion },
  { what: 'CPU model', kind: 'explains', told: ({ cpuModel }) => cpuModel },
  { what: 'CPUs', kind: 'explains', told: ({ cpus }) => count(cpus) },
  {
    what: 'CPUs it may run on',
    kind: 'explains',
    fixes: ['affinity'],
    told: ({ allowedCpus }) => count(allowedCpus),
  },
  {
    what: 'CPU quota',
    kind: 'explains',
    fixes: ['cpu-quota'],
    told: ({ cpuQuota, allowedCpus }) =>
      // Where a recorder read the limits and names no quota, there was none.
      cpuQuota !== undefined ? `${cpuQuota} CPUs` : allowedCpus === undefined ? undefined : 'none',
  },
  {
    what: 'Memory',
    kind: 'explains',
    told: ({ memoryBytes }) => (memoryBytes === undefined ? undefined : formatBytes(memoryBytes)),
  },
  { what: 'Kernel', kind: 'explains', told: ({ kernel }) => kernel },
  { what: 'Recorder', kind: 'explains', told: ({ recorder }) => recorder },
  { what: 'DataLoader workers', kind: 'setting', told: ({ workers }) => count(workers) },
  { what: 'Command', kind: 'setting', told: ({ command }) => command },
];

/** A step that copies so many times as much is of another batch, where no batch size is known. Our own choice. */
const OTHER_BATCH = 1.1;
/** Others on the CPUs, or a quota that holds it back, count from this share on, and where the other run has a third of it at most. */
const NOTABLE_SHARE = 0.01;
const FAR_LESS = 3;

/** What is not the same in two runs, what prevents a comparison first. */
export function runDifferences(first: RunEnvironment, second: RunEnvironment): RunDifference[] {
  const found: RunDifference[] = [];
  for (const { what, kind, fixes = [], told } of facts) {
    const [one, other] = [told(first), told(second)];
    if (one !== undefined && other !== undefined && one !== other)
      found.push({ what, kind, fixes, first: one, second: other });
  }
  return [
    ...found,
    ...copiedBytes(first, second),
    ...inOneOnly(
      'Other processes on its CPUs',
      ['noisy-neighbour', 'priority'],
      [first.othersShare, second.othersShare],
    ),
    ...inOneOnly(
      'Held back by a CPU quota',
      ['cpu-quota'],
      [first.throttledShare, second.throttledShare],
    ),
    ...pinning(first, second),
  ].sort((one, other) => order.indexOf(one.kind) - order.indexOf(other.kind));
}

const order: readonly Kind[] = ['prevents', 'explains', 'setting'];

function copiedBytes(first: RunEnvironment, second: RunEnvironment): RunDifference[] {
  const [one, other] = [first.h2dBytesPerStep, second.h2dBytesPerStep];
  if (!one || !other) return [];
  const times = Math.max(one / other, other / one);
  if (times < OTHER_BATCH) return [];
  // Of batches of one size it is their form that changed.
  const isSameBatch = first.batchSize !== undefined && first.batchSize === second.batchSize;
  return [
    {
      what: 'Bytes a step copies to the GPU',
      kind: isSameBatch ? 'explains' : 'prevents',
      fixes: [],
      first: formatBytes(one),
      second: formatBytes(other),
    },
  ];
}

function inOneOnly(
  what: string,
  fixes: readonly string[],
  [one, other]: readonly [number | undefined, number | undefined],
): RunDifference[] {
  if (one === undefined || other === undefined) return [];
  const [more, less] = [Math.max(one, other), Math.min(one, other)];
  if (more < NOTABLE_SHARE || less * FAR_LESS > more) return [];
  const told = (share: number) => `${formatShare(share, 1)} of the time`;
  return [{ what, kind: 'explains', fixes, first: told(one), second: told(other) }];
}

function pinning(first: RunEnvironment, second: RunEnvironment): RunDifference[] {
  const [one, other] = [first.pinnedShare, second.pinnedShare];
  if (one === undefined || other === undefined || Math.abs(one - other) < 0.5) return [];
  const told = (share: number) => `${formatShare(share, 1)} of the bytes`;
  return [
    {
      what: 'Copied from pinned memory',
      kind: 'setting',
      fixes: [],
      first: told(one),
      second: told(other),
    },
  ];
}
