import type { Gpu, Host } from '../../../shared/model/trace.ts';
import { cleanText } from '../../../shared/text/text.ts';
import type { Device } from './gpus.ts';

/**
 * What is read of the values beside the events. A file also has the user's name, the job's and its cluster's,
 * and whatever the job added: nothing else is looked at.
 */
export interface Beside {
  version: string;
  devices: readonly Device[];
  rank: number | undefined;
  worldSize: number | undefined;
  /** Added to all times, Unix ns. */
  baseNs: bigint;
  hostname: string | undefined;
  cudaVersion: string | undefined;
}

export function nothingBeside(): Beside {
  return {
    version: '',
    devices: [],
    rank: undefined,
    worldSize: undefined,
    baseNs: 0n,
    hostname: undefined,
    cudaVersion: undefined,
  };
}

type Read = (beside: Beside, value: unknown, json: string) => void;

const readers: Readonly<Record<string, Read>> = {
  schemaVersion(beside, value) {
    beside.version = cleanText(String(value), 16);
  },
  deviceProperties(beside, value) {
    if (Array.isArray(value)) beside.devices = value.slice(0, MAX_DEVICES).flatMap(deviceOf);
  },
  distributedInfo(beside, value) {
    beside.rank = count(property(value, 'rank'));
    beside.worldSize = count(property(value, 'world_size'));
  },
  // Of 19 figures: no 64-bit float has it.
  baseTimeNanoseconds(beside, _, json) {
    if (/^\d{1,19}$/.test(json)) beside.baseNs = BigInt(json);
  },
  host_name(beside, value) {
    if (typeof value === 'string' && value !== '') beside.hostname = cleanText(value, 253);
  },
  cuda_runtime_version(beside, value) {
    const version = count(value);
    if (version !== undefined && version >= 1000)
      beside.cudaVersion = `${Math.floor(version / 1000)}.${Math.floor((version % 1000) / 10)}`;
  },
};

const MAX_DEVICES = 1024;
const MAX_COUNT = 2 ** 31 - 1;

export function isWanted(key: string): boolean {
  return Object.hasOwn(readers, key);
}

/** Reads one value into `beside`; one that is no JSON says nothing. */
export function readBeside(beside: Beside, key: string, json: string): void {
  try {
    readers[key](beside, JSON.parse(json), json);
  } catch {
    // Damaged, or nested too deeply: what it would have said is not known.
  }
}

export function hostOf({ hostname, cudaVersion }: Beside): Host {
  return {
    ...(hostname !== undefined && { hostname }),
    ...(cudaVersion !== undefined && { cudaVersion }),
  };
}

function deviceOf(value: unknown): Device[] {
  const id = count(property(value, 'id'));
  if (id === undefined) return [];
  const name = property(value, 'name');
  const memory = property(value, 'totalGlobalMem');
  const model = typeof name === 'string' && name !== '' ? name : `GPU ${id}`;
  const isSize = typeof memory === 'number' && Number.isSafeInteger(memory) && memory > 0;
  const gpu: Gpu = { model, ...(isSize && { memoryBytes: memory }) };
  return [{ id, gpu }];
}

function property(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null
    ? (value as Readonly<Record<string, unknown>>)[key]
    : undefined;
}

function count(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_COUNT
    ? value
    : undefined;
}
