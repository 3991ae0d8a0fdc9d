import { formatBytes, formatCount, formatShare } from '../text/units.ts';
import { saysTheSame } from './command-outputs.ts';
import type { RunDifference } from './comparison.ts';
import type { RunEnvironment } from './run-environment.ts';

type Kind = RunDifference['kind'];
type Fixes = RunDifference['fixes'];

interface Fact {
  readonly what: string;
  /** `changed`: ids of findings that one run has and the other has not, or at a far smaller cost. */
  readonly kind:
    | Kind
    | ((first: RunEnvironment, second: RunEnvironment, changed: ReadonlySet<string>) => Kind);
  readonly fixes?: Fixes | ((first: RunEnvironment, second: RunEnvironment) => Fixes);
  /** As it is told, beside the other run where there is one; undefined = not known: then nobody knows whether it differs. */
  readonly told: (run: RunEnvironment, other?: RunEnvironment) => string | undefined;
  /** Whether what is told in other words differs too little to be a difference. */
  readonly isAlike?: (first: RunEnvironment, second: RunEnvironment) => boolean;
  /** Of the kind `check`: what to make sure of, a sentence. */
  readonly check?: (first: RunEnvironment, second: RunEnvironment) => string;
}

/** A step that copies so many times as much copies something else than before. Our own choice. */
const OTHER_BYTES = 1.1;
/**
 * A step that copies more times as much is of another batch, where no batch size is known. Up to 4 a fix explains it:
 * one byte for four, as of pixels sent as uint8 instead of float32, or float16 for float64; shorter padding; targets
 * made before or on the GPU. The rest is what is copied beside them.
 */
const OTHER_BATCH = 4 * OTHER_BYTES;
/** Others on the CPUs, or a quota that holds it back, count from this share on, and where the other run has a third of it at most. */
const NOTABLE_SHARE = 0.01;
const FAR_LESS = 3;
/** Where less of the bytes comes from other memory, the copies are as they were. Our own choice. */
const OTHER_MEMORY = 0.5;

/** Findings whose fix is another number of workers, or pinned memory. */
const workerFixes: Fixes = ['workers-zero', 'more-workers', 'workers-to-cores'];
const pinFixes: Fixes = ['pin-memory', 'overlap-h2d'];
/** Whose fix is to make what is copied in another way, or on the GPU from less. */
const makerFixes: Fixes = [
  ...['vector-collate', 'gpu-augment', 'slow-getitem', 'unpickle', 'host-data-movement'],
];

/** `--workers 4`, `--num_workers=4`, `-j 4`; `--pin-memory`, `--pin_memory=True`. */
const WORKERS_OPTION = /(?<=^|\s)(?:-j|--?(?:[a-z]+[-_])*workers)[ =]?\d{1,9}(?=\s|$)/gi;
const PIN_OPTION = /(?<=^|\s)--?(?:no[-_])?pin[-_]mem(?:ory)?(?:[ =](?:true|false|0|1))?(?=\s|$)/gi;

/** `/jobs/train.py`, `-m jobs.train`, whichever comes first. */
const PROGRAM = /(?:^|[\s/])(?:([^\s/]+\.py)|-m ([\w.]+))(?=\s|$)/;

const count = (value: number | undefined) => (value === undefined ? undefined : formatCount(value));
const list = (words: readonly string[]) => (words.length === 0 ? undefined : words.join(', '));
/** `4 × Tesla V100`; once where there is one. */
const counted = (words: readonly string[]) =>
  [...new Set(words)].map((word) => {
    const times = words.filter((each) => each === word).length;
    return times === 1 ? word : `${times} × ${word}`;
  });
const bytes = (value: number | undefined) => (value ? formatBytes(value) : undefined);
const share = (value: number | undefined, of: string) =>
  value === undefined ? undefined : `${formatShare(value, 1)} of the ${of}`;

const BATCH_SIZE = 'Batch size';
const COPIED_BYTES = 'Bytes a step copies to the GPU';

