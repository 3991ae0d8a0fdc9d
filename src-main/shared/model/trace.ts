import type { Columns } from './columns.ts';
import type { TableName } from './schema.ts';
import type { Stacks } from './stacks.ts';

export const provenanceKinds = [
  'exact',
  'partial',
  'sampled',
  'aggregated',
  'inferred',
  'absent',
] as const;

/**
 * How far a table or column can be trusted.
 * `exact`: every event in the recorded range. `partial`: single events are exact, but not all were
 * kept. `sampled`/`aggregated`: one value per `everyNs`. `inferred`: worked out by Stalltrace.
 * `absent`: the source does not record it, for the reason in `note`.
 */
export interface Provenance {
  readonly kind: (typeof provenanceKinds)[number];
  readonly everyNs?: number;
  /** What a reader must know of it; may be empty. */
  readonly note: string;
}

export interface Table<T extends TableName> {
  readonly rows: number;
  readonly columns: Columns<T>;
  readonly provenance: Provenance;
  /** Provenance of single columns where it differs from the table's. */
  readonly columnProvenance: Readonly<Record<string, Provenance>>;
  /** The source and operation its rows carry in the source's own words, where the table has no `op` column. */
  readonly recordedAs: { readonly source: string; readonly op: string };
}

export type Tables = { readonly [T in TableName]: Table<T> };

/** A machine that was recorded, as far as the source says. */
export interface Host {
  readonly hostname?: string;
  readonly os?: string;
  readonly kernel?: string;
  readonly cpuModel?: string;
  readonly cpuCount?: number;
  readonly memoryBytes?: number;
  readonly cudaVersion?: string;
  readonly pythonVersion?: string;
}

/** Something that a host has. */
export interface OnHost {
  /** Index into hosts; absent = the first. */
  readonly host?: number;
}

/** One moment on several clocks of a host; ns that may exceed 2^53. */
export interface ClockReading {
  readonly startNs: number;
  readonly monotonicNs?: bigint;
  readonly bootNs?: bigint;
  readonly rawNs?: bigint;
  /** Unix time. */
  readonly realNs?: bigint;
}

/** How the time of a host leads to that of the trace. */
export interface Clock extends OnHost {
  /** What was added to the times that the host's recorder wrote. */
  readonly offsetNs: number;
  /** The offset is right to ± this; absent where that is not known. */
  readonly uncertaintyNs?: number;
  readonly readings: readonly ClockReading[];
}

export interface Cpu extends OnHost {
  /** By which rows name it. A CPU that no list has is the CPU of this number on the only host. */
  readonly id: number;
  readonly number: number;
  /** Two CPUs of a host and package with the same one share it. */
  readonly core?: number;
  readonly package?: number;
  readonly numaNode?: number;
}

export interface Gpu extends OnHost {
  readonly model: string;
  readonly uuid?: string;
  readonly memoryBytes?: number;
  readonly driver?: string;
  readonly pciBusId?: string;
  readonly numaNode?: number;
}

/** What a scheduler or launcher started as one; its processes may be on several hosts. Merges keep it; no recorder names one yet. */
export interface Job {
  readonly name: string;
}

/** What a process set up on a GPU. */
export interface GpuContext {
  /** Index into processes, -1 = not known. */
  readonly process: number;
  /** Index into gpus, -1 = not known. */
  readonly gpu: number;
}

export interface Stream {
  readonly name: string;
  /** Index into contexts, -1 = not known. */
  readonly context: number;
}

/** In the order in which lists show them. */
export const roles = [
  'main',
  'inference',
  'server',
  'gpu-process',
  'dataloader-worker',
  'pin-memory',
  'queue-feeder',
  'resource-sharer',
  'autograd',
  'nccl',
  'cuda-driver',
  'watchdog',
  'launcher',
  'compiler',
  'kernel',
  'other',
] as const;
export type Role = (typeof roles)[number];

/**
 * Whether a process of this role gives the GPU its work: one that trains, that runs its model over batches,
 * that serves, or one of which it is not known what it does.
 */
export function drivesGpu(role: Role): boolean {
  return ['main', 'inference', 'server', 'gpu-process'].includes(role);
}

/** Whether a process of this role goes through batches: to train on them, or to run its model over them. */
export function hasBatches(role: Role | undefined): boolean {
  return role === 'main' || role === 'inference';
}

export interface ProcessInfo extends OnHost {
  /** In the host's namespace, unless `namespaced`. */
  readonly pid: number;
  /** Only the number inside its container is known: that is what `pid` says. */
  readonly namespaced?: true;
  /** The number inside its container, where both are known and differ. */
  readonly namespacePid?: number;
  readonly name: string;
  readonly commandLine?: string;
  /** Index into processes, -1 = not known. */
  readonly parent: number;
  readonly role: Role;
  /** Why this role, in a few words: a role is a guess unless the source says it. */
  readonly roleBasis: string;
  /** The user said the role. */
  readonly roleSet?: true;
  /** When it was forked, where that was recorded. */
  readonly startNs?: number;
  readonly endNs?: number;
  /** Control group path. */
  readonly cgroup?: string;
  /** CPUs it may run on, as in /proc: `0-3,8`. */
  readonly cpusAllowed?: string;
  /** CPUs that its control group leaves it, likewise: it can’t widen `cpusAllowed` beyond them by itself. */
  readonly groupCpus?: string;
  /** Where its pinned host memory lies, as last read, bytes at least by NUMA node: `N0=1048576 N1=4096`. */
  readonly pinnedNodes?: string;
  /** CPU quota of its control group, in CPUs. */
  readonly cpuQuota?: number;
  /** Index into jobs, where the source names any. */
  readonly job?: number;
  /** `RANK`, `LOCAL_RANK`, `WORLD_SIZE` of a distributed job. */
  readonly rank?: number;
  readonly localRank?: number;
  readonly worldSize?: number;
}

