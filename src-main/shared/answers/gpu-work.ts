import {
  codeOf,
  type Direction,
  directions,
  gpuWorkKinds,
  memoryKinds,
  unknownCode,
} from '../model/codes.ts';

type Shape = readonly [x: number, y: number, z: number];

/** What is known of one piece of work beside its name and time; what is not known is absent. */
export interface GpuWorkFacts {
  readonly kind?: (typeof gpuWorkKinds)[number];
  readonly bytes?: number;
  readonly direction?: Direction;
  /** The memory that a copy read, and that a copy or fill wrote. */
  readonly sourceMemory?: (typeof memoryKinds)[number];
  readonly destinationMemory?: (typeof memoryKinds)[number];
  /** Blocks of the kernel's grid, and threads of each. */
  readonly grid?: Shape;
  readonly block?: Shape;
  readonly graph?: number;
  readonly node?: number;
}

/** One row of gpu_work: a kernel, copy, fill or graph as the GPU ran it. */
export interface GpuWork extends GpuWorkFacts {
  readonly row: number;
  readonly name: string;
  readonly startNs: number;
  readonly durationNs: number;
}

/** What the GPU did for one call. */
export interface SubmittedWork {
  readonly count: number;
  readonly totalNs: number;
  /** The first of them, in order of start. */
  readonly shown: readonly GpuWork[];
}

/**
 * What a GPU was at, seen from a call. `own`: what the call submitted; `ahead`: what it waited behind, on its
 * stream, or what its process had submitted where its stream is not known; `held`: work of other streams while that
 * of its own was queued and had not begun; `beside`: other work of its process; `others`: of other processes;
 * `nothing`; `unknown`: records may be missing.
 */
export const meanwhileKinds = [
  'ahead',
  'held',
  'own',
  'beside',
  'others',
  'nothing',
  'unknown',
] as const;

/** What a GPU ran during a call under one name. */
interface MeanwhileName {
  readonly name: string;
  /** Where it is another GPU than the call's own. */
  readonly gpu?: string;
  readonly count: number;
  /** Within the call, each piece for itself. */
  readonly ns: number;
}

/** A part of a call's time by what the GPU did, and the work in it. */
export interface GpuMeanwhilePart {
  readonly kind: (typeof meanwhileKinds)[number];
  readonly ns: number;
  /** Pieces of work. */
  readonly count: number;
  /** The names that took most, most first. */
  readonly names: readonly MeanwhileName[];
}

/** What the GPU did during a call. */
export interface GpuMeanwhile {
  /** Which GPUs these are, where the trace has several: that of the call, or all it may have waited for. */
  readonly gpus?: readonly string[];
  /** In the order of `meanwhileKinds`, none empty; they sum to the call's duration to the ns. */
  readonly parts: readonly GpuMeanwhilePart[];
  /** Graphs that ran as a whole: what was in them is not recorded. */
  readonly graphs: number;
}

/** What a row of gpu_work is; what moves bytes somewhere is a copy, where its kind is not said. */
export function gpuWorkKind(kind = 0, direction = 0): (typeof gpuWorkKinds)[number] {
  const known = gpuWorkKinds[kind] ?? 'unknown';
  const moves = direction !== codeOf(directions, 'none') && direction !== unknownCode('Direction');
  return known === 'unknown' && moves ? 'copy' : known;
}

/** The facts of a row of gpu_work, whose cells `read` gets by the name of their column. */
export function gpuWorkFacts(read: (column: string) => number | undefined): GpuWorkFacts {
  const code = <T extends string>(column: string, all: readonly T[]): T | undefined =>
    all[read(column) || -1];
  const count = (column: string, least: number) => {
    const value = read(column) ?? -1;
    return value >= least ? value : undefined;
  };
  const shape = (of: string): Shape | undefined => {
    const [x, y, z] = ['X', 'Y', 'Z'].map((axis) => count(`${of}${axis}`, 1));
    return x === undefined ? undefined : [x, y ?? 1, z ?? 1];
  };
  return withoutUnknown({
    kind: code('kind', gpuWorkKinds),
    bytes: count('bytes', 0),
    direction: code('direction', directions),
    sourceMemory: code('sourceMemory', memoryKinds),
    destinationMemory: code('destinationMemory', memoryKinds),
    grid: shape('grid'),
    block: shape('block'),
    graph: count('graph', 1),
    node: count('node', 0),
  });
}

type Known<T> = { readonly [K in keyof T]?: Exclude<T[K], undefined> };

function withoutUnknown<T extends object>(facts: T): Known<T> {
  return Object.fromEntries(
    Object.entries(facts).filter(([, value]) => value !== undefined),
  ) as Known<T>;
}
