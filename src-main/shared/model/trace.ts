import { z } from 'zod';
import type { Columns } from './columns.ts';
import type { TableName } from './schema.ts';

/**
 * How far a table or column can be trusted.
 * `exact`: every event in the recorded range. `partial`: single events are exact, but not all were
 * kept. `sampled`/`aggregated`: one value per `everyNs`. `inferred`: worked out by Stalltrace.
 * `absent`: the source does not record it, for the reason in `note`.
 */
export const provenanceSchema = z.object({
  kind: z.enum(['exact', 'partial', 'sampled', 'aggregated', 'inferred', 'absent']),
  everyNs: z.number().nonnegative().optional(),
  note: z.string(),
});
export type Provenance = z.infer<typeof provenanceSchema>;

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

export const gpuSchema = z.object({
  model: z.string(),
  memoryBytes: z.number().nonnegative().optional(),
  driver: z.string().optional(),
});

export const machineSchema = z.object({
  hostname: z.string().optional(),
  os: z.string().optional(),
  kernel: z.string().optional(),
  cpuModel: z.string().optional(),
  cpuCount: z.number().int().nonnegative().optional(),
  memoryBytes: z.number().nonnegative().optional(),
  cudaVersion: z.string().optional(),
  pythonVersion: z.string().optional(),
  gpus: z.array(gpuSchema),
});
export type Machine = z.infer<typeof machineSchema>;

export const roles = ['main', 'dataloader-worker', 'pin-memory', 'kernel', 'other'] as const;
export type Role = (typeof roles)[number];

export interface ProcessInfo {
  readonly pid: number;
  readonly name: string;
  readonly commandLine?: string;
  /** Index into processes, -1 = not known. */
  readonly parent: number;
  readonly role: Role;
  /** Why this role, in a few words: a role is a guess unless the source says it. */
  readonly roleBasis: string;
  /** When it was forked, where that was recorded. */
  readonly startNs?: number;
  readonly endNs?: number;
}

export interface ThreadInfo {
  readonly tid: number;
  /** Index into processes. */
  readonly process: number;
  readonly name: string;
  readonly role: Role;
  readonly startNs?: number;
  readonly endNs?: number;
}

export interface Frame {
  readonly symbol: string;
  readonly file?: string;
  readonly line?: number;
  readonly language: 'python' | 'native';
}

/** Something the reader of this trace must know before trusting it. */
export interface Notice {
  readonly level: 'info' | 'warning';
  readonly text: string;
}

/** A causal chain the recording tool found by itself, occurrences folded: shown, never adopted. */
export interface SourceFinding {
  readonly foundBy: string;
  /** What it says is slow: the operations of all occurrences. */
  readonly ops: readonly string[];
  readonly causes: readonly string[];
  readonly severity: 'HIGH' | 'MEDIUM' | 'LOW';
  /** The source's words for its most severe, latest occurrence. */
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
  /** Frames leaf first. */
  readonly stacks: readonly (readonly Frame[])[];
  readonly tables: Tables;
  readonly sourceFindings: readonly SourceFinding[];
  readonly notices: readonly Notice[];
}