/** sched(7); `ext`: what a BPF scheduler decides. */
export const schedulingPolicies = [
  'other',
  'fifo',
  'rr',
  'batch',
  'idle',
  'deadline',
  'ext',
] as const;
export type SchedulingPolicy = (typeof schedulingPolicies)[number];

export interface ThreadInfo {
  /** In the host's namespace, unless `namespaced`. */
  readonly tid: number;
  /** Only the number inside its container is known: that is what `tid` says. */
  readonly namespaced?: true;
  /** The number inside its container, where both are known and differ. */
  readonly namespaceTid?: number;
  /** Index into processes. */
  readonly process: number;
  readonly name: string;
  readonly role: Role;
  /** Why this role, where it is not that of the process. */
  readonly roleBasis?: string;
  readonly startNs?: number;
  readonly endNs?: number;
  /** How the kernel chooses when it runs, as last seen; absent = not known. */
  readonly policy?: SchedulingPolicy;
  /** Of `fifo` and `rr`: 1 to 99, the higher goes first. */
  readonly priority?: number;
  /** -20 to 19: the lower has more of a CPU. Without effect where the policy is a real-time one. */
  readonly nice?: number;
}

/** Something the reader of this trace must know before trusting it. */
export interface Notice {
  readonly level: 'info' | 'warning';
  readonly text: string;
  /** Said of a file that lacks its end, where it was just read: it is cut off, or pages of its log are lost. */
  readonly loss?: 'cut' | 'log';
}

/** A source the recorder wanted to use on that machine, and whether it could. */
export interface Capability {
  readonly name: string;
  readonly available: boolean;
  /** How, or why not, in one sentence; may be empty. */
  readonly detail: string;
}

/** A causal chain the recording tool found by itself, occurrences folded: shown, never adopted. */
export interface SourceFinding {
  readonly foundBy: string;
  /** The machine it speaks of, where the file names one: chains of two machines are never folded. */
  readonly node?: string;
  /** What it says is slow: the operations of all occurrences. */
  readonly ops: readonly string[];
  readonly causes: readonly string[];
  /** As the tool writes it: mostly HIGH, MEDIUM or LOW. */
  readonly severity: string;
  /** The source's words for its most severe occurrence; of several the one with the worst ratio. */
  readonly summary: string;
  readonly explanation: string;
  readonly recommendations: readonly string[];
  readonly occurrences: readonly SourceFindingOccurrence[];
}

export interface SourceFindingOccurrence {
  readonly op: string;
  readonly detectedNs: number;
  readonly severity: string;
  readonly p50Us: number;
  readonly p99Us: number;
  /** How many times its median the operation took, as the tool says; absent where it says nothing. */
  readonly ratio?: number;
  readonly detail: string;
}

export interface TraceMeta {
  /** `Ingero`, `Stalltrace`. */
  readonly format: string;
  /** The file's own words for its version. */
  readonly version: string;
  /** What wrote it, with its version, where the file says so. */
  readonly recorder?: string;
  /** The other format that it was written in first, with its version: what is in it follows that one's rules. */
  readonly convertedFrom?: string;
  /** Unix time in ns of the trace's begin. */
  readonly beginUnixNs: bigint;
  /** From begin to the last recorded moment, ns. */
  readonly lengthNs: number;
  /** Made by a script instead of a capture; says from what. */
  readonly synthetic?: string;
  /** Which part of the machine was not real, in one sentence: a simulated GPU. */
  readonly simulated?: string;
  /** The words that a Stalltrace agent was started with, all of them, secrets replaced by `[redacted]`. */
  readonly agentArguments?: readonly string[];
  /** Versions of the Python packages that the job may load, by their names: `torch`, `2.4.0+cu121`. Absent = not known. */
  readonly packages?: Readonly<Record<string, string>>;
  /** How many samples a batch of the job has, where what was recorded leaves no doubt. */
  readonly batchSize?: number;
}

/** The machines of a trace and what they have. */
export interface Hardware {
  /** At least one; what is not said to be on another is on the first. */
  readonly hosts: readonly Host[];
  readonly cpus: readonly Cpu[];
  readonly gpus: readonly Gpu[];
}

/** What every importer produces. */
export interface Trace extends Hardware {
  readonly meta: TraceMeta;
  readonly clocks: readonly Clock[];
  readonly jobs: readonly Job[];
  readonly processes: readonly ProcessInfo[];
  readonly threads: readonly ThreadInfo[];
  /** Operation, metric and file names, referred to by index. No two of one source are equal. */
  readonly names: readonly string[];
  /** Source (CUDA, DRIVER, HOST, …) of each name that is an operation, by the same index. */
  readonly nameSources: readonly string[];
  readonly contexts: readonly GpuContext[];
  readonly streams: readonly Stream[];
  readonly stacks: Stacks;
  readonly tables: Tables;
  readonly sourceFindings: readonly SourceFinding[];
  readonly notices: readonly Notice[];
  /** In the recorder's order; empty where the source names none. */
  readonly capabilities: readonly Capability[];
}

/** Below whose role a thread stands: a process keeps its threads together, but for the one that pins batches. */
export function groupRole(
  {
    threads,
    processes,
  }: {
    readonly threads: readonly Pick<ThreadInfo, 'role' | 'process'>[];
    readonly processes: readonly Pick<ProcessInfo, 'role'>[];
  },
  thread: number,
): Role {
  const info = threads[thread];
  if (info === undefined) return 'other';
  return info.role === 'pin-memory' ? info.role : (processes[info.process]?.role ?? info.role);
}