const facts: readonly Fact[] = [
  { what: 'GPUs', kind: 'prevents', told: ({ gpus }) => list(counted(gpus)) },
  {
    what: 'Ranks',
    kind: 'prevents',
    told: ({ ranks }) => (ranks === 0 ? undefined : count(ranks)),
  },
  { what: BATCH_SIZE, kind: 'prevents', told: ({ batchSize }) => count(batchSize) },
  {
    what: 'Made by',
    kind: 'prevents',
    told: ({ madeBy }) => (madeBy === 'capture' ? 'a capture of a real machine' : madeBy),
  },
  { what: 'GPU driver', kind: 'explains', told: ({ drivers }) => list(drivers) },
  { what: 'CUDA', kind: 'explains', told: ({ cudaVersion }) => cudaVersion },
  { what: 'Python', kind: 'explains', told: ({ pythonVersion }) => pythonVersion },
  { what: 'PyTorch', kind: 'explains', told: ({ packages }) => packages?.torch },
  { what: 'Other Python packages', kind: 'explains', told: otherPackages },
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
  { what: 'Memory', kind: 'explains', told: ({ memoryBytes }) => bytes(memoryBytes) },
  { what: 'Kernel', kind: 'explains', told: ({ kernel }) => kernel },
  { what: 'Recorder', kind: 'explains', told: ({ recorder }) => recorder },
  {
    what: 'DataLoader workers',
    kind: 'setting',
    fixes: workerFixes,
    told: workersText,
    isAlike: mayHaveSameWorkers,
  },
  {
    what: 'Command',
    // A script is often copied to mend it, so another name alone is no other job.
    kind: commandKind,
    fixes: commandFixes,
    told: ({ command }) => command,
    check: ({ command: was = '' }, { command: is = '' }) =>
      `Check that both runs are of one job: the first is of ${programOf(was)}, the second of ${programOf(is)}.`,
  },
  {
    what: COPIED_BYTES,
    kind: (first, second, changed) =>
      bytesFactor(first, second) <= OTHER_BATCH ||
      // Of batches of one size it is their form that changed, however much.
      hasSameBatch(first, second) ||
      // A mask that is made on the GPU, from lengths, takes a thousandth of its bytes.
      makerFixes.some((id) => changed.has(id))
        ? 'check'
        : 'prevents',
    fixes: makerFixes,
    told: ({ h2dBytesPerStep }) => bytes(h2dBytesPerStep),
    isAlike: (first, second) => bytesFactor(first, second) < OTHER_BYTES,
    check: ({ h2dBytesPerStep: was = 0 }, { h2dBytesPerStep: is = 0 }) =>
      `Check that both runs train on the same: each step of the second copies ${formatShare(Math.abs(is - was), was)} ${is < was ? 'fewer' : 'more'} bytes to the GPU.`,
  },
  {
    what: 'Other processes on its CPUs',
    kind: 'explains',
    fixes: ['noisy-neighbour', 'priority'],
    told: ({ othersShare }) => share(othersShare, 'time'),
    isAlike: ({ othersShare: one }, { othersShare: other }) => !isInOneOnly(one, other),
  },
  {
    what: 'Held back by a CPU quota',
    kind: 'explains',
    fixes: ['cpu-quota'],
    told: ({ throttledShare }) => share(throttledShare, 'time'),
    isAlike: ({ throttledShare: one }, { throttledShare: other }) => !isInOneOnly(one, other),
  },
  {
    what: 'Copied from pinned memory',
    kind: 'setting',
    fixes: pinFixes,
    told: ({ pinnedShare }) => share(pinnedShare, 'bytes'),
    isAlike: ({ pinnedShare: one = 0 }, { pinnedShare: other = 0 }) =>
      Math.abs(one - other) < OTHER_MEMORY,
  },
];

const order: readonly Kind[] = ['prevents', 'check', 'explains', 'setting', 'output'];

/**
 * What is not the same in two runs, what prevents a comparison first. `changed`: ids of findings that one of them has
 * and the other has not, or at a far smaller cost.
 */
export function runDifferences(
  first: RunEnvironment,
  second: RunEnvironment,
  changed: ReadonlySet<string> = new Set(),
): RunDifference[] {
  const found: RunDifference[] = [];
  for (const { what, kind, fixes = [], told, isAlike, check } of facts) {
    const [one, other] = [told(first, second), told(second, first)];
    if (one === undefined || other === undefined || one === other) continue;
    if (isAlike?.(first, second) === true) continue;
    const itsKind = typeof kind === 'string' ? kind : kind(first, second, changed);
    const itsFixes = typeof fixes === 'function' ? fixes(first, second) : fixes;
    const toCheck = itsKind === 'check' ? check?.(first, second) : undefined;
    found.push({
      ...{ what, kind: itsKind, fixes: itsFixes, first: one, second: other },
      ...(toCheck !== undefined && { check: toCheck }),
    });
  }
  return found.sort((one, other) => order.indexOf(one.kind) - order.indexOf(other.kind));
}

