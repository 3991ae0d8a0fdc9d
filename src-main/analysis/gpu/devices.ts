import { codeOf, directions, gpuWorkKinds } from '../../shared/model/codes.ts';
import { hostOfGpuWork } from '../../shared/model/hosts.ts';
import { NONE } from '../../shared/model/schema.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { busyGpuName } from '../../shared/words/gpu-busy-words.ts';
import { perTrace } from '../index/per-trace.ts';
import { rowsByIndex, type SortedRows, sortedRows } from '../index/sorted-rows.ts';

/** What ran on each GPU by its own records. A device is an index into gpus, or stands for a host's GPU that is not named. */
export interface Devices {
  /** The rows of gpu_work of a device, in order of start. */
  rowsOn(device: number): SortedRows;
  /** Devices that did something for one of these processes, in order; those whose process is not known count for all of their host. */
  usedBy(processes: Iterable<number>, host: number): readonly number[];
  /** The device that a row ran on. */
  deviceOf(row: number): number;
  /** The process that a row was done for; -1 = not known. */
  processOf(row: number): number;
}

export const devicesOf = perTrace(createDevices);

function createDevices(trace: Trace): Devices {
  const { columns, rows } = trace.tables.gpu_work;
  const ids = new Int32Array(rows);
  const processes = new Int32Array(rows);
  const hostOf = new Map<number, number>();
  const users = new Map<number, Set<number>>();
  for (let row = 0; row < rows; row++) {
    const host = hostOfGpuWork(trace, row) ?? NONE;
    const gpu = columns.gpu[row];
    // Beyond the list of GPUs, one for each host whose GPU is not named, and one for none.
    ids[row] = gpu >= 0 && gpu < UNNAMED ? gpu : UNNAMED + 1 + host;
    processes[row] = workProcess(trace, row);
    hostOf.set(ids[row], host);
    const own = users.get(ids[row]) ?? new Set();
    users.set(ids[row], own.add(processes[row]));
  }
  const sorted = rowsByIndex(ids, UNNAMED + 2 + trace.hosts.length);
  const known = new Map<number, SortedRows>();
  return {
    deviceOf: (row) => ids[row],
    processOf: (row) => processes[row] ?? NONE,
    rowsOn(device) {
      const found = known.get(device) ?? sortedRows(columns, sorted, device);
      known.set(device, found);
      return found;
    },
    usedBy(wanted, host) {
      const all = new Set(wanted);
      const isUsed = (device: number, own: ReadonlySet<number>) =>
        [...own].some((process) => all.has(process)) ||
        (own.has(NONE) && [NONE, host].includes(hostOf.get(device) ?? NONE));
      return [...users]
        .flatMap(([device, own]) => (isUsed(device, own) ? [device] : []))
        .sort((a, b) => a - b);
    },
  };
}

/** No trace lists more GPUs: what is not named comes behind. */
const UNNAMED = 4096;

/** Index into gpus; where the records do not name it -1, and of several hosts the one it is of. */
export function gpuOfDevice(
  { hosts }: Pick<Trace, 'hosts'>,
  device: number,
): { readonly gpu: number; readonly host?: number } {
  if (device < UNNAMED) return { gpu: device };
  const host = device - UNNAMED - 1;
  return { gpu: NONE, ...(host !== NONE && hosts.length > 1 && { host }) };
}

/** `GPU 1`, of a trace with one GPU `GPU`. */
export function deviceLabel(trace: Pick<Trace, 'hosts' | 'gpus'>, device: number): string {
  return busyGpuName(gpuOfDevice(trace, device), trace);
}

/** Its own process, else that of its context, else of its stream's. */
function workProcess({ tables, contexts, streams }: Trace, row: number): number {
  const { process, context, stream } = tables.gpu_work.columns;
  const own = process?.[row] ?? NONE;
  if (own !== NONE) return own;
  const named = context?.[row] ?? NONE;
  const of = named === NONE ? streams[stream?.[row] ?? NONE]?.context : named;
  return contexts[of ?? NONE]?.process ?? NONE;
}

const COPY = codeOf(gpuWorkKinds, 'copy');
const NO_DIRECTION = codeOf(directions, 'none');

/** Whether a row of gpu_work is a copy; all else computes, fills among it. */
export function isCopyWork({ tables }: Pick<Trace, 'tables'>, row: number): boolean {
  const { kind, direction } = tables.gpu_work.columns;
  const recorded = kind?.[row] ?? 0;
  return recorded === 0 ? (direction?.[row] ?? NO_DIRECTION) !== NO_DIRECTION : recorded === COPY;
}
