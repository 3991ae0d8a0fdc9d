import type { IntegerArray } from '../../shared/model/columns.ts';
import { hostIndexOf, hostNote } from '../../shared/model/hosts.ts';
import { NONE } from '../../shared/model/schema.ts';
import type { Trace } from '../../shared/model/trace.ts';

/** What may tell on which machine a row happened. */
export interface PlacedColumns {
  readonly thread?: IntegerArray;
  readonly waker?: IntegerArray;
  readonly gpu?: IntegerArray;
  readonly process?: IntegerArray;
}

/** Index of the host of a row, -1 where that is not known. */
export type HostOfRow = (row: number) => number;

/** Reads the host of each row; undefined in a trace of one, which has nothing to tell apart. */
export function hostReader(trace: Trace, columns: PlacedColumns): HostOfRow | undefined {
  if (trace.hosts.length <= 1) return undefined;
  const { thread, waker, gpu, process } = columns;
  const ofThread = Int32Array.from(trace.threads, (_, index) => hostIndexOf(trace, index));
  return (row) =>
    ofThread[thread?.[row] ?? NONE] ??
    ofThread[waker?.[row] ?? NONE] ??
    hostOf(trace.gpus[gpu?.[row] ?? NONE]) ??
    hostOf(trace.processes[process?.[row] ?? NONE]) ??
    NONE;
}

function hostOf(of: { readonly host?: number } | undefined): number | undefined {
  return of === undefined ? undefined : (of.host ?? 0);
}

/** The field that names `host`, where there are several. */
export function hostField(trace: Trace, host: number | undefined): { readonly host?: string } {
  const name = host === undefined || host === NONE ? undefined : hostNote(trace, { host });
  return name === undefined ? {} : { host: name };
}
