import { gpuWorkKind } from '../../shared/answers/gpu-work.ts';
import type { IntegerArray, NameArray } from '../../shared/model/columns.ts';
import { kernelBaseName } from '../../shared/text/kernel-name.ts';
import { cleanText } from '../../shared/text/text.ts';
import { plainWorkName } from '../../shared/words/gpu-work-words.ts';
import { nameColour } from '../model/colours.ts';
import { type EventColumns, eventColumns } from '../model/event-source.ts';
import { remember } from '../model/remember.ts';
import type { TraceData } from '../model/trace-data.ts';

export interface GpuWorkColumns extends EventColumns {
  readonly op?: NameArray;
  readonly gpu?: IntegerArray;
  readonly stream?: IntegerArray;
  readonly process?: IntegerArray;
  readonly kind?: Uint8Array;
  readonly direction?: Uint8Array;
}

export function workColumns(data: TraceData): GpuWorkColumns | undefined {
  return eventColumns(data.tables, 'gpu_work') as GpuWorkColumns | undefined;
}

/** Whether a row moves or sets memory; all else computes. */
export const isCopyRow = ({ kind, direction }: GpuWorkColumns) => {
  return (row: number) => {
    const what = gpuWorkKind(kind?.[row], direction?.[row]);
    return what === 'copy' || what === 'fill';
  };
};

/** One operation of the GPU, as its tracks show it. */
interface WorkName {
  /** On an event: the base name of a kernel, `Copy H2D`. */
  readonly short: string;
  /** With template arguments and parameters, or as the source calls it. */
  readonly full: string;
  /** Work that is no kernel has the colour of the call that asks for it. */
  readonly colour: number;
}

/** What the operations of a trace's GPU work are called, by a key that `keyOf` gives each row. */
export interface GpuWorkNames {
  keyOf(row: number): number;
  ofKey(key: number): WorkName;
}

/** The colours of calls that submit each kind of work: the same on the tracks of threads. */
export const workColours = {
  kernel: nameColour('cudaLaunchKernel'),
  copy: nameColour('cudaMemcpyAsync'),
  fill: nameColour('cudaMemsetAsync'),
  graph: nameColour('cudaGraphLaunch'),
} as const;

/** Directions are fewer than this. */
const DIRECTIONS = 16;

/** Names of the rows of gpu_work, each worked out once. */
export function gpuWorkNames(data: TraceData, columns: GpuWorkColumns): GpuWorkNames {
  return remember(columns, 'work names', () => createNames(data, columns));
}

function createNames({ summary }: TraceData, columns: GpuWorkColumns): GpuWorkNames {
  const { op, kind, direction } = columns;
  const known = new Map<number, WorkName>();
  const kinds = ['unknown', 'kernel', 'copy', 'fill', 'graph'] as const;
  const perName = DIRECTIONS * kinds.length;
  return {
    keyOf(row) {
      const way = direction?.[row] ?? 0;
      const what = kinds.indexOf(gpuWorkKind(kind?.[row], way));
      return (op?.[row] ?? 0) * perName + what * DIRECTIONS + Math.min(way, DIRECTIONS - 1);
    },
    ofKey(key) {
      const name = known.get(key) ?? workName(key);
      known.set(key, name);
      return name;
    },
  };

  function workName(key: number): WorkName {
    const index = Math.floor(key / perName);
    const raw = summary.gpuWork.readable[index] ?? summary.names[index] ?? 'unnamed';
    const full = cleanText(raw, MAX_FULL_NAME);
    const what = kinds[Math.floor((key % perName) / DIRECTIONS)];
    const plain = plainWorkName(what, key % DIRECTIONS);
    if (plain !== undefined && what !== 'unknown')
      return { short: plain, full, colour: workColours[what] };
    const short = cleanText(kernelBaseName(raw));
    return { short, full, colour: nameColour(short) };
  }
}

/** What a search looks through; a kernel of CUTLASS has names of some thousand letters. */
const MAX_FULL_NAME = 4_096;
