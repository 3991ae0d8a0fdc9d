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

interface Gpu {
  readonly model: string;
  readonly memoryBytes?: number;
  readonly driver?: string;
}

/** The machine that was recorded, as far as the source says. */
export interface Machine {
  readonly hostname?: string;
  readonly os?: string;
  readonly kernel?: string;
  readonly cpuModel?: string;
  readonly cpuCount?: number;
  readonly memoryBytes?: number;
  readonly cudaVersion?: string;
  readonly pythonVersion?: string;
  readonly gpus: readonly Gpu[];
}

/** In the order in which lists show them. */
export const roles = [
  'main',
  'server',
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

/** Whether a process of this role gives the GPU its work: one that trains, or one that serves. */
export function drivesGpu(role: Role): boolean {
  return role === 'main' || role === 'server';
}

export interface ProcessInfo {
  readonly pid: number;
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
  /** CPU quota of its control group, in CPUs. */
  readonly cpuQuota?: number;
  /** `RANK`, `LOCAL_RANK`, `WORLD_SIZE` of a distributed job. */
  readonly rank?: number;
  readonly localRank?: number;
  readonly worldSize?: number;
}

export interface ThreadInfo {
  readonly tid: number;
  /** Index into processes. */
  readonly process: number;
  readonly name: string;
  readonly role: Role;
  /** Why this role, where it is not that of the process. */
  readonly roleBasis?: string;
  readonly startNs?: number;
  readonly endNs?: number;
}

/** Something the reader of this trace must know before trusting it. */
export interface Notice {
  readonly level: 'info' | 'warning';
  readonly text: string;
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
  readonly severity: 'HIGH' | 'MEDIUM' | 'LOW';
  /** The source's words for its most severe occurrence; of several the one with the worst ratio. */
  readonly summary: string;
  readonly explanation: string;
  readonly recommendations: readonly string[];
  readonly occurrences: readonly SourceFindingOccurrence[];
}

export interface SourceFindingOccurrence {
  readonly op: string;
  readonly detectedNs: number;
  readonly severity: 'HIGH' | 'MEDIUM' | 'LOW';
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
  /** Unix time in ns of the trace's begin. */
  readonly beginUnixNs: bigint;
  /** From begin to the last recorded moment, ns. */
  readonly lengthNs: number;
  /** Made by a script instead of a capture; says from what. */
  readonly synthetic?: string;
  /** Which part of the machine was not real, in one sentence: a simulated GPU. */
  readonly simulated?: string;
}

/** What every importer produces. */
export interface Trace {
  readonly meta: TraceMeta;
  readonly machine: Machine;
  readonly processes: readonly ProcessInfo[];
  readonly threads: readonly ThreadInfo[];
  /** Operation, metric and file names, referred to by index. */
  readonly names: readonly string[];
  /** Source (CUDA, DRIVER, HOST, …) of each name that is an operation, by the same index. */
  readonly nameSources: readonly string[];
  readonly streams: readonly string[];
  readonly stacks: Stacks;
  readonly tables: Tables;
  readonly sourceFindings: readonly SourceFinding[];
  readonly notices: readonly Notice[];
  /** In the recorder's order; empty where the source names none. */
  readonly capabilities: readonly Capability[];
}
