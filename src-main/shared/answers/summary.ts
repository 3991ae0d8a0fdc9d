import type { HostClock } from '../model/clocks.ts';
import type { gpuWorkKinds } from '../model/codes.ts';
import type { TableName } from '../model/schema.ts';
import type {
  Capability,
  Hardware,
  Notice,
  ProcessInfo,
  Provenance,
  SourceFinding,
  ThreadInfo,
} from '../model/trace.ts';

export interface TableSummary {
  readonly rows: number;
  /** Names of the columns this trace has; the others are absent. */
  readonly columns: readonly string[];
  readonly provenance: Provenance;
  readonly columnProvenance: Readonly<Record<string, Provenance>>;
}

/** A stretch of time, ns from the trace's begin. */
export type TimeSpan = readonly [startNs: number, endNs: number];

/** All of a trace that is not bulk: what a screen needs before it asks for anything. JSON-safe. */
export interface SummaryProcess extends ProcessInfo {
  /** A DataLoader worker's number, as PyTorch counts: from 0 with each loader and epoch that starts its own. */
  readonly worker?: number;
}

export interface TraceSummary extends Hardware {
  readonly format: string;
  readonly version: string;
  readonly recorder?: string;
  /** Unix time of the begin in ns, decimal: it exceeds 2^53. */
  readonly beginUnixNs: string;
  readonly lengthNs: number;
  /** Of several hosts, how well times of each are known on the clock of the trace; in the order of hosts. */
  readonly clocks?: readonly HostClock[];
  readonly synthetic?: string;
  readonly simulated?: string;
  readonly processes: readonly SummaryProcess[];
  readonly threads: readonly ThreadInfo[];
  readonly names: readonly string[];
  readonly nameSources: readonly string[];
  readonly streams: readonly string[];
  readonly gpuWork: GpuWorkSummary;
  readonly tables: Readonly<Record<TableName, TableSummary>>;
  /** Whether the recorder's own sums count CUDA calls; single ones may be there too, or not. */
  readonly hasSummedCalls: boolean;
  /** By thread: where every switch is stored, in order. Elsewhere nothing is known between switches. */
  readonly coverage: readonly (readonly TimeSpan[])[];
  /** Of each GPU with utilisation samples. */
  readonly gpuBusy: readonly GpuBusy[];
  /** Of each GPU whose own records tell what it ran; absent without such records. */
  readonly gpuWorked?: readonly GpuWorked[];
  readonly sourceFindings: readonly SourceFinding[];
  readonly notices: readonly Notice[];
  readonly capabilities: readonly Capability[];
}

/** How busy one GPU was by its own records, from the begin of its first work to the end of its last. */
export interface GpuWorked {
  /** Index into gpus, -1 = the records do not name it. */
  readonly gpu: number;
  /** Index into hosts, where there are several and the GPU is not known. */
  readonly host?: number;
  readonly label: string;
  readonly busyNs: number;
  /** Of that, with more than copies. */
  readonly computingNs: number;
  /** Of busyNs, with a kernel, those of collectives too; a graph that is recorded as a whole has none. */
  readonly kernelNs?: number;
  readonly overNs: number;
  /** Of the rest, where records may be missing: it may have worked then. Above 0, the others are at least. */
  readonly unknownNs: number;
}

/** What is known of the GPU's own record as a whole. */
export interface GpuWorkSummary {
  /** How many rows of gpu_work are of each kind. */
  readonly counts: Readonly<Record<(typeof gpuWorkKinds)[number], number>>;
  /** By index into names, those of its operations that were mangled, as a person reads them. */
  readonly readable: Readonly<Record<number, string>>;
}

/** How busy one GPU was: over its utilisation samples, each a share of the time before it, in percent. */
export interface GpuBusy {
  /** Index into gpus, -1 = the source doesn't say which. */
  readonly gpu: number;
  /** Index into hosts, where there are several and the GPU is not known. */
  readonly host?: number;
  readonly samples: number;
  readonly meanPercent: number;
  readonly minPercent: number;
  readonly maxPercent: number;
}