/** A fact that only one of two runs tells, or none. */
interface OpenFact {
  readonly what: string;
  readonly first?: string;
  readonly second?: string;
}

/** What may differ without anybody knowing, since a run does not tell it; with what the other one tells. */
export function notCompared(first: RunEnvironment, second: RunEnvironment): readonly OpenFact[] {
  const all = facts.map(({ what, told }) => ({ what, one: told(first), other: told(second) }));
  const isOpen = (each: (typeof all)[number]) => each.one === undefined || each.other === undefined;
  // The bytes that a step copies stand for its batch.
  const isBatchTold = all.some((each) => each.what === COPIED_BYTES && !isOpen(each));
  return all
    .filter((each) => isOpen(each) && !(isBatchTold && each.what === BATCH_SIZE))
    .map(({ what, one, other }) => ({
      what,
      ...(one !== undefined && { first: one }),
      ...(other !== undefined && { second: other }),
    }));
}

/** How `what` was in a run, by the name that differences have; undefined = not known. */
export function settingOf(run: RunEnvironment, what: string): string | undefined {
  return facts.find((fact) => fact.what === what)?.told(run);
}

/** The script or module of a command line: `train.py`; undefined = not known. */
function programOf(command: string): string | undefined {
  const [, script, module] = PROGRAM.exec(command) ?? [];
  return script ?? module;
}

function isOtherProgram(
  { command: one = '' }: RunEnvironment,
  { command: other = '' }: RunEnvironment,
): boolean {
  const [was, is] = [programOf(one), programOf(other)];
  return was !== undefined && is !== undefined && was !== is;
}

function commandKind(first: RunEnvironment, second: RunEnvironment): Kind {
  if (isOtherProgram(first, second)) return 'check';
  return saysTheSame(first.command ?? '', second.command ?? '') ? 'output' : 'setting';
}

/** How many times as much the steps of one run copy to the GPU. */
function bytesFactor(
  { h2dBytesPerStep: one = 0 }: RunEnvironment,
  { h2dBytesPerStep: other = 0 }: RunEnvironment,
): number {
  return Math.max(one / other, other / one);
}

function hasSameBatch(first: RunEnvironment, second: RunEnvironment): boolean {
  return first.batchSize !== undefined && first.batchSize === second.batchSize;
}

/** So many are listed. */
const MOST_PACKAGES = 8;

/** Those of another version than the other run has, or all. Of two runs both texts name the same packages. */
function otherPackages({ packages }: RunEnvironment, other?: RunEnvironment): string | undefined {
  if (packages === undefined) return undefined;
  const others = other === undefined ? {} : (other.packages ?? packages);
  const names = [...new Set([...Object.keys(packages), ...Object.keys(others)])];
  const differing = names
    .filter((name) => name !== 'torch' && packages[name] !== others[name])
    .sort()
    .map((name) => `${name} ${packages[name] ?? 'none'}`);
  const more = differing.length - MOST_PACKAGES;
  const shown = differing.slice(0, MOST_PACKAGES).join(', ');
  return more > 0 ? `${shown} and ${more} more` : shown;
}

/** A command line that says no more than another number of workers, or pinned memory, is no other setting. */
function commandFixes(
  { command: first = '' }: RunEnvironment,
  { command: second = '' }: RunEnvironment,
): Fixes {
  const without = (option: RegExp) =>
    saysTheSame(first.replace(option, ''), second.replace(option, ''));
  if (without(WORKERS_OPTION)) return workerFixes;
  return without(PIN_OPTION) ? pinFixes : [];
}

function workersText({ workers, someWorkers }: RunEnvironment): string | undefined {
  return workers === undefined && someWorkers ? '1 or more' : count(workers);
}

function mayHaveSameWorkers(first: RunEnvironment, second: RunEnvironment): boolean {
  const isOpen = first.workers === undefined || second.workers === undefined;
  return isOpen && first.workers !== 0 && second.workers !== 0;
}

function isInOneOnly(one = 0, other = 0): boolean {
  const [more, less] = [Math.max(one, other), Math.min(one, other)];
  return more >= NOTABLE_SHARE && less * FAR_LESS <= more;
}
